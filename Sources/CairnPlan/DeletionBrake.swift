/// Decides whether what was deleted in a folder goes to the zone, waits until it is known that the
/// folder isn't being removed as a whole, or waits for a word of the person because it is so much
/// at once (more than half of a mount). What counts is by how much fewer
/// files there are than there were when it began: what is made anew makes up for what went, or
/// everyday work would add up to an accident. What is in a directory that churns (`Churn`) counts
/// for neither. A value; it knows no files and no clock, and is told both. Times are nanoseconds of
/// any clock that only goes on.
public struct DeletionBrake: Hashable, Sendable {
  /// The decision about the known deletions.
  public enum Verdict: Hashable, Sendable {
    /// They may go to the zone.
    case go
    /// More may be on their way: ask again when it has been quiet, at that time at the latest.
    case gather(until: Int64)
    /// They wait for a word of the person.
    case hold
  }

  /// So many files may be deleted without a question, whatever part of the mount they are.
  public static let few = 100
  /// The longest time without a deletion after which deletions are judged.
  public static let quiet: Int64 = 2_000_000_000
  /// The shortest one.
  public static let pause: Int64 = 500_000_000
  /// For how long deletions are gathered at most, while more keep coming, in a folder that somebody
  /// works in.
  public static let patience: Int64 = 60_000_000_000
  /// The longest time between two deletions of one burst.
  public static let memory: Int64 = 60_000_000_000

  /// The largest number of files since this burst began.
  public private(set) var most = 0
  private var first: Int64?
  private var last: Int64?
  /// When a name went last that isn't this mount's.
  private var other: Int64?
  /// When something was last made in the folder.
  private var fed: Int64?

  /// Nothing was deleted yet.
  public init() {}

  /// Returns whether a number of deleted files is so large that the person must confirm it: more
  /// than a hundred, and more than half of all.
  public static func isMuch(deleted: Int, of all: Int) -> Bool {
    deleted > few && deleted > all - deleted
  }

  /// The time without a deletion after which deletions are judged.
  ///
  /// A deletion may be the first of `rm -rf` of the whole folder, which is no deletion for anybody
  /// else. Nothing that can be seen tells the two apart before the root is gone, so each deletion
  /// waits until no other follows. The folder's size says how long: if the removal of all its files
  /// takes less than a minute, the time between two of them is less than a minute divided by their
  /// number. That is two seconds in a folder of up to thirty files, where one file is a large part
  /// and its removal may take long; and half a second, which outlasts a busy disk, from 120 files
  /// on.
  static func quiet(waiting: Int, of all: Int) -> Int64 {
    waiting > few ? quiet : min(quiet, max(pause, 60_000_000_000 / Int64(max(1, all))))
  }

  /// Further deletions were found in the folder; `all` says how many files there were before them,
  /// and is asked where a burst begins.
  public mutating func found(at now: Int64, of all: () throws -> Int) rethrows {
    if last.map({ now - $0 > Self.memory }) ?? true {
      most = try all()
      first = nil
    }
    first = first ?? now
    last = now
  }

  /// A name went below the same root that isn't mirrored, or that another mount has.
  public mutating func sawOther(at now: Int64) { other = max(other ?? now, now) }

  /// Something was made in the folder: it isn't being removed as a whole.
  public mutating func sawGrowth(at now: Int64) { fed = now }

  /// Whether the folder has only lost names since the burst began, as one does that is being
  /// removed.
  private var onlyShrinks: Bool {
    guard let first else { return false }
    return fed.map { $0 < first } ?? true
  }

  /// Whether what others send stays out of the folder for now: a new file in a directory that is
  /// being removed would keep the directory, and with it the root. Not longer than the patience.
  public func keepsOut(at now: Int64) -> Bool {
    onlyShrinks && first.map { now - $0 < Self.patience } ?? false
  }

  /// Notes that the waiting deletions were sent to the zone.
  public mutating func went(at now: Int64) {
    first = nil
    last = now
  }

  /// What becomes of the deletions: `waiting` files are deleted here and not in the zone, and
  /// `left` says how many stand in the folder. Deletions that come in many small batches add up.
  ///
  /// While they keep coming they are judged after a minute all the same. Much is held then. Less
  /// goes if the folder is worked in, or a program that makes and deletes files all day would hold
  /// all other deletions for ever. A folder that only shrinks needs no such end: it runs out of
  /// files. Names that aren't mirrored may come and go for ever, and delay for a minute at most.
  public mutating func verdict(
    waiting: Int, now: Int64, left: () throws -> Int
  ) rethrows -> Verdict {
    guard waiting > 0, let last else { return .go }
    let end = min(
      max(last, other ?? last) + Self.quiet(waiting: waiting, of: most), last + Self.patience)
    let isQuiet = now >= end
    guard isQuiet || now >= (first ?? last) + Self.patience else { return .gather(until: end) }
    let left = try left()
    most = max(most, left + waiting)
    if Self.isMuch(deleted: most - left, of: most) { return .hold }
    return isQuiet || !onlyShrinks ? .go : .gather(until: end)
  }
}
