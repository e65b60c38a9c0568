public import CairnZone

/// An invitation that waits in this person's inbox (CKShare.Metadata).
public struct PendingInvitation: Hashable, Sendable {
  /// The invitation's id, in hexadecimal.
  public var id: String
  /// The zone that is shared.
  public var zone: ZoneID
  /// The zone's owner.
  public var owner: UserID
  /// Who invites.
  public var inviter: UserID
  /// The share's title when the invitation was written.
  public var title: String
  /// What the invited person may do.
  public var permission: Permission
  /// The inviter's clock, in nanoseconds since 1970.
  public var time: Int64
}
