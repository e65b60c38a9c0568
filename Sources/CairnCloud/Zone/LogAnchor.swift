public import CairnZone

/// A place of a log and the digest of the entry there, as somebody who had read it says: whoever
/// they let in must come by the same.
public struct LogAnchor: Hashable, Sendable {
  /// The place.
  public var sequence: UInt64
  /// The digest of the entry there.
  public var digest: Bytes32

  /// Joins the two.
  public init(sequence: UInt64, digest: Bytes32) {
    self.sequence = sequence
    self.digest = digest
  }
}
