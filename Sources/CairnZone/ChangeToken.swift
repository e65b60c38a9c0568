/// A reader's position in a zone's log.
///
/// It names a position and the entry there. So a log that was cut, or restored from an old backup,
/// is noticed, and never read on from the wrong position. It knows no log: its holder asks the log.
public struct ChangeToken: Hashable, Sendable {
  /// The zone.
  public var zone: ZoneID
  /// The key epoch at that position.
  public var epoch: UInt64
  /// The last entry that the reader has seen; 0 for none.
  public var sequence: UInt64
  /// The digest of the stored entry at `sequence`; zeros when `sequence` is 0.
  public var head: Bytes32

  /// Creates a token.
  public init(zone: ZoneID, epoch: UInt64, sequence: UInt64, head: Bytes32) {
    self.zone = zone
    self.epoch = epoch
    self.sequence = sequence
    self.head = head
  }

  /// The value of a token for its reader.
  public enum Standing: Hashable, Sendable, CaseIterable {
    /// Nothing happened since.
    case current
    /// Reading from `sequence + 1` on leads to the head.
    case behind
    /// CloudKit's `changeTokenExpired`: the reader must compare its state with the whole zone.
    case expired
  }

  /// Compares the token with a zone whose log is replayed up to `header`.
  ///
  /// - Parameters:
  ///   - header: The header of the replayed zone.
  ///   - entry: The digest of the current entry at the token's `sequence`, or nil if it is unknown.
  ///     It is evaluated only if the token is neither at the head nor at 0.
  /// - Returns: whether the reader may continue from here.
  public func standing(
    against header: ZoneHeader, entry: (UInt64) throws -> Bytes32?
  ) rethrows -> Standing {
    guard zone == header.zone, epoch <= header.epoch, sequence >= header.floor?.checkpoint ?? 0,
      sequence <= header.sequence
    else { return .expired }
    if sequence == header.sequence { return head == header.head ? .current : .expired }
    if sequence == 0 { return head == .zero ? .behind : .expired }
    return try entry(sequence) == head ? .behind : .expired
  }
}

extension ZoneHeader {
  /// The token of a reader that has seen everything up to this header.
  public var token: ChangeToken {
    ChangeToken(zone: zone, epoch: epoch, sequence: sequence, head: head)
  }
}
