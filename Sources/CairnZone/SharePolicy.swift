/// The ways of sharing that the owner of a zone allows (CKAllowedSharingOptions). It is part of the
/// share, so everybody refuses forbidden changes. Earlier grants stay.
public struct SharePolicy: Hashable, Sendable {
  /// The people that a share may admit.
  public enum Access: UInt8, Hashable, Sendable, CaseIterable {
    /// Named people, or anyone with the link.
    case any = 1
    /// Anyone with the link only.
    case anyone = 2
    /// Named people only.
    case named = 3
  }

  /// The people that the share may admit.
  public var access: Access
  /// The only permission that may be given; nil: either.
  public var permission: Permission?
  /// A Boolean value that indicates whether accepted participants may invite, with at most their
  /// own permission.
  public var allowsParticipantsToInvite: Bool

  /// Creates a policy.
  public init(
    access: Access = .any, permission: Permission? = nil, allowsParticipantsToInvite: Bool = false
  ) {
    self.access = access
    self.permission = permission
    self.allowsParticipantsToInvite = allowsParticipantsToInvite
  }

  /// The default policy: everything except invitations by participants.
  public static let standard = SharePolicy()

  /// Returns whether that permission may be given.
  public func allows(_ permission: Permission) -> Bool {
    self.permission == nil || self.permission == permission
  }
}
