/// The role of a participant in a share (CKShare.ParticipantRole).
public enum Role: UInt8, Hashable, Sendable, CaseIterable {
  /// The owner of the zone; exactly one.
  case owner = 1
  /// A participant who can add and remove participants and change permissions.
  case administrator = 2
  /// A participant who was invited by name.
  case privateUser = 3
  /// A participant who joined by a link for anyone.
  case publicUser = 4
}

/// The permission of a participant (CKShare.ParticipantPermission).
public enum Permission: UInt8, Hashable, Sendable, CaseIterable {
  /// No access; only as the public permission of a share.
  case none = 1
  /// Can view.
  case readOnly = 2
  /// Can edit records.
  case readWrite = 3
}

/// The status of an invitation (CKShare.ParticipantAcceptanceStatus).
public enum Acceptance: UInt8, Hashable, Sendable, CaseIterable {
  /// Invited, and not accepted yet.
  case pending = 2
  /// Accepted.
  case accepted = 3
}

/// A person in a share.
public struct Participant: Hashable, Sendable {
  /// The person.
  public var user: UserID
  /// The role.
  public var role: Role
  /// The permission.
  public var permission: Permission
  /// The acceptance status.
  public var acceptance: Acceptance
  /// The first epoch whose key the person has; 0: all epochs. Earlier history is unreadable for
  /// them.
  public var firstEpoch: UInt64

  /// Creates a participant.
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

/// The share of a zone: its participants and settings (CKShare). The owner is not in the list of
/// participants; `Share.participant(_:)` also works for the owner.
public struct Share: Hashable, Sendable {
  /// The zone's owner.
  public var owner: UserID
  /// The title that invitations show.
  public var title: String
  /// The permission of anyone with the link.
  public var publicPermission: Permission
  /// Everybody except the owner, by user id.
  public var participants: [UserID: Participant]
  /// The links that admit people, by id.
  public var links: [LinkID: Link]
  /// A Boolean value that indicates whether people without an invitation may request access.
  public var allowsAccessRequests: Bool
  /// The people who may neither request access nor participate.
  public var blocked: Set<UserID>
  /// The ways of sharing that the owner allows.
  public var policy: SharePolicy
  /// The participant with the owner's offer of the zone; nil without one. An offer ends with the
  /// participation.
  public var offered: UserID?
  /// The people who may take the zone over without the owner's help, and their claims; nil if
  /// nobody may.
  public var succession: Succession?
  /// The commit that created or last changed the share.
  public var changed: Stamp

  /// Creates a share.
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
