import CairnIndex
import CairnStore
import CairnZone

/// What follows when a zone gets another owner, or ends.
extension Container {
  /// Whether the zone stands in the wrong database since its owner changed.
  public func isMisplaced(_ zone: Zone) -> Bool {
    guard let owner = zone.header.owner, zone.scope != .public else { return false }
    return (owner == account.user) != (zone.scope == .private)
  }

  /// Moves a zone to the database that its owner says: what one owns is private, what others own
  /// shared. Its records are folded anew into the other index; the old object is of no use then.
  public func replace(_ zone: Zone) throws -> Zone {
    guard isMisplaced(zone) else { return zone }
    let scope: DatabaseScope = zone.scope == .private ? .shared : .private
    let owner = zone.header.owner ?? account.user
    let moved = try reopen(
      zone.id, founder: zone.folder.founder, owner: owner, in: scope,
      keys: zone.keyring())
    try moved.pull()
    try remember(moved, owner: owner)
    try erase(zone.id, in: zone.scope)
    return moved
  }

  /// Ends a zone for everybody, and takes its content out of the container: what no other zone of
  /// this person refers to. The log stays, so that everybody learns of the end. Account and index
  /// know the zone until `forgetEverything(of:)`.
  public func purge(_ zone: Zone) throws {
    try zone.pull()
    let packs = try packsOnly(of: zone)
    if !zone.header.isPurged { try change(zone, .purge) }
    do {
      for pack in packs.sorted() { try store.delete(pack) }
    } catch {
      throw CloudError(error)
    }
  }

  /// This person's packs that no other zone refers to.
  private func packsOnly(of zone: Zone) throws -> Set<ObjectKey> {
    // A zone that was handed on may refer to these packs, and can't be asked any more.
    let known = Set(try allZones().map(\.id))
    guard try givenZones().isSubset(of: known) else { return [] }
    let own = ObjectKind.packs.path(account.user) + "/"
    var packs = try zone.packKeys().filter { $0.description.hasPrefix(own) }
    for other in try allZones() where other.id != zone.id {
      guard !packs.isEmpty else { break }
      packs.subtract(try other.packKeys())
    }
    return packs
  }

  private func allZones() throws -> [Zone] { try zones(.private) + zones(.shared) }

}

extension Zone {
  /// The packs that the chunks of the zone and of its past lie in.
  func packKeys() throws -> Set<ObjectKey> {
    try read { view in
      let state = view.state
      return try Set(state.stored(state.chunkNames()).map(\.range.key))
    }
  }
}
