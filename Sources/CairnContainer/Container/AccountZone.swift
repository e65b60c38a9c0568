import CairnIdentity
import CairnIndex
import CairnReplica
import CairnStore
import CairnZone

/// The zone with a person's own records: their own and accepted zones with the keys, and the mounts
/// of these zones on their devices. All of a person's devices see it, and the index files can be
/// rebuilt from it. Its id is derived from a secret of the person, so that nobody else can take its
/// first position.
enum AccountZone {
  /// A zone of the person, with everything needed to read it from its first entry on.
  struct Entry {
    var zone: ZoneID
    /// The founder, whose folder has its objects.
    var founder: UserID
    var owner: UserID
    var scope: DatabaseScope
    var keys: Keyring
  }

  static let zoneType = "cairn.zone"
  static let mountType = "cairn.mount"

  static func open(
    _ store: any ObjectStore, _ index: IndexFile, _ account: Account, _ people: People
  ) throws -> Zone {
    let nonce = account.accountNonce
    let id = ZoneID.derive(owner: account.user, nonce: nonce)
    let replica = try ZoneReplica(
      id, founder: account.user, owner: account.user, store: store, index: index,
      account: account, people: people, keys: Keyring([account.accountKey]))
    do { _ = try replica.pull() } catch let error as CloudError {
      // If the container is unavailable, or has lost something, the index must suffice.
      guard replica.header.genesis != nil else { throw error }
    }
    if replica.header.sequence == 0 {
      do {
        _ = try replica.commit(
          records: [], share: [], expecting: 0,
          genesis: Genesis(owner: account.user, name: "account"), nonce: nonce)
      } catch let error as CloudError {
        guard error.code == .serverRecordChanged else { throw error }
        // Another device of the same person was first.
        _ = try replica.pull()
      }
    }
    return Zone(id, scope: .private, store: store, replica: replica)
  }

  // MARK: Zones

  /// The claims of a record about a zone. Only the zone's log proves them.
  struct Claim {
    var zone: ZoneID
    private var founder: UserID?
    private var owner: UserID?
    private var scope: DatabaseScope?
    private var keys: Keyring?

    init?(_ fields: [String: FieldValue]) {
      guard case .bytes(let zone)? = fields["zone"], let zone = ZoneID(bytes: zone) else {
        return nil
      }
      self.zone = zone
      if case .bytes(let founder)? = fields["founder"] { self.founder = UserID(bytes: founder) }
      if case .bytes(let owner)? = fields["owner"] { self.owner = UserID(bytes: owner) }
      if case .text(let scope)? = fields["scope"] { self.scope = DatabaseScope(rawValue: scope) }
      if case .bytes(let bytes)? = fields["keys"] { keys = keyring(bytes) }
    }

    /// The database that the record names. Public zones have no such records.
    var database: DatabaseScope? { scope == .public ? nil : scope }

    /// The unchecked claim as an entry; nil if a part is missing.
    func entry(of user: UserID) -> Entry? {
      guard let founder, let keys, !keys.all.isEmpty else { return nil }
      // A zone that this person owns is private, even if the record says otherwise.
      let scope: DatabaseScope =
        owner == user ? .private : database ?? (founder == user ? .private : .shared)
      return Entry(
        zone: zone, founder: founder, owner: scope == .private ? user : owner ?? founder,
        scope: scope, keys: keys)
    }
  }

  /// Returns the present claims of the account's records about its zones.
  static func claims(in account: Zone) throws -> [Claim] {
    try records(zoneType, in: account).compactMap { record in
      Claim(record.fields).flatMap { record.id == zoneEntryID($0.zone) ? $0 : nil }
    }
  }

  private static func keyring(_ bytes: [UInt8]) -> Keyring? {
    do { return try Keyring(encoded: bytes) } catch {
      // The field counts as missing: one record must not keep all zones from being opened.
      return nil
    }
  }

  static func add(_ entry: Entry, to account: Zone) throws {
    try account.save { try [change(of: entry, in: account)].compactMap { $0 } }
  }

  static func change(of entry: Entry, in account: Zone) throws -> RecordChange? {
    try change(zoneEntryID(entry.zone), zoneType, fields(of: entry), in: account)
  }

  static func fields(of entry: Entry) -> [String: FieldValue?] {
    [
      "zone": .bytes(entry.zone.bytes), "founder": .bytes(entry.founder.bytes),
      "owner": .bytes(entry.owner.bytes),
      "scope": .text(entry.scope.rawValue), "keys": .bytes(entry.keys.encoded()),
    ]
  }

  static func zoneEntryID(_ zone: ZoneID) -> RecordID { recordID("zone", zone.bytes) }

  static func remove(_ zone: ZoneID, from account: Zone) throws {
    try delete(zoneEntryID(zone), in: account)
  }

  // MARK: Mounts

  /// The mounts of all devices, as the records claim. No device takes its own mounts from here.
  static func mounts(in account: Zone) throws -> [MountEntry] {
    try records(mountType, in: account).compactMap { mount(record: $0.id, $0.fields) }
  }

  /// Parses a record of a mount; nil if the record can't be a mount with that id.
  static func mount(record: RecordID, _ fields: [String: FieldValue]) -> MountEntry? {
    guard case .bytes(let zone)? = fields["zone"], let zone = ZoneID(bytes: zone),
      case .bytes(let device)? = fields["device"], let device = DeviceID(bytes: device),
      case .bytes(let path)? = fields["path"]
    else { return nil }
    // Accounts of the first version have mounts of whole zones only.
    var base = RecordID.root
    if case .bytes(let bytes)? = fields["record"] {
      guard let id = RecordID(bytes: bytes) else { return nil }
      base = id
    }
    var mount = MountEntry(
      zone: zone, record: base, device: device, path: path, isFile: fields["file"] == .integer(1))
    if case .bytes(let author)? = fields["author"] { mount.author = UserID(bytes: author) }
    return record == mountID(mount.part, device) ? mount : nil
  }

  static func add(_ mount: MountEntry, to account: Zone) throws {
    try account.save { try [change(of: mount, in: account)].compactMap { $0 } }
  }

  static func change(of mount: MountEntry, in account: Zone) throws -> RecordChange? {
    var fields: [String: FieldValue?] = [
      "zone": .bytes(mount.zone.bytes), "device": .bytes(mount.device.bytes),
      "path": .bytes(mount.path), "record": .bytes(mount.record.bytes),
      "file": .integer(mount.isFile ? 1 : 0),
    ]
    if let author = mount.author { fields["author"] = .bytes(author.bytes) }
    return try change(mountID(mount.part, mount.device), mountType, fields, in: account)
  }

  static func removeMount(_ part: ZonePart, _ device: DeviceID, from account: Zone) throws {
    try delete(mountID(part, device), in: account)
  }

  static func mountID(_ part: ZonePart, _ device: DeviceID) -> RecordID {
    recordID("mount", part.zone.bytes + device.bytes + (part.isWhole ? [] : part.base.bytes))
  }

  // MARK: Records

  // Any device of the person can write anything here, and one of them may be stolen. Therefore a
  // device doesn't take decisions about its own folders from here, and the id of a record is
  // derived from its subject.

  /// Returns an id that is derived from the record's subject, so that saving twice makes one
  /// record.
  static func recordID(_ kind: String, _ about: [UInt8]) -> RecordID {
    let digest = Crypto.digest("cairn account record v1", Array(kind.utf8), about)
    guard let id = RecordID(bytes: digest.bytes.prefix(16)) else {
      preconditionFailure("a digest of less than sixteen bytes")
    }
    return id
  }

  static func records(_ type: String, in account: Zone) throws -> [Record] {
    try account.read { try $0.typedRecords(type) }
  }

  static func save(
    _ id: RecordID, _ type: String, _ fields: [String: FieldValue?], in account: Zone
  ) throws {
    try account.save { try [change(id, type, fields, in: account)].compactMap { $0 } }
  }

  /// Returns the change that gives the record those fields; nil if it has them.
  static func change(
    _ id: RecordID, _ type: String, _ fields: [String: FieldValue?], in account: Zone
  ) throws -> RecordChange? {
    let known = try account.read { try $0.record(id) }
    if let known {
      let isSame = fields.allSatisfy { name, value in known.fields[name] == value }
      if isSame { return nil }
    }
    let act: RecordChange.Act = known == nil ? .create(.typed(type)) : .update
    return RecordChange(id: id, act: act, fields: fields)
  }

  static func delete(_ id: RecordID, in account: Zone) throws {
    try account.save {
      try account.read { try $0.record(id) }.map { _ in [RecordChange(id: id, act: .delete)] } ?? []
    }
  }
}

extension Record {
  /// Returns whether that device made the record, and no other one has changed it since.
  func isBy(_ device: DeviceID) -> Bool {
    created.author.device == device && changed.author.device == device
  }
}
