/// A history cutoff by the owner. Its entry raised the epoch, and every chunk without a record left
/// the zone. So a person with only the keys of later epochs finds the contents at that time and
/// later changes, but no history.
public struct ClosedPast: Hashable, Sendable {
  /// The position of its entry.
  public var sequence: UInt64
  /// The epoch that ended with it. Older history is sealed under its key, or earlier ones.
  public var epoch: UInt64

  /// The maximum number of cutoffs in a zone.
  public static let most = 256

  /// Creates a cutoff.
  public init(sequence: UInt64, epoch: UInt64) {
    self.sequence = sequence
    self.epoch = epoch
  }
}

/// The positions of a log that concern its history.
public struct PastMarks: Hashable, Sendable {
  /// The positions after the log start at which all readers note a digest of the state, ascending.
  public var checkpoints: [UInt64] = []
  /// The history cutoffs, by position.
  public var closings: [ClosedPast] = []

  /// Creates marks without positions.
  public init() {}
}

extension ZoneHeader {
  /// The positions after the log start at which all readers note a digest of the state, ascending.
  public var checkpoints: [UInt64] {
    get { marks.checkpoints }
    set { marks.checkpoints = newValue }
  }

  /// The history cutoffs, by position.
  public var closings: [ClosedPast] {
    get { marks.closings }
    set { marks.closings = newValue }
  }

  /// Returns the history cutoff for a person with the keys from that epoch on; nil for a person who
  /// sees everything, whose first epoch is 0.
  public func closing(before firstEpoch: UInt64) -> ClosedPast? {
    firstEpoch == 0 ? nil : closings.first { $0.epoch == firstEpoch - 1 }
  }

  /// Returns the first epoch whose key a member has; 0: all epochs.
  public func firstEpoch(of user: UserID) -> UInt64 {
    user == owner ? 0 : share?.participants[user]?.firstEpoch ?? 0
  }
}
