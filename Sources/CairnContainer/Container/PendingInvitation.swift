public import CairnZone

/// An invitation in this person's inbox (CKShare.Metadata).
public struct PendingInvitation: Hashable, Sendable {
  /// The invitation's id, in hexadecimal.
  public var id: String
  /// The shared zone.
  public var zone: ZoneID
  /// The zone's owner.
  public var owner: UserID
  /// The inviter.
  public var inviter: UserID
  /// The share's title at that time.
  public var title: String
  /// The invited person's permission.
  public var permission: Permission
  /// The inviter's clock, in nanoseconds since 1970.
  public var time: Int64
}
