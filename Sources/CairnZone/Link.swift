/// A link of a share, as in the log: the holder of its secret may join. The secret itself is in no
/// log.
public struct Link: Hashable, Sendable {
  /// The public key that verifies claims.
  public var id: LinkID
  /// The public key to which the keys of later epochs are sealed while the link is valid.
  public var boxKey: Bytes32
  /// A Boolean value that indicates whether the link admits one person, the first in the log;
  /// otherwise it admits anyone.
  public var isOneTime: Bool
  /// The permission from a one-time link. A link for anyone gives the share's public permission.
  public var permission: Permission
  /// The time in nanoseconds since 1970 after which claims have no effect, by the date of their
  /// commit; nil: never.
  public var expires: Int64?
  /// The first epoch whose key is behind the link; 0: all epochs.
  public var firstEpoch: UInt64

  /// Creates a link.
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
