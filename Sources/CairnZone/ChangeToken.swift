/// How far a reader has come in a zone's log.
///
/// It names a place and the entry that stood there, so that a log which was cut, or restored from
/// an old backup, is noticed and never read on from the wrong place. It knows no log: whoever holds
/// one asks it.
public struct ChangeToken: Hashable, Sendable {
  /// The zone.
  public var zone: ZoneID
  /// The key epoch at that place.
  public var epoch: UInt64
  /// The last entry that the reader has seen; 0 when it has seen none.
  public var sequence: UInt64
  /// The digest of the stored entry at `sequence`; zeros when `sequence` is 0.
  public var head: Bytes32

  /// Joins the four.
  public init(zone: ZoneID, epoch: UInt64, sequence: UInt64, head: Bytes32) {
    self.zone = zone
    self.epoch = epoch
    self.sequence = sequence
    self.head = head
  }

  /// What a token is worth to its reader.
  public enum Standing: Hashable, Sendable, CaseIterable {
    /// Nothing has happened since.
    case current
    /// Reading on from `sequence + 1` leads to the head.
    case behind
    /// CloudKit's `changeTokenExpired`: the reader must reconcile with the whole state.
    case expired
  }

  /// Compares the token with a zone whose log is folded up to `header`.
  ///
  /// - Parameters:
  ///   - header: the zone as far as it is folded.
  ///   - entry: the digest of the entry that now stands at the token's `sequence`, or nil if it
  ///     isn't known. Only asked for when the token is neither at the head nor at 0.
  /// - Returns: whether the reader may go on from here.
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
