/// Decides whether what was deleted in a folder goes to the zone, or waits for a word of the person
/// because it is so much at once (more than half of a mount). A value; it knows no files and no
/// clock, and is told both. Times are nanoseconds of any clock that only goes on.
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

  /// How many files of this burst went to the zone already.
  public private(set) var gone = 0
  private var first: Int64?
  private var last: Int64?

  /// Nothing was deleted yet.
  public init() {}

  /// Whether that many deleted files, of that many that both sides had agreed on, are so much that
  /// the person has to say that they meant it: more than a hundred, and more than half.
  public static func isMuch(deleted: Int, of agreed: Int) -> Bool {
    deleted > few && deleted > agreed - deleted
  }

  /// Further deletions were found in the folder.
  public mutating func found(at now: Int64) {
    if let last, now - last > Self.memory {
      gone = 0
      first = nil
    }
    first = first ?? now
    last = now
  }

  /// That many deleted files went to the zone.
  public mutating func went(_ files: Int, at now: Int64) {
    gone += files
    first = nil
    last = now
  }

  /// What becomes of the deletions: `waiting` files are deleted here and not in the zone, and
  /// `agreed` says of how many files both sides have agreed on, those included. Deletions that come
  /// in many small batches add up.
  public func verdict(
    waiting: Int, now: Int64, agreed: () throws -> Int
  ) rethrows -> Verdict {
    guard waiting > 0, let last else { return .go }
    let quiet = waiting + gone > Self.few ? Self.quiet : Self.pause
    let end = min(last + quiet, (first ?? last) + Self.patience)
    guard now >= end else { return .gather(until: end) }
    return Self.isMuch(deleted: waiting + gone, of: try agreed() + gone) ? .hold : .go
  }
}
