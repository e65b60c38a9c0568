import CairnPlan
import CairnReplica
import CairnZone

/// The replaced files that wait for their second check: an editor with an open descriptor may have
/// written into one after its replacement. Of 3000 writes through a descriptor that was open across
/// the swap, an immediate check saw two, and a later one all.
struct DisplacedFiles {
  /// The state of an entry right after it was put here.
  enum Seen: Sendable {
    /// A file with a known content.
    case file(FileStat, ContentID)
    /// A directory, with its former path, and the files and symlinks by their paths in it.
    case directory(path: [FileNameBytes], [FileNameBytes: Inside])
  }

  /// A file or symlink in a directory that was moved aside as a whole.
  struct Inside: Sendable {
    var id: RecordID
    var stat: FileStat
    /// The content; nil if somebody may have changed it without a trace.
    var content: ContentID?
  }

  /// A waiting file.
  struct Entry {
    var name: FileNameBytes
    var due: Int64
    var isBusy = false
    var seen: Seen?
    /// The kind, if it was moved out of a directory just now. The rename changed its ctime.
    var movedKind: FileStat.Kind?
  }

  private var entries: [Entry] = []
  /// The time at which an unreadable folder is read again.
  private var unreadUntil: Int64?
  /// The number of failed checks of each file.
  private var failures: [FileNameBytes: Int] = [:]

  /// The time of the next check, by the engine's clock.
  var nextDeadline: Int64? { (entries.map(\.due) + [unreadUntil].compactMap { $0 }).min() }

  /// A Boolean value that indicates whether no file waits for its second check; an open file may
  /// wait for long.
  var isQuiet: Bool { entries.allSatisfy(\.isBusy) }

  /// Adds new replaced files, each due soon. `displaced` is their known content.
  mutating func load(
    _ staging: Staging, _ now: Int64, _ displaced: [FileNameBytes: Seen] = [:]
  ) {
    let known = Set(entries.map(\.name))
    do throws(FolderError) {
      for name in try DirectoryListing.names(of: staging.displaced) where !known.contains(name) {
        entries.append(
          Entry(name: name, due: now + .second / 5, seen: displaced[name]))
      }
      unreadUntil = nil
    } catch {
      unreadUntil = now + .second
    }
  }

  /// Returns the files that are due now.
  mutating func takeDue(_ staging: Staging, _ now: Int64) -> [Entry] {
    if let unreadUntil, unreadUntil <= now { load(staging, now) }
    let due = entries.filter { $0.due <= now }
    entries.removeAll { $0.due <= now }
    return due
  }

  /// Postpones the check of a file that is still open for writing.
  mutating func postpone(_ name: FileNameBytes, _ now: Int64) {
    entries.append(Entry(name: name, due: now + 10 * .second, isBusy: true))
  }

  /// Retries a file that could not be checked: a few times soon, then like an open one.
  mutating func retry(_ name: FileNameBytes, _ now: Int64) {
    failures[name, default: 0] += 1
    guard failures[name, default: 0] < 4 else { return postpone(name, now) }
    entries.append(Entry(name: name, due: now + .second / 5))
  }

  /// Checks a directory again that isn't empty yet.
  mutating func lookAgain(at name: FileNameBytes, _ now: Int64) {
    entries.append(Entry(name: name, due: now + .second / 5))
  }

  /// Notes that a file was checked.
  mutating func finish(_ name: FileNameBytes) -> Bool { failures.removeValue(forKey: name) != nil }
}
