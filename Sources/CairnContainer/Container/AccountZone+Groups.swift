import CairnIdentity
import CairnReplica
import CairnZone

/// A share that a group has.
struct GroupGrant: Hashable {
  var group: String
  var zone: ZoneID
  var permission: Permission
  /// The end of the members' access in nanoseconds since 1970; nil for none.
  var end: Int64?
}

/// A person who is in a share only because of a group.
struct GrantedPerson: Hashable {
  var group: String
  var zone: ZoneID
  var user: UserID
}

/// Groups of people. Each member is a record of its own: if a device is revoked, the members that
/// it alone has added leave the group, and lose the group's shares.
extension AccountZone {
  private static let groupType = "cairn.group"
  private static let memberType = "cairn.member"
  private static let grantType = "cairn.grant"
  private static let grantedType = "cairn.granted"

  // MARK: Groups and members

  static func groups(in account: Zone) throws -> Set<String> {
    Set(
      try records(groupType, in: account).compactMap { record in
        text(record, "name").flatMap { record.id == recordID("group", Array($0.utf8)) ? $0 : nil }
      })
  }

  static func addGroup(_ name: String, to account: Zone) throws {
    try save(
      recordID("group", Array(name.utf8)), groupType, ["name": .text(name)], in: account)
  }

  static func removeGroup(_ name: String, from account: Zone) throws {
    try delete(recordID("group", Array(name.utf8)), in: account)
  }

  static func members(of group: String, in account: Zone) throws -> Set<UserID> {
    Set(
      try records(memberType, in: account).compactMap { record in
        guard text(record, "group") == group, let user = user(record),
          record.id == memberID(group, user)
        else { return nil }
        return user
      })
  }

  static func addMember(_ user: UserID, of group: String, to account: Zone) throws {
    try save(
      memberID(group, user), memberType, ["group": .text(group), "user": .bytes(user.bytes)],
      in: account)
  }

  static func removeMember(_ user: UserID, of group: String, from account: Zone) throws {
    try delete(memberID(group, user), in: account)
  }

  private static func memberID(_ group: String, _ user: UserID) -> RecordID {
    recordID("member", user.bytes + Array(group.utf8))
  }

  // MARK: Shares of groups

  static func grants(in account: Zone) throws -> [GroupGrant] {
    try records(grantType, in: account).compactMap { record in
      guard let group = text(record, "group"), let zone = zone(record),
        case .integer(let number)? = record.fields["permission"],
        let permission = UInt8(exactly: number).flatMap({ Permission(rawValue: $0) }),
        permission != .none, record.id == grantID(group, zone)
      else { return nil }
      var grant = GroupGrant(group: group, zone: zone, permission: permission)
      if case .integer(let end)? = record.fields["end"], end > 0 { grant.end = end }
      return grant
    }
  }

  static func add(_ grant: GroupGrant, to account: Zone) throws {
    try save(
      grantID(grant.group, grant.zone), grantType,
      [
        "group": .text(grant.group), "zone": .bytes(grant.zone.bytes),
        "permission": .integer(Int64(grant.permission.rawValue)), "end": .integer(grant.end ?? 0),
      ], in: account)
  }

  static func removeGrant(of group: String, to zone: ZoneID, from account: Zone) throws {
    try delete(grantID(group, zone), in: account)
  }

  private static func grantID(_ group: String, _ zone: ZoneID) -> RecordID {
    recordID("grant", zone.bytes + Array(group.utf8))
  }

  static func granted(in account: Zone) throws -> Set<GrantedPerson> {
    Set(
      try records(grantedType, in: account).compactMap { record in
        guard let group = text(record, "group"), let zone = zone(record), let user = user(record)
        else { return nil }
        let person = GrantedPerson(group: group, zone: zone, user: user)
        return record.id == grantedID(person) ? person : nil
      })
  }

  static func add(_ person: GrantedPerson, to account: Zone) throws {
    try save(
      grantedID(person), grantedType,
      [
        "group": .text(person.group), "zone": .bytes(person.zone.bytes),
        "user": .bytes(person.user.bytes),
      ], in: account)
  }

  static func remove(_ person: GrantedPerson, from account: Zone) throws {
    try delete(grantedID(person), in: account)
  }

  private static func grantedID(_ person: GrantedPerson) -> RecordID {
    recordID("granted", person.zone.bytes + person.user.bytes + Array(person.group.utf8))
  }

  // MARK: Fields

  private static func text(_ record: Record, _ name: String) -> String? {
    if case .text(let text)? = record.fields[name] { text } else { nil }
  }

  private static func zone(_ record: Record) -> ZoneID? {
    if case .bytes(let bytes)? = record.fields["zone"] { ZoneID(bytes: bytes) } else { nil }
  }

  private static func user(_ record: Record) -> UserID? {
    if case .bytes(let bytes)? = record.fields["user"] { UserID(bytes: bytes) } else { nil }
  }
}
