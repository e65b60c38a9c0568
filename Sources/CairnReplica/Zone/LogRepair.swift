public import CairnZone

/// A repair plan for a zone's log that differs from earlier reads.
///
/// 1. This device's kept entries are put back unchanged: the same bytes at the same positions. So
///    no sequence number is used twice, and nothing is written again.
/// 2. If somebody wrote other entries meanwhile, or missing entries are not kept, the log in the
///    container decides, as always. This device's changes after the last common entry become new
///    changes, under a new epoch: so one epoch and sequence number never name two entries.
public struct LogRepair: Hashable, Sendable {
  /// The trouble; nil if only the middle of the log differs, or nothing does.
  public var trouble: LogTrouble?
  /// The positions whose entries are put back unchanged.
  public var kept: [UInt64] = []
  /// The positions whose entries are missing, and are not kept here.
  public var lost: [UInt64] = []
  /// A Boolean value that indicates whether the container's history is continued.
  public var follows: Bool
  /// The holder of the next position that is no entry, or one that nobody here can read: it is
  /// removed.
  public var held: LogTrouble?

  /// A Boolean value that indicates whether there is nothing to do.
  public var isEmpty: Bool { kept.isEmpty && lost.isEmpty && !follows && held == nil }
}
