public import CairnZone
import Synchronization

/// Which zones this person has.
extension Container {
  /// The zones of the account. A record of the account only claims what a zone is: where the zone
  /// was folded here, its log says who founded it, who owns it, and which keys open it.
  func entries() throws -> [AccountZone.Entry] {
    // Taken before the look: what comes in between is read again next time.
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

  /// The zones of a scope, by what this person's account says.
  func zones(_ scope: DatabaseScope) throws -> [Zone] {
    if scope == .public { return try publicZones.all() }
    return try entries().filter { $0.scope == scope }.map { try zone($0) }
  }

  /// The zone with that id, if the account has it.
  public func zone(_ id: ZoneID) throws -> Zone? {
    if let known = open.withLock({ $0[id] }) { return known }
    if let entry = try entries().first(where: { $0.zone == id }) { return try zone(entry) }
    return try publicZones.author(of: id).map { try publicZones.zone(of: $0) }
  }

  /// The devices of this person that are revoked, by what was read of their chain.
  func revokedDevices() throws -> Set<DeviceID> {
    let devices = try people.recall(account.user)?.devices ?? [:]
    return Set(devices.filter { !$0.value.isActive }.keys)
  }

  /// The zone of an entry, opened once.
  func zone(_ entry: AccountZone.Entry) throws -> Zone {
    try zone(
      entry.zone, founder: entry.founder, owner: entry.owner, scope: entry.scope, keys: entry.keys)
  }
}
