/// Decides about deletions in a folder. They go to the zone, or wait until it is known that the
/// folder isn't being removed as a whole. If they are more than half of a mount, they wait for the
/// person's confirmation. The measure is the decrease in the number of files since the beginning.
/// New files make up for deleted ones; otherwise everyday work would add up to an accident. Files
/// in a directory that churns (`Churn`) don't count. A value: it knows no files and no clock, and
/// gets both as arguments. Times are nanoseconds of any clock that never goes back.
public struct DeletionBrake: Hashable, Sendable {
  /// The decision about the known deletions.
  public enum Verdict: Hashable, Sendable {
    /// They may go to the zone.
    case go
    /// More may follow: ask again when no deletions arrive any more, at that time at the latest.
    case gather(until: Int64)
    /// They wait for the person's confirmation.
    case hold
  }

  /// The number of files that may be deleted without a question, however large a part of the mount
  /// they are.
  public static let few = 100
  /// The number of files up to which a folder is counted at the beginning of a mass change. A
  /// larger one is counted when more than `few` of its files are deleted.
  public static let many = 1_000
  /// The longest time without a deletion after which deletions are judged.
  public static let quiet: Int64 = 2_000_000_000
  /// The shortest one.
  public static let pause: Int64 = 500_000_000
  /// The longest time for which deletions are gathered, while more keep coming, in a folder with
  /// other work in it.
  public static let patience: Int64 = 60_000_000_000
  /// The longest time between two deletions of one mass change.
  public static let memory: Int64 = 60_000_000_000

  /// The largest number of files since this mass change began; `many` if it wasn't counted yet.
  public private(set) var most = 0
  private var isCounted = true
  /// The number of deletions that were sent to the zone since this mass change began.
  private var gone = 0
  /// A Boolean value that indicates whether something was created since this mass change began.
  private var hasGrown = false
  private var first: Int64?
  private var last: Int64?
  /// The time of the last deletion of a name that isn't this mount's.
  private var other: Int64?
  /// The time at which something was last created in the folder.
  private var fed: Int64?

  /// Creates a value without deletions.
  public init() {}

  /// Returns whether a number of deleted files is so large that the person must confirm it: more
  /// than a hundred, and more than half of all.
  public static func isMuch(deleted: Int, of all: Int) -> Bool {
    deleted > few && deleted > all - deleted
  }

  /// Returns the time without a deletion after which deletions are judged.
  ///
  /// A deletion may be the first of `rm -rf` of the whole folder, which is no deletion for anybody
  /// else. Nothing distinguishes the two before the root is deleted, so each deletion waits until
  /// no other follows. The time depends on the folder's size: if the removal of all its files takes
  /// less than a minute, the time between two of them is less than a minute divided by their
  /// number. That is two seconds in a folder of up to thirty files, where one file is a large part
  /// and its removal may take long. From 120 files on it is half a second, which is longer than the
  /// pauses of a busy disk.
  static func quiet(waiting: Int, of all: Int) -> Int64 {
    waiting > few ? quiet : min(quiet, max(pause, 60_000_000_000 / Int64(max(1, all))))
  }

  /// Notes further deletions in the folder. `all` returns the number of files before them, or nil
  /// if they are more than `many`. It is called at the beginning of a mass change.
  public mutating func found(at now: Int64, of all: () throws -> Int?) rethrows {
    if last.map({ now - $0 > Self.memory }) ?? true {
      let count = try all()
      (most, isCounted) = (count ?? Self.many, count != nil)
      (gone, hasGrown) = (0, false)
      first = nil
    }
    first = first ?? now
    last = now
  }

  /// Notes the deletion of a name below the same root that isn't mirrored, or that another mount
  /// mirrors.
  public mutating func sawOther(at now: Int64) { other = max(other ?? now, now) }

  /// Notes that something was created in the folder: it isn't being removed as a whole.
  public mutating func sawGrowth(at now: Int64) {
    fed = now
    hasGrown = true
  }

  /// A Boolean value that indicates whether the folder has only lost names since the mass change
  /// began, like a folder that is being removed.
  private var onlyShrinks: Bool {
    guard let first else { return false }
    return fed.map { $0 < first } ?? true
  }

  /// Returns whether remote changes are kept out of the folder for now, for `patience` at most. A
  /// new file in a directory that is being removed would keep the directory, and with it the root.
  public func keepsOut(at now: Int64) -> Bool {
    onlyShrinks && first.map { now - $0 < Self.patience } ?? false
  }

  /// Notes that deletions of so many files were sent to the zone.
  public mutating func went(_ files: Int, at now: Int64) {
    gone += files
    first = nil
    last = now
  }

  /// Returns whether the files of the folder must be counted before so many waiting deletions are
  /// judged. A folder can't have lost more files than were deleted since the mass change began.
  public func needsCount(waiting: Int) -> Bool { waiting + gone > Self.few }

  /// Returns the decision about the deletions. `waiting` is the number of files that are deleted
  /// here and not in the zone, and `left` the number of files in the folder, which is asked for
  /// only if `needsCount`. Deletions in many small batches add up. If a large folder is counted
  /// late, the files that went before are added, unless new files made up for them.
  ///
  /// While more deletions arrive, they are still judged after a minute. If there are many, they are
  /// held. If there are few, they are sent only if the folder is worked in. Otherwise a program
  /// that creates and deletes files all day would hold all other deletions for ever. A folder that
  /// only shrinks needs no such limit, because it runs out of files. Deletions of unmirrored names
  /// may continue for ever, and delay the decision for a minute at most.
  public mutating func verdict(
    waiting: Int, now: Int64, left: () throws -> Int
  ) rethrows -> Verdict {
    guard waiting > 0, let last else { return .go }
    let end = min(
      max(last, other ?? last) + Self.quiet(waiting: waiting, of: most), last + Self.patience)
    let isQuiet = now >= end
    guard isQuiet || now >= (first ?? last) + Self.patience else { return .gather(until: end) }
    guard needsCount(waiting: waiting) else {
      return isQuiet || !onlyShrinks ? .go : .gather(until: end)
    }
    let left = try left()
    most = max(most, left + waiting + (isCounted || hasGrown ? 0 : gone))
    isCounted = true
    if Self.isMuch(deleted: most - left, of: most) { return .hold }
    return isQuiet || !onlyShrinks ? .go : .gather(until: end)
  }
}
