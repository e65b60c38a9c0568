import CairnIdentity
import CairnReplica
import CairnZone

/// Finds zones by name. A record in the account zone says which zone has a name. Its id is derived
/// from the name, so of two devices that create the zone at once, only one can save the record. The
/// id of the zone itself is random.
///
/// It uses these parts of the container: `account`, `accountZone`, `found`, `participation`,
/// `zone`.
struct NamedZones {
  private static let type = "cairn.name"
  private let container: Container

  init(_ container: Container) { self.container = container }

  /// Returns the zone of that name. It is created if there is none, or if it was deleted.
  /// - Throws: `CloudError`.
  func zone(_ name: String) throws -> Zone {
    try container.accountZone.catchUp()
    while true {
      let (id, nonce) = try named(name) ?? claim(name)
      guard let zone = try container.zone(id) else {
        // One commit names a zone and adds its keys, so the zone was deleted since.
        try drop(name, of: id)
        continue
      }
      try container.found(zone, nonce, named: name)
      guard zone.header.isPurged else { return zone }
      try drop(name, of: id)
      try container.participation.forgetEverything(of: zone)
    }
  }

  /// Returns the zone of that name, as far as this device knows; nil if there is none.
  func known(_ name: String) throws -> Zone? {
    try named(name).flatMap { try container.zone($0.0) }
  }

  /// Deletes the record that names a zone, unless another device has named another zone since.
  private func drop(_ name: String, of zone: ZoneID) throws {
    try container.accountZone.save {
      guard try named(name)?.0 == zone else { return [] }
      return [RecordChange(id: Self.record(name), act: .delete)]
    }
  }

  private static func record(_ name: String) -> RecordID {
    AccountZone.recordID("name", Array(name.utf8))
  }

  /// Returns the zone that the account names; nil if there is none.
  private func named(_ name: String) throws -> (ZoneID, Bytes16)? {
    let fields = try container.accountZone.read { try $0.record(Self.record(name))?.fields }
    guard case .bytes(let zone)? = fields?["zone"], let zone = ZoneID(bytes: zone),
      case .bytes(let nonce)? = fields?["nonce"], let nonce = Bytes16(nonce),
      // A record can only name a zone that this person can found.
      zone == ZoneID.derive(owner: container.account.user, nonce: nonce)
    else { return nil }
    return (zone, nonce)
  }

  /// Names a new zone in the account, with everything that another device needs to found it, unless
  /// another device was first.
  private func claim(_ name: String) throws -> (ZoneID, Bytes16) {
    let (user, account) = (container.account.user, container.accountZone)
    let nonce = Bytes16.random()
    let id = ZoneID.derive(owner: user, nonce: nonce)
    var keys = Keyring()
    keys.insert(.random(epoch: 1))
    let entry = AccountZone.Entry(
      zone: id, founder: user, owner: user, scope: .private, keys: keys)
    try account.save {
      guard try named(name) == nil else { return [] }
      return try [
        AccountZone.change(of: entry, in: account),
        AccountZone.change(
          Self.record(name), Self.type, ["zone": .bytes(id.bytes), "nonce": .bytes(nonce.bytes)],
          in: account),
      ].compactMap { $0 }
    }
    return try named(name) ?? (id, nonce)
  }
}

extension Container {
  /// Puts the first entry into the log of a zone of this person, if neither this device nor another
  /// one has.
  func found(
    _ zone: Zone, _ nonce: Bytes16, named name: String, share: [ShareChange] = []
  ) throws {
    guard zone.header.genesis == nil else { return }
    try whileOvertaken {
      try zone.pull()
      guard zone.header.genesis == nil else { return }
      try begin(zone, nonce, named: name, share: share)
    }
  }

  /// Puts the first entry into the log of a zone that nobody else knows yet.
  func begin(
    _ zone: Zone, _ nonce: Bytes16, named name: String, share: [ShareChange] = []
  ) throws {
    _ = try zone.exclusively {
      try $0.commit(
        records: [], share: share, expecting: 0, genesis: Genesis(owner: account.user, name: name),
        nonce: nonce)
    }
  }
}
