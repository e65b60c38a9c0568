import CairnZone
import FoundationEssentials
import SwiftProtobuf

/// What holds for a zone as a whole, as the index keeps it in one column.
extension IndexRow {
  static func encodeFacts(_ header: ZoneHeader) throws -> [UInt8] {
    var wire = IndexZoneFacts()
    wire.kind = UInt32(header.kind.rawValue)
    if let owner = header.owner { wire.owner = Data(owner.bytes) }
    if let share = header.share { wire.share = encode(share) }
    if let quota = header.quota { wire.quota = quota }
    wire.bytes = header.bytes
    wire.revoked = header.revokedDevices.map { author in
      var entry = IndexAuthor()
      entry.user = Data(author.user.bytes)
      entry.device = Data(author.device.bytes)
      return entry
    }
    wire.rekeyDue = header.isRekeyDue
    wire.purged = header.isPurged
    wire.keys = header.keys.map { user, key in
      var entry = IndexMemberKey()
      entry.user = Data(user.bytes)
      entry.key = Data(key.bytes)
      return entry
    }
    wire.minimumVersion = header.minimumVersion
    return try wire.serializedBytes()
  }

  static func take(_ facts: [UInt8], into header: inout ZoneHeader) throws {
    let wire = try IndexZoneFacts(serializedBytes: facts)
    guard let kind = ZoneKind(rawValue: UInt8(truncatingIfNeeded: wire.kind)) else {
      throw damaged("kind of a zone")
    }
    header.kind = kind
    header.owner = UserID(bytes: wire.owner)
    if wire.hasShare { header.share = try share(wire.share) }
    if wire.hasQuota { header.quota = wire.quota }
    header.bytes = wire.bytes
    for entry in wire.revoked {
      guard let user = UserID(bytes: entry.user), let device = DeviceID(bytes: entry.device) else {
        throw damaged("revoked device")
      }
      header.revokedDevices.insert(Author(user: user, device: device))
    }
    header.isRekeyDue = wire.rekeyDue
    header.isPurged = wire.purged
    for entry in wire.keys {
      guard let user = UserID(bytes: entry.user), let key = Bytes32(entry.key) else {
        throw damaged("member's key")
      }
      header.keys[user] = key
    }
    header.minimumVersion = wire.minimumVersion
  }

  private static func encode(_ share: Share) -> IndexShare {
    var wire = IndexShare()
    wire.owner = Data(share.owner.bytes)
    wire.title = share.title
    wire.publicPermission = UInt32(share.publicPermission.rawValue)
    wire.changed.sequence = share.changed.sequence
    wire.changed.user = Data(share.changed.user.bytes)
    wire.changed.device = Data(share.changed.device.bytes)
    wire.changed.time = share.changed.time
    wire.participants = share.participants.values.map { participant in
      var entry = IndexParticipant()
      entry.user = Data(participant.user.bytes)
      entry.role = UInt32(participant.role.rawValue)
      entry.permission = UInt32(participant.permission.rawValue)
      entry.acceptance = UInt32(participant.acceptance.rawValue)
      return entry
    }
    wire.links = share.links.values.map { link in
      var entry = IndexLink()
      entry.id = Data(link.id.bytes)
      entry.boxKey = Data(link.boxKey.bytes)
      entry.oneTime = link.isOneTime
      entry.permission = UInt32(link.permission.rawValue)
      if let expires = link.expires { entry.expires = expires }
      return entry
    }
    wire.allowsAccessRequests = share.allowsAccessRequests
    wire.policyAccess = UInt32(share.policy.access.rawValue)
    wire.policyPermission = UInt32(share.policy.permission?.rawValue ?? 0)
    wire.participantsInvite = share.policy.allowsParticipantsToInvite
    wire.blocked = share.blocked.map { Data($0.bytes) }
    return wire
  }

  private static func share(_ wire: IndexShare) throws -> Share {
    guard let owner = UserID(bytes: wire.owner), let user = UserID(bytes: wire.changed.user),
      let device = DeviceID(bytes: wire.changed.device)
    else { throw damaged("share") }
    var share = Share(
      owner: owner, title: wire.title, publicPermission: try permission(wire.publicPermission),
      allowsAccessRequests: wire.allowsAccessRequests,
      changed: Stamp(
        sequence: wire.changed.sequence, user: user, device: device, time: wire.changed.time))
    for entry in wire.participants {
      guard let user = UserID(bytes: entry.user),
        let role = Role(rawValue: UInt8(truncatingIfNeeded: entry.role)),
        let acceptance = Acceptance(rawValue: UInt8(truncatingIfNeeded: entry.acceptance))
      else { throw damaged("participant") }
      share.participants[user] = Participant(
        user: user, role: role, permission: try permission(entry.permission),
        acceptance: acceptance)
    }
    for entry in wire.links {
      guard let id = LinkID(bytes: entry.id), let boxKey = Bytes32(entry.boxKey) else {
        throw damaged("link")
      }
      share.links[id] = Link(
        id: id, boxKey: boxKey, isOneTime: entry.oneTime,
        permission: try permission(entry.permission),
        expires: entry.hasExpires ? entry.expires : nil)
    }
    guard let access = SharePolicy.Access(rawValue: UInt8(truncatingIfNeeded: wire.policyAccess))
    else { throw damaged("policy") }
    share.policy = SharePolicy(
      access: access,
      permission: Permission(rawValue: UInt8(truncatingIfNeeded: wire.policyPermission)),
      allowsParticipantsToInvite: wire.participantsInvite)
    for bytes in wire.blocked {
      guard let user = UserID(bytes: bytes) else { throw damaged("blocked person") }
      share.blocked.insert(user)
    }
    return share
  }

  private static func permission(_ value: UInt32) throws -> Permission {
    guard let permission = Permission(rawValue: UInt8(truncatingIfNeeded: value)) else {
      throw damaged("permission")
    }
    return permission
  }
}
