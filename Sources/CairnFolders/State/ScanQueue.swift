/// The parts of the folder that an engine must still scan. It has no access to the disk or the
/// clock.
struct ScanQueue {
  /// The parts to scan now.
  enum Order {
    case nothing
    case everything
    case some(Hints)
  }

  /// Parts of the folder.
  struct Hints: Equatable {
    /// Entries that may have changed.
    var entries: [FolderHint] = []
    /// Directories in which anything may have changed.
    var trees: Set<FolderHint> = []
    /// Directories that the engine itself renamed: hints about their entries may still have the old
    /// path, and are not repeated with the new one.
    var renamed: Set<[UInt8]> = []
    /// The directories among `trees` that were unreadable before.
    var late: Set<[UInt8]> = []

    var isEmpty: Bool { entries.isEmpty && trees.isEmpty && renamed.isEmpty }
  }

  /// A Boolean value that indicates whether anything may have changed: events were lost, or nobody
  /// watched.
  private(set) var needsEverything = false
  private var hints = Hints()
  /// The unreadable directories.
  private(set) var unread = Unread()
  /// A Boolean value that indicates whether a parked file may differ from the index; no scan enters
  /// its folder.
  var needsParked = false
  /// A Boolean value that indicates whether there are parked files that the index doesn't know, and
  /// the log wasn't read yet.
  var hasUnknownParked = false

  /// A Boolean value that indicates whether hints came since the last scan.
  var hasNews: Bool { !hints.isEmpty }

  /// A Boolean value that indicates whether nothing has to be scanned at present.
  var isIdle: Bool { !needsEverything && !needsParked && !hasNews }

  mutating func look(at entries: [FolderHint]) { hints.entries += entries }

  /// Adds hints about the present paths of directories.
  mutating func look(at paths: [[UInt8]]) { hints.entries += paths.map { FolderHint($0) } }

  mutating func look(in tree: FolderHint) { hints.trees.insert(tree) }

  mutating func look(below renamed: [UInt8]) { hints.renamed.insert(renamed) }

  mutating func lookEverywhere() { needsEverything = true }

  /// Lets unreadable directories be read again at once.
  mutating func retryNow() { unread.retryNow() }

  /// Notes the directories that the scan could not read.
  mutating func postpone(_ unreadable: Set<[UInt8]>, _ now: Int64) {
    unread.postpone(unreadable, now)
  }

  /// Returns the parts to scan now; from here on they count as scanned. A scan that is interrupted
  /// must be followed by a full one, because no hint comes twice.
  mutating func take(_ now: Int64) -> Order {
    hints.late = unread.takeDue(now)
    hints.trees.formUnion(hints.late.map { FolderHint($0) })
    defer { hints = Hints() }
    guard !needsEverything else {
      needsEverything = false
      unread = Unread()
      return .everything
    }
    return hints.isEmpty ? .nothing : .some(hints)
  }

  /// Returns the parts with hints, for a scan that is under way; from here on they count as
  /// scanned. Unreadable directories wait for its end.
  mutating func takeHints() -> Hints {
    defer { hints = Hints() }
    return hints
  }

  /// The rule that is broken; nil if none is. All of them hold after a complete sync cycle.
  var brokenRule: String? {
    if !hints.late.isEmpty { return "directories wait to be read that nobody ordered" }
    if !unread.isQuiet, unread.due == nil { return "directories wait to be read, and nobody does" }
    return nil
  }
}
