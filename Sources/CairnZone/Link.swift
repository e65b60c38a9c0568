/// A link of a share, as the log has it: who holds its secret may take part. The secret itself is
/// in nobody's log.
public struct Link: Hashable, Sendable {
  /// The public key that a claim is signed with.
  public var id: LinkID
  /// The public key to which the keys of later epochs are sealed, while the link lives.
  public var boxKey: Bytes32
  /// For one person, the first in the log; otherwise for anyone who has it.
  public var isOneTime: Bool
  /// What the claimer of a one-time link may do. Whoever comes by a link for anyone may do what
  /// the share's public permission says.
  public var permission: Permission
  /// Claims whose commit is dated later, in nanoseconds since 1970, have no effect; nil: never.
  public var expires: Int64?
  /// The first epoch whose key lies behind the link; 0: each.
  public var firstEpoch: UInt64

  /// Joins all parts.
  public init(
    id: LinkID, boxKey: Bytes32, isOneTime: Bool, permission: Permission, expires: Int64? = nil,
    firstEpoch: UInt64 = 0
  ) {
    self.id = id
    self.boxKey = boxKey
    self.isOneTime = isOneTime
    self.permission = permission
    self.expires = expires
    self.firstEpoch = firstEpoch
  }
}
