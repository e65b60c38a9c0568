/// Decides whether what was deleted in a folder goes to the zone, or waits for a word of the person
/// because it is so much at once (more than half of a mount). What counts is by how much fewer
/// files there are than there were when it began: what is made anew makes up for what went, or
/// everyday work would add up to an accident. What is in a directory that churns (`Churn`) counts
/// for neither. A value; it knows no files and no clock, and is told both. Times are nanoseconds of
/// any clock that only goes on.
public struct DeletionBrake: Hashable, Sendable {
  /// What becomes of the deletions that are known now.
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
  /// For how long nothing may have been deleted before more than a hundred deletions are judged.
  public static let quiet: Int64 = 2_000_000_000
  /// For how long before fewer are.
  public static let pause: Int64 = 300_000_000
  /// For how long deletions are gathered at most, while more keep coming.
  public static let patience: Int64 = 60_000_000_000
  /// How long after the last one deletions still count as one burst with the next.
  public static let memory: Int64 = 60_000_000_000

  /// How many files there were at most since this burst began.
  public private(set) var most = 0
  private var first: Int64?
  private var last: Int64?

  /// Nothing was deleted yet.
  public init() {}

  /// Whether that many deleted files, of that many that there were, are so much that the person has
  /// to say that they meant it: more than a hundred, and more than half.
  public static func isMuch(deleted: Int, of all: Int) -> Bool {
    deleted > few && deleted > all - deleted
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

  /// What waited went to the zone.
  public mutating func went(at now: Int64) {
    first = nil
    last = now
  }

  /// What becomes of the deletions: `waiting` files are deleted here and not in the zone, and
  /// `left` says how many stand in the folder. Deletions that come in many small batches add up.
  public mutating func verdict(
    waiting: Int, now: Int64, left: () throws -> Int
  ) rethrows -> Verdict {
    guard waiting > 0, let last else { return .go }
    let quiet = waiting > Self.few ? Self.quiet : Self.pause
    let end = min(last + quiet, (first ?? last) + Self.patience)
    guard now >= end else { return .gather(until: end) }
    let left = try left()
    most = max(most, left + waiting)
    return Self.isMuch(deleted: most - left, of: most) ? .hold : .go
  }
}
