public import CairnZone

/// Notices when one device changes or deletes unusually many files of a zone within a short time:
/// by accident, or because somebody encrypts them. It stops nothing. It is a value without a clock;
/// times are nanoseconds of any monotonic clock.
public struct BurstWatch: Sendable {
  /// The changes of one device in one burst.
  public struct Burst: Hashable, Sendable {
    /// The author.
    public var author: Author
    /// The entry of the log before the first change.
    public var before: UInt64
    /// The number of files with new bytes.
    public var changed: Int
    /// The number of deleted files.
    public var deleted: Int
  }

  /// The number of files that may be changed without a report, whatever their share of all files.
  public static let few = 100
  /// The longest time between two changes of one burst.
  public static let memory: Int64 = 600_000_000_000

  private struct Work {
    var before: UInt64
    var last: Int64
    var changed: Set<RecordID> = []
    var deleted: Set<RecordID> = []
    var isTold = false
  }

  private var work: [Author: Work] = [:]

  /// Creates a watch that has seen no changes.
  public init() {}

  /// Returns whether a number of files is unusually large: more than a hundred, and more than a
  /// third of all.
  public static func isMuch(_ files: Int, of all: Int) -> Bool { files > few && files > all / 3 }

  /// Counts a file that a device deleted, or to which it gave bytes that the file never had before.
  public mutating func take(
    _ id: RecordID, isDeleted: Bool, by author: Author, at place: UInt64, now: Int64
  ) {
    var done = work[author] ?? Work(before: place - 1, last: now)
    if now - done.last > Self.memory { done = Work(before: place - 1, last: now) }
    done.last = now
    // Files of a reported burst need not be counted.
    if !done.isTold {
      if isDeleted {
        done.changed.remove(id)
        done.deleted.insert(id)
      } else {
        done.changed.insert(id)
      }
    }
    work[author] = done
  }

  /// A Boolean value that indicates whether `news` may return bursts, so that the files must be
  /// counted.
  public var isDoubtful: Bool {
    work.values.contains { !$0.isTold && $0.changed.count + $0.deleted.count > Self.few }
  }

  /// Returns the unusual bursts that were not reported yet. `files` is the number of all files.
  public mutating func news(files: Int) -> [Burst] {
    var news: [Burst] = []
    for (author, done) in work.sorted(by: { $0.value.before < $1.value.before }) {
      let (changed, deleted) = (done.changed.count, done.deleted.count)
      guard !done.isTold, Self.isMuch(changed + deleted, of: files + deleted) else { continue }
      news.append(
        Burst(author: author, before: done.before, changed: changed, deleted: deleted))
      work[author]?.isTold = true
      work[author]?.changed = []
      work[author]?.deleted = []
    }
    return news
  }
}
