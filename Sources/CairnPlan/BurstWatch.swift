public import CairnZone

/// Notices that one device changes or deletes unusually many files of a zone within a short time:
/// an accident, or somebody who encrypts them. It stops nothing. A value; it knows no clock and is
/// told what happened. Times are nanoseconds of any clock that only goes on.
public struct BurstWatch: Sendable {
  /// What one device did in one go.
  public struct Burst: Hashable, Sendable {
    /// Whose device.
    public var author: Author
    /// The entry of the log before the first change.
    public var before: UInt64
    /// How many files it gave other bytes.
    public var changed: Int
    /// How many it deleted.
    public var deleted: Int
  }

  /// So many files may be changed without a word, whatever part of all they are.
  public static let few = 100
  /// How long after the last one changes still count as one burst with the next.
  public static let memory: Int64 = 600_000_000_000

  private struct Work {
    var before: UInt64
    var last: Int64
    var changed: Set<RecordID> = []
    var deleted: Set<RecordID> = []
    var isTold = false
  }

  private var work: [Author: Work] = [:]

  /// Nothing has happened yet.
  public init() {}

  /// Whether that many files of all are unusually many: more than a hundred, and more than a third.
  public static func isMuch(_ files: Int, of all: Int) -> Bool { files > few && files > all / 3 }

  /// A device gave a file other bytes than it ever had, or deleted it.
  public mutating func take(
    _ id: RecordID, isDeleted: Bool, by author: Author, at place: UInt64, now: Int64
  ) {
    var done = work[author] ?? Work(before: place - 1, last: now)
    if now - done.last > Self.memory { done = Work(before: place - 1, last: now) }
    done.last = now
    // What was told needn't be counted on.
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

  /// Whether `news` may have something to tell, so that somebody has to count the files.
  public var isDoubtful: Bool {
    work.values.contains { !$0.isTold && $0.changed.count + $0.deleted.count > Self.few }
  }

  /// The bursts that are unusual by now and weren't told yet, of so many files that there are.
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
