import CairnIdentity
import CairnReplica
import CairnStore
import CairnZone

/// Reverts the changes of this person's revoked devices to the account. Each record that one of
/// them changed or deleted last becomes what the other devices had made of it. A record that no
/// other device ever wrote is deleted, unless the log of a zone confirms it. The account's own log
/// must contain the revocation before: otherwise the devices could write again meanwhile.
///
/// It uses these parts of the container: `account`, `accountPast`, `accountZone`, `isLive`,
/// `store`.
struct AccountRestoration {
  let container: Container
  let revoked: Set<DeviceID>

  private typealias Fields = [String: FieldValue]
  private var account: Zone { container.accountZone }

  /// Writes the records, in one commit. A second run changes nothing.
  /// - Throws: `CloudError` if a zone or the account can't be read or written now.
  func run() throws {
    let past = try container.accountPast()
    let touched = past.records(touchedBy: revoked).filter { isTheirs($0, past) }
    guard !touched.isEmpty else { return }
    var wanted: [RecordID: Fields?] = [:]
    // The zones come first: records about a zone that doesn't exist aren't needed.
    var zones = Set(try AccountZone.claims(in: account).map(\.zone))
    for id in touched where past.type(of: id) == AccountZone.zoneType {
      let fields = try zone(id, past)
      wanted[id] = fields
      if let zone = fields.flatMap({ AccountZone.Claim($0)?.zone }) { zones.insert(zone) }
    }
    for id in touched where past.type(of: id) != AccountZone.zoneType {
      wanted[id] = try fields(of: id, zones, past)
    }
    try account.save {
      let past = try container.accountPast()
      return try account.read { view in
        try touched.filter { isTheirs($0, past) }.compactMap { id in
          Self.change(of: try view.record(id), id, past.type(of: id), to: wanted[id] ?? nil)
        }
      }
    }
  }

  /// Returns whether a revoked device wrote the last version of a record.
  private func isTheirs(_ id: RecordID, _ past: AccountPast) -> Bool {
    past.versions(of: id).last.map { revoked.contains($0.device) } ?? false
  }

  private static func change(
    of record: Record?, _ id: RecordID, _ type: String, to wanted: Fields?
  ) -> RecordChange? {
    guard let wanted else { return record.map { _ in RecordChange(id: id, act: .delete) } }
    guard let record else {
      return RecordChange(id: id, act: .create(.typed(type)), fields: wanted.mapValues { $0 })
    }
    // The record is written even if its fields are equal: then its author is another device.
    var fields: [String: FieldValue?] = wanted.mapValues { $0 }
    for name in record.fields.keys where wanted[name] == nil { fields[name] = .some(nil) }
    return RecordChange(id: id, act: .update, fields: fields)
  }

  // MARK: What a record has to say

  /// Returns the record of a zone, as the zone's log confirms it; nil if the zone isn't to be
  /// listed.
  private func zone(_ id: RecordID, _ past: AccountPast) throws -> Fields? {
    let honest = past.last(of: id, without: revoked)
    // A device forgets a zone only after it has read that the zone is over.
    if let honest, honest.fields == nil { return nil }
    let claims = past.versions(of: id).compactMap { $0.fields.flatMap { AccountZone.Claim($0) } }
    let named = Set(claims.map(\.zone)).filter { AccountZone.zoneEntryID($0) == id }
    guard let zone = named.first else { return nil }
    guard let found = try ZoneFinder(container).open(zone) else { return honest?.fields }
    try ZoneFinder(container).pull(found)
    // If the log is in trouble, nobody knows whether it says that the zone is over.
    guard found.trouble != nil || container.isLive(found) else { return nil }
    let owner = found.header.owner ?? found.folder.founder
    return AccountZone.fields(
      of: AccountZone.Entry(
        zone: zone, founder: found.folder.founder, owner: owner,
        scope: owner == container.account.user ? .private : .shared, keys: found.keyring())
    ).compactMapValues { $0 }
  }

  private func fields(
    of id: RecordID, _ zones: Set<ZoneID>, _ past: AccountPast
  ) throws -> Fields? {
    let honest = past.last(of: id, without: revoked)
    switch AccountZone.Kind(past.type(of: id)) {
    case .mount:
      guard let fields = honest?.fields, let mount = AccountZone.mount(record: id, fields),
        !revoked.contains(mount.device), zones.contains(mount.zone) || mount.author != nil
      else { return nil }
      return fields
    case .nesting:
      if let honest, honest.fields == nil { return nil }
      let theirs = past.versions(of: id).reversed().compactMap(\.fields)
      return try ([honest?.fields].compactMap { $0 } + theirs).first { try isStanding($0, id) }
    case .given:
      let last = past.versions(of: id).compactMap(\.fields).last
      guard let zone = last.flatMap({ AccountZone.given($0) }) else { return nil }
      return try honest?.fields ?? (isFoundedOrListed(zone, zones) ? last : nil)
    case .person:
      return person(honest?.fields, past.versions(of: id).compactMap(\.fields))
    case .code: return nil
    case nil: return honest?.fields
    }
  }

  /// Returns whether the outer zone has the reference of a nesting.
  private func isStanding(_ fields: Fields, _ id: RecordID) throws -> Bool {
    guard let nesting = AccountZone.nesting(record: id, fields),
      let outer = try ZoneFinder(container).open(nesting.outer)
    else { return false }
    try ZoneFinder(container).pull(outer)
    return try outer.read { try $0.record(nesting.reference)?.target } == nesting.part.bytes
  }

  /// Returns whether a zone that this person handed on may need packs of this person.
  private func isFoundedOrListed(_ zone: ZoneID, _ zones: Set<ZoneID>) throws -> Bool {
    guard !zones.contains(zone) else { return true }
    let folder = ZoneFolder(zone: zone, founder: container.account.user)
    do {
      return try !container.store.list(folder.log + "/", after: nil, limit: 1).isEmpty
    } catch {
      throw CloudError(error)
    }
  }

  /// Returns the known facts about a person. If only a revoked device marked the person as
  /// verified, they have to be verified again.
  private func person(_ honest: Fields?, _ versions: [Fields]) -> Fields? {
    guard var fields = honest ?? versions.last else { return nil }
    let isVerified = fields["verified"] == .integer(1)
    let wasVerified = versions.contains { $0["verified"] == .integer(1) }
    if honest == nil || !isVerified, wasVerified {
      fields["verified"] = .integer(SeenPerson.doubted)
    }
    return fields
  }
}

extension AccountZone {
  /// The types of records whose restoration depends on more than their authors.
  fileprivate enum Kind {
    case mount, nesting, given, person, code

    init?(_ type: String) {
      switch type {
      case mountType: self = .mount
      case nestingType: self = .nesting
      case givenType: self = .given
      case personType: self = .person
      case codeType: self = .code
      default: return nil
      }
    }
  }
}

extension Container {
  /// Returns whether this person is the owner or a participant of the zone, by the entries read so
  /// far.
  func isLive(_ zone: Zone) -> Bool {
    let header = zone.header
    guard header.genesis != nil, !header.isPurged else { return false }
    return header.owner == account.user
      || header.share?.participants[account.user]?.acceptance == .accepted
  }
}
