/// What a participant may do in a share (CKShare.ParticipantRole).
public enum Role: UInt8, Hashable, Sendable, CaseIterable {
  /// The person who owns the zone; exactly one.
  case owner = 1
  /// May add and remove participants and change permissions.
  case administrator = 2
  /// Invited by name.
  case privateUser = 3
  /// Joined by a link for anyone.
  case publicUser = 4
}

/// Whether a participant may write (CKShare.ParticipantPermission).
public enum Permission: UInt8, Hashable, Sendable, CaseIterable {
  /// No access; only as the public permission of a share.
  case none = 1
  /// May read.
  case readOnly = 2
  /// May read and change records.
  case readWrite = 3
}

/// How far an invitation has come (CKShare.ParticipantAcceptanceStatus).
public enum Acceptance: UInt8, Hashable, Sendable, CaseIterable {
  /// Invited, not yet accepted.
  case pending = 2
  /// Takes part.
  case accepted = 3
}

/// A person in a share.
public struct Participant: Hashable, Sendable {
  /// Who.
  public var user: UserID
  /// In which role.
  public var role: Role
  /// With which permission.
  public var permission: Permission
  /// How far the invitation has come.
  public var acceptance: Acceptance
  /// The first epoch whose key the person has; 0: of each. What ended before they can't read.
  public var firstEpoch: UInt64

  /// Joins all parts.
  public init(
    user: UserID, role: Role, permission: Permission, acceptance: Acceptance, firstEpoch: UInt64 = 0
  ) {
    self.user = user
    self.role = role
    self.permission = permission
    self.acceptance = acceptance
    self.firstEpoch = firstEpoch
  }
}

/// The share of a zone: who takes part, and how (CKShare). The owner isn't listed among the
/// participants; `Share.participant(_:)` answers for the owner too.
public struct Share: Hashable, Sendable {
  /// The zone's owner.
  public var owner: UserID
  /// The title that invitations show.
  public var title: String
  /// What anybody with the link may do.
  public var publicPermission: Permission
  /// Everybody but the owner, by user id.
  public var participants: [UserID: Participant]
  /// The links that let somebody in by themselves, by their ids.
  public var links: [LinkID: Link]
  /// Whether somebody who isn't invited may ask for access.
  public var allowsAccessRequests: Bool
  /// Who may neither ask nor take part.
  public var blocked: Set<UserID>
  /// Which ways of sharing the owner allows.
  public var policy: SharePolicy
  /// The commit that made the share, or changed it last.
  public var changed: Stamp

  /// Joins all parts.
  public init(
    owner: UserID, title: String, publicPermission: Permission = .none,
    participants: [UserID: Participant] = [:], links: [LinkID: Link] = [:],
    allowsAccessRequests: Bool = false, blocked: Set<UserID> = [],
    policy: SharePolicy = .standard, changed: Stamp
  ) {
    self.owner = owner
    self.title = title
    self.publicPermission = publicPermission
    self.participants = participants
    self.links = links
    self.allowsAccessRequests = allowsAccessRequests
    self.blocked = blocked
    self.policy = policy
    self.changed = changed
  }
}
