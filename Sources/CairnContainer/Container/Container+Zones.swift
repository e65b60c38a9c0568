import CairnIdentity
import CairnReplica
public import CairnZone
import Synchronization

/// The zones of this person.
extension Container {
  /// Returns the zones of the account. A record of the account only claims the facts about a zone.
  /// If the zone was replayed here, its log proves the founder, the owner and the keys.
  func entries() throws -> [AccountZone.Entry] {
    // Read before the records: later changes are read again the next time.
    let head = accountZone.header.head
    if let known = listed.withLock({ $0 }), known.head == head { return known.entries }
    let finder = ZoneFinder(self)
    let entries = try AccountZone.claims(in: accountZone).compactMap { claim in
      let claimed = claim.entry(of: account.user)
      guard var known = try finder.indexed(claim.zone, first: claim.database ?? .private) else {
        return claimed
      }
      if let claimed { known.keys.merge(claimed.keys) }
      return known
    }
    listed.withLock { $0 = (head, entries) }
    return entries
  }

  /// Returns the zones of a scope, by this person's account.
  func zones(_ scope: DatabaseScope) throws -> [Zone] {
    if scope == .public { return try publicZones.all() }
    return try entries().filter { $0.scope == scope }.map { try zone($0) }
  }

  /// Returns the zone with that id, if the account has it.
  public func zone(_ id: ZoneID) throws -> Zone? {
    if let known = open.withLock({ $0[id] }) { return known }
    if let entry = try entries().first(where: { $0.zone == id }) { return try zone(entry) }
    return try publicZones.author(of: id).map { try publicZones.zone(of: $0) }
  }

  /// Returns the revoked devices of this person, by the entries of their identity chain read so
  /// far.
  func revokedDevices() throws -> Set<DeviceID> {
    let devices = try people.recall(account.user)?.devices ?? [:]
    return Set(devices.filter { !$0.value.isActive }.keys)
  }

  /// Returns the zone of an entry, opened once.
  func zone(_ entry: AccountZone.Entry) throws -> Zone {
    try zone(
      entry.zone, founder: entry.founder, owner: entry.owner, scope: entry.scope, keys: entry.keys)
  }
}
