/// What a participant may do in a share (CKShare.ParticipantRole; CLOUDKIT.md §2.4).
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

  /// Joins the four.
  public init(user: UserID, role: Role, permission: Permission, acceptance: Acceptance) {
    self.user = user
    self.role = role
    self.permission = permission
    self.acceptance = acceptance
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
  /// The commit that made the share, or changed it last.
  public var changed: Stamp

  /// Joins all parts.
  public init(
    owner: UserID, title: String, publicPermission: Permission = .none,
    participants: [UserID: Participant] = [:], changed: Stamp
  ) {
    self.owner = owner
    self.title = title
    self.publicPermission = publicPermission
    self.participants = participants
    self.changed = changed
  }
}

/// One change to the share of a zone. Each has a rule about who may make it.
public enum ShareChange: Hashable, Sendable {
  /// The owner starts sharing the zone, or gives the share another title.
  case title(String)
  /// Owner or administrator: invites a person, or changes the permission of one who is in already.
  case invite(user: UserID, permission: Permission)
  /// The invited person takes part from here on.
  case accept
  /// Owner or administrator: the person is out. A participant: leaves by naming themself.
  case remove(user: UserID)
  /// The owner ends the share.
  case stop
}
