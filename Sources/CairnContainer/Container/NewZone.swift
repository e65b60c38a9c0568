import CairnIdentity
public import CairnReplica
public import CairnZone

/// A private zone of this person that is about to be created. Its id is known before, so that a
/// note about the zone can come first.
public struct NewZone: Hashable, Sendable {
  /// The id.
  public let id: ZoneID
  /// The name.
  public let name: String
  /// The value that the id is derived from.
  let nonce: Bytes16

  init(id: ZoneID, name: String, nonce: Bytes16) {
    self.id = id
    self.name = name
    self.nonce = nonce
  }

  init(named name: String, of owner: UserID) {
    let nonce = Bytes16.random()
    self.init(id: .derive(owner: owner, nonce: nonce), name: name, nonce: nonce)
  }
}

extension Container {
  /// Chooses the id of a private zone. Nothing is written.
  /// - Throws: `CloudError` with `.notAuthenticated` in an anonymous home.
  public func newZone(named name: String) throws -> NewZone {
    try requireAccount()
    return NewZone(named: name, of: account.user)
  }

  /// Creates a zone. The account has its keys before the container has its first entry. The next
  /// call continues an interrupted one.
  /// - Parameter new: The zone.
  /// - Returns: The zone; it is in the account's list.
  /// - Throws: `CloudError` if the container can't be written now.
  public func create(_ new: NewZone) throws -> Zone {
    let isFirst = try !entries().contains { $0.zone == new.id }
    if isFirst {
      var keys = Keyring()
      keys.insert(.random(epoch: 1))
      try AccountZone.add(
        AccountZone.Entry(
          zone: new.id, founder: account.user, owner: account.user, scope: .private, keys: keys),
        to: accountZone)
    }
    guard let zone = try entries().first(where: { $0.zone == new.id }).map({ try zone($0) }) else {
      throw CloudError(
        .zoneNotFound, "another device took a new zone out of your account",
        remedy: "say the same again")
    }
    if isFirst {
      try begin(zone, new.nonce, named: new.name)
    } else {
      try found(zone, new.nonce, named: new.name)
    }
    return zone
  }

  /// Deletes a zone that nothing uses, as far as it was created. The next call continues an
  /// interrupted one.
  /// - Parameter new: The zone.
  /// - Throws: `CloudError` if the container can't be written now.
  public func drop(_ new: NewZone) throws {
    try returning.deleteObjects(of: new.id)
    try forget(new.id)
    try erase(new.id, in: .private)
  }
}
