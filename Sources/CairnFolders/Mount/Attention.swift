/// Where an engine has to look, and has not yet. It knows no disk and no clock.
struct Attention {
  /// What is to be looked at now.
  enum Order {
    case nothing
    case everything
    case some(Hints)
  }

  /// Where in the folder.
  struct Hints: Equatable {
    /// Entries that may have changed.
    var entries: [FolderHint] = []
    /// Directories in which anything may have changed.
    var trees: Set<FolderHint> = []
    /// Directories that the engine itself renamed: hints about what is in them may still name the
    /// old path, and nobody will say it again under the new one.
    var renamed: Set<[UInt8]> = []
    /// The directories among `trees` that couldn't be read before.
    var late: Set<[UInt8]> = []

    var isEmpty: Bool { entries.isEmpty && trees.isEmpty && renamed.isEmpty }
  }

  /// Whether anything may have changed: events were lost, or nobody watched.
  private(set) var needsEverything = false
  private var hints = Hints()
  /// Directories that couldn't be read.
  private(set) var unread = Unread()
  /// Whether a parked file isn't any more what the index has; no look at the folder goes there.
  var needsParked = false
  /// Whether files are parked that the index doesn't know, and the log wasn't asked about yet.
  var hasUnknownParked = false

  /// Whether something came up since the last look.
  var hasNews: Bool { !hints.isEmpty }

  /// Whether something is to be looked at without further ado.
  var isIdle: Bool { !needsEverything && !needsParked && !hasNews }

  /// The entries that may have changed, as far as somebody named them, each once.
  var told: Set<[UInt8]> { Set(hints.entries.map(\.path)) }

  mutating func look(at entries: [FolderHint]) { hints.entries += entries }

  /// Where directories stand now.
  mutating func look(at paths: [[UInt8]]) { hints.entries += paths.map { FolderHint($0) } }

  mutating func look(in tree: FolderHint) { hints.trees.insert(tree) }

  mutating func look(below renamed: [UInt8]) { hints.renamed.insert(renamed) }

  mutating func lookEverywhere() { needsEverything = true }

  /// Directories that couldn't be read are read again at once.
  mutating func retryNow() { unread.retryNow() }

  /// These couldn't be read by the look that was ordered.
  mutating func postpone(_ unreadable: Set<[UInt8]>, _ now: Int64) {
    unread.postpone(unreadable, now)
  }

  /// What is to be looked at now: it counts as looked at from here on. Who doesn't get to the end
  /// of it has to look everywhere, since nobody says a second time what changed.
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

  /// What holds after a turn that came to its end.
  func checkInvariants() {
    precondition(hints.late.isEmpty, "directories wait to be read that nobody ordered")
    precondition(
      unread.isQuiet || unread.due != nil, "directories wait to be read, and nobody does")
  }
}
