/// What can be done about the log of a zone that isn't what was read here before.
///
/// 1. What this device keeps is put back as it was: the very same bytes at the very same places. So
///    no sequence number is used twice, and nothing has to be written anew.
/// 2. Where somebody wrote other entries meanwhile, or what is missing isn't kept any more, the log
///    in the container decides, as it always does. What this device has beyond the last common
///    entry comes as new changes, under a new epoch: so one epoch and sequence never name two
///    entries.
public struct LogRepair: Hashable, Sendable {
  /// What is wrong; nil if it is the middle of the log only, or nothing.
  public var trouble: LogTrouble?
  /// The places whose entries are put back as they were.
  public var kept: [UInt64] = []
  /// The places whose entries are gone, and aren't kept here.
  public var lost: [UInt64] = []
  /// Whether the container's history is gone on with.
  public var follows: Bool
  /// What holds the next place and is no entry of anybody's, or one that nobody here can read: it
  /// is taken away.
  public var held: LogTrouble?

  /// Whether there is nothing to do.
  public var isEmpty: Bool { kept.isEmpty && lost.isEmpty && !follows && held == nil }
}
