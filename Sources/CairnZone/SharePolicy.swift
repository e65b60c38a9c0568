/// Which ways of sharing the owner of a zone allows (CKAllowedSharingOptions). It is part of the
/// share, so everybody refuses what it forbids; what was granted before stays.
public struct SharePolicy: Hashable, Sendable {
  /// Whom a share may let in.
  public enum Access: UInt8, Hashable, Sendable, CaseIterable {
    /// Named people, or anyone with the link.
    case any = 1
    /// Anyone with the link only.
    case anyone = 2
    /// Named people only.
    case named = 3
  }

  /// Whom the share may let in.
  public var access: Access
  /// The only permission that may be given; nil: either.
  public var permission: Permission?
  /// Whether accepted participants may invite, with no more than their own permission.
  public var allowsParticipantsToInvite: Bool

  /// Joins the three.
  public init(
    access: Access = .any, permission: Permission? = nil, allowsParticipantsToInvite: Bool = false
  ) {
    self.access = access
    self.permission = permission
    self.allowsParticipantsToInvite = allowsParticipantsToInvite
  }

  /// What holds unless the owner says otherwise: all but invitations by participants.
  public static let standard = SharePolicy()

  /// Whether that permission may be given.
  public func allows(_ permission: Permission) -> Bool {
    self.permission == nil || self.permission == permission
  }
}
