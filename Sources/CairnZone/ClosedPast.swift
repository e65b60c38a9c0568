/// That the owner closed a zone's past: with that entry the epoch was raised, and every chunk that
/// no record had any more left the zone. So who is given the keys of later epochs only finds in
/// the zone what was in it then, and what came since.
public struct ClosedPast: Hashable, Sendable {
  /// The place of the entry that did it.
  public var sequence: UInt64
  /// The epoch that ended with it: what ended before is sealed under its key, or earlier ones.
  public var epoch: UInt64

  /// No zone's past is closed more often than that.
  public static let most = 256

  /// Joins the two.
  public init(sequence: UInt64, epoch: UInt64) {
    self.sequence = sequence
    self.epoch = epoch
  }
}

/// The places of a log at which something is said of its past.
public struct PastMarks: Hashable, Sendable {
  /// The checkpoints behind the floor, ascending.
  public var checkpoints: [UInt64] = []
  /// Each time that the owner closed the past, by places.
  public var closings: [ClosedPast] = []

  /// None.
  public init() {}
}

extension ZoneHeader {
  /// The places of the checkpoints behind the floor, ascending.
  public var checkpoints: [UInt64] {
    get { marks.checkpoints }
    set { marks.checkpoints = newValue }
  }

  /// Each time that the owner closed the past, by places.
  public var closings: [ClosedPast] {
    get { marks.closings }
    set { marks.closings = newValue }
  }

  /// The entry with which the past was closed that somebody doesn't see who was given the keys from
  /// that epoch on; nil for who sees all, whose first epoch is 0.
  public func closing(before firstEpoch: UInt64) -> ClosedPast? {
    firstEpoch == 0 ? nil : closings.first { $0.epoch == firstEpoch - 1 }
  }

  /// The first epoch whose key a member has; 0: of each.
  public func firstEpoch(of user: UserID) -> UInt64 {
    user == owner ? 0 : share?.participants[user]?.firstEpoch ?? 0
  }
}
