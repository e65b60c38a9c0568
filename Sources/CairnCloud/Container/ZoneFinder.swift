import CairnIndex
import CairnStore
import CairnZone
import Synchronization

/// Finds zones of this person's that the account doesn't list, or lists with something wrong. Any
/// device of the person can write the account's records, so a record is only a claim: the index of
/// this device, or else the log of the zone, says who founded it and which keys open it.
struct ZoneFinder {
  let container: Container

  init(_ container: Container) { self.container = container }

  private var me: UserID { container.account.user }

  /// What was proven of a zone when it was folded here; nil if it never was. The database `scope`
  /// is looked at first.
  func indexed(_ id: ZoneID, first scope: DatabaseScope = .private) throws -> AccountZone.Entry? {
    for scope in scope == .shared ? [DatabaseScope.shared, .private] : [.private, .shared] {
      guard let index = container.indexes[scope] else { continue }
      let found = try index.read { db -> AccountZone.Entry? in
        let zone = try IndexedZone(reading: db, zone: id)
        guard let founder = zone.header.genesis?.owner else { return nil }
        return AccountZone.Entry(
          zone: id, founder: founder, owner: zone.header.owner ?? founder, scope: scope,
          keys: try zone.keys())
      }
      if let found { return found }
    }
    return nil
  }

  /// What any version of a zone's record claims, the newest first, whoever wrote it.
  func claims(of id: ZoneID) throws -> [AccountZone.Entry] {
    var claims: [AccountZone.Entry] = []
    for version in try container.accountPast().versions(of: AccountZone.zoneEntryID(id)).reversed()
    {
      guard let fields = version.fields, let claim = AccountZone.Claim(fields), claim.zone == id,
        let entry = claim.entry(of: me),
        !claims.contains(where: { $0.founder == entry.founder && $0.keys == entry.keys })
      else { continue }
      claims.append(entry)
    }
    return claims
  }

  /// The zone, opened by what this device knows, or by the first claim that its log confirms.
  /// - Returns: the zone; nil if nothing opens it.
  /// - Throws: `CloudError` if the container can't be read now.
  func open(_ id: ZoneID) throws -> Zone? {
    guard id != container.accountZone.id else { return nil }
    if let known = container.open.withLock({ $0[id] }), known.header.genesis != nil { return known }
    if let entry = try indexed(id) { return try container.zone(entry) }
    for claim in try claims(of: id) {
      container.close(id)
      let zone = try container.zone(claim)
      try pull(zone)
      if zone.header.genesis != nil { return zone }
      container.close(id)
      try container.erase(id, in: claim.scope)
    }
    return nil
  }

  /// Reads what can be read of a zone. What holds its log, or is missing from it, is the zone's
  /// trouble and stops nobody here.
  /// - Throws: `CloudError` if the container can't be read now.
  func pull(_ zone: Zone) throws {
    do { try zone.pull() } catch let error as CloudError {
      guard zone.trouble != nil || !error.isWorthRetrying else { throw error }
    }
  }

  /// Whether the account's records have named different founders or keys of a zone: then what the
  /// current record says has to be tried.
  func isDisputed(_ id: ZoneID) throws -> Bool { try claims(of: id).count > 1 }

  /// Whether anything stands in the folder of a zone's log.
  func isBegun(_ zone: Zone) throws -> Bool {
    do {
      return try !container.store.list(zone.folder.log + "/", after: nil, limit: 1).isEmpty
    } catch {
      throw CloudError(error)
    }
  }

  /// The zones below this person's folder in the container that begin with an entry of theirs and
  /// that weren't found already. All other folders there are rubbish.
  /// - Parameter listed: the zones that were found.
  /// - Returns: the others, each read as far as it can be.
  /// - Throws: `CloudError` if the container can't be read now.
  func unlisted(beside listed: Set<ZoneID>) throws -> [Zone] {
    let names: [String]
    do {
      names = try container.store.folders(in: ObjectKind.person(me) + "/zones/")
    } catch {
      throw CloudError(error)
    }
    return try names.compactMap { name in
      guard let id = ZoneID(hexadecimal: name), !listed.contains(id),
        let zone = try open(id), zone.folder.founder == me
      else { return nil }
      return zone
    }
  }
}
