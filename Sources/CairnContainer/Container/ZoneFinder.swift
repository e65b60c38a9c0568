import CairnIdentity
import CairnIndex
import CairnReplica
import CairnStore
import CairnZone
import Synchronization

/// Finds zones of this person that the account doesn't list, or lists incorrectly. Any device of
/// the person can write the account's records, so a record is only a claim. The index of this
/// device, or else the log of the zone, proves the founder and the keys.
///
/// It uses these parts of the container: `account`, `accountPast`, `accountZone`, `close`, `erase`,
/// `indexes`, `open`, `store`, `zone`.
struct ZoneFinder {
  let container: Container

  init(_ container: Container) { self.container = container }

  private var me: UserID { container.account.user }

  /// Returns the proven facts about a zone from its replay on this device; nil if it was never
  /// replayed here. The database `scope` is searched first.
  func indexed(_ id: ZoneID, first scope: DatabaseScope = .private) throws -> AccountZone.Entry? {
    for scope in scope == .shared ? [DatabaseScope.shared, .private] : [.private, .shared] {
      guard let index = container.indexes[scope] else { continue }
      let found = try index.read { db -> AccountZone.Entry? in
        let zone = try IndexedZone(reading: db, zone: id)
        guard let founder = zone.header.genesis?.owner else { return nil }
        return AccountZone.Entry(
          zone: id, founder: founder, owner: zone.header.owner ?? founder, scope: scope,
          keys: try zone.log.keys())
      }
      if let found { return found }
    }
    return nil
  }

  /// Returns the claims in all versions of a zone's record, by any author, the newest first.
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

  /// Opens the zone with this device's knowledge, or with the first claim that its log confirms.
  /// - Returns: The zone; nil if nothing opens it.
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

  /// Reads the readable part of a zone. An entry that blocks its log, or is missing, is the zone's
  /// trouble and is no error here.
  /// - Throws: `CloudError` if the container can't be read now.
  func pull(_ zone: Zone) throws {
    do { try zone.pull() } catch let error as CloudError {
      guard zone.trouble != nil || !error.isWorthRetrying else { throw error }
    }
  }

  /// Returns whether the account's records have named different founders or keys for a zone. Then
  /// the claim in the current record has to be tried.
  func isDisputed(_ id: ZoneID) throws -> Bool { try claims(of: id).count > 1 }

  /// Returns whether there is any object in the folder of a zone's log.
  func isBegun(_ zone: Zone) throws -> Bool {
    do {
      return try !container.store.list(zone.folder.log + "/", after: nil, limit: 1).isEmpty
    } catch {
      throw CloudError(error)
    }
  }

  /// Returns the zones in this person's folder of the container that begin with an entry of this
  /// person, except those that were found already. All other folders there are garbage.
  /// - Parameter listed: The zones that were found.
  /// - Returns: The others, each read as far as possible.
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
