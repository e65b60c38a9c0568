/// An anchor: the position and digest of the log as the inviter saw it. The invitee's log must
/// contain it.
public struct LogAnchor: Hashable, Sendable {
  /// The position.
  public var sequence: UInt64
  /// The digest of the entry there.
  public var digest: Bytes32

  /// Creates an anchor.
  public init(sequence: UInt64, digest: Bytes32) {
    self.sequence = sequence
    self.digest = digest
  }
}
