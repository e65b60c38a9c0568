import CairnIdentity
import CairnWire
import CairnZone
import FoundationEssentials

// The conversion of share changes to their stored form and back. Replay decides about their
// meaning.

private func damaged(_ why: String) -> FormatError { FormatError("commit", why) }

extension WireShareChange {
  init(_ change: ShareChange) {
    self.init()
    self.change =
      switch change {
      case .title(let title): .title(title)
      case .invite(let user, let permission, let first):
        .invite(WireShareInvitation(user, permission, first))
      case .accept: .accept(true)
      case .remove(let user): .remove(.init(user.bytes))
      case .stop: .stop(true)
      case .setPermission(let user, let permission):
        .permission(WireShareInvitation(user, permission))
      case .setRole(let user, let role): .role(WireShareRole(user, role))
      case .setPublic(let permission): .publicPermission(UInt32(permission.rawValue))
      case .addLink(let link): .link(WireShareLink(link))
      case .removeLink(let id): .removeLink(.init(id.bytes))
      case .claim(let link, let proof): .claim(WireShareClaim(link, proof))
      case .setAccessRequests(let isAllowed): .accessRequests(isAllowed ? 2 : 1)
      case .block(let user): .block(.init(user.bytes))
      case .unblock(let user): .unblock(.init(user.bytes))
      case .setPolicy(let policy): .policy(WireSharePolicy(policy))
      case .zone(let change): Self.wire(change)
      }
  }

  func shareChange() throws(FormatError) -> ShareChange {
    switch change {
    case .title(let title)?: return .title(title)
    case .invite(let invitation)?:
      let (user, permission) = try invitation.parts()
      return .invite(user: user, permission: permission, firstEpoch: invitation.firstEpoch)
    case .accept(true)?: return .accept
    case .stop(true)?: return .stop
    case .remove(let user)?: return .remove(user: try person(user))
    case .permission(let invitation)?:
      let (user, permission) = try invitation.parts()
      return .setPermission(user: user, permission: permission)
    case .role(let role)?:
      guard let value = UInt8(exactly: role.role).flatMap(Role.init(rawValue:)) else {
        throw damaged("a role is none")
      }
      return .setRole(user: try person(role.user), role: value)
    case .publicPermission(let value)?: return .setPublic(try granted(value))
    case .link(let link)?: return .addLink(try link.link())
    case .claim(let claim)?:
      guard let id = LinkID(bytes: claim.link) else { throw damaged("a claim has no link") }
      return .claim(link: id, proof: Array(claim.proof))
    case .accessRequests(1)?: return .setAccessRequests(false)
    case .accessRequests(2)?: return .setAccessRequests(true)
    case .block(let user)?: return .block(user: try person(user))
    case .unblock(let user)?: return .unblock(user: try person(user))
    case .policy(let policy)?: return .setPolicy(try policy.policy())
    case .removeLink(let id)?:
      guard let id = LinkID(bytes: id) else { throw damaged("a link has no id") }
      return .removeLink(id)
    case .accept(false)?, .stop(false)?, .accessRequests?, nil:
      throw damaged("a change of the share doesn't say what changes")
    case let change?: return .zone(try Self.zoneWideChange(change))
    }
  }
}

private func person(_ bytes: Data) throws(FormatError) -> UserID {
  guard let user = UserID(bytes: bytes) else { throw damaged("a person has no id") }
  return user
}

private func granted(_ value: UInt32) throws(FormatError) -> Permission {
  guard let permission = UInt8(exactly: value).flatMap(Permission.init(rawValue:)) else {
    throw damaged("a permission is none")
  }
  return permission
}

extension WireShareInvitation {
  fileprivate init(_ user: UserID, _ permission: Permission, _ firstEpoch: UInt64 = 0) {
    self.init()
    self.user = .init(user.bytes)
    self.permission = UInt32(permission.rawValue)
    self.firstEpoch = firstEpoch
  }

  fileprivate func parts() throws(FormatError) -> (UserID, Permission) {
    (try person(user), try granted(permission))
  }
}

extension WireShareRole {
  fileprivate init(_ user: UserID, _ role: Role) {
    self.init()
    self.user = .init(user.bytes)
    self.role = UInt32(role.rawValue)
  }
}

extension WireShareLink {
  init(_ link: Link) {
    self.init()
    id = .init(link.id.bytes)
    boxKey = .init(link.boxKey.bytes)
    oneTime = link.isOneTime
    permission = UInt32(link.permission.rawValue)
    if let expires = link.expires { self.expires = expires }
    firstEpoch = link.firstEpoch
  }

  func link() throws(FormatError) -> Link {
    guard let id = LinkID(bytes: id), let boxKey = Bytes32(boxKey) else {
      throw damaged("a link has no key")
    }
    return Link(
      id: id, boxKey: boxKey, isOneTime: oneTime,
      permission: try granted(permission), expires: hasExpires ? expires : nil,
      firstEpoch: firstEpoch)
  }
}

extension WireShareClaim {
  fileprivate init(_ link: LinkID, _ proof: [UInt8]) {
    self.init()
    self.link = .init(link.bytes)
    self.proof = .init(proof)
  }
}

extension WireSharePolicy {
  init(_ policy: SharePolicy) {
    self.init()
    access = UInt32(policy.access.rawValue)
    permission = UInt32(policy.permission?.rawValue ?? 0)
    participantsInvite = policy.allowsParticipantsToInvite
  }

  func policy() throws(FormatError) -> SharePolicy {
    guard let access = UInt8(exactly: access).flatMap(SharePolicy.Access.init(rawValue:)) else {
      throw damaged("a policy is none")
    }
    return SharePolicy(
      access: access, permission: permission == 0 ? nil : try granted(permission),
      allowsParticipantsToInvite: participantsInvite)
  }
}
