/// The directories that couldn't be read for a reason that may pass by itself, and when they are
/// read again: nobody says a second time that something changed in them.
struct Unread {
  private var paths: Set<[UInt8]> = []
  private var tries = 0
  /// When, by the engine's clock; nil if there are none.
  private(set) var due: Int64?

  /// Whether nothing is expected of them soon: there are none, or it was tried often enough.
  var isQuiet: Bool { paths.isEmpty || tries > 3 }

  /// Takes the directories to be read now.
  mutating func takeDue(_ now: Int64) -> Set<[UInt8]> {
    guard let due, due <= now else { return [] }
    self.due = nil
    defer { paths = [] }
    return paths
  }

  /// What came of reading: these have to be read again, later each time.
  mutating func postpone(_ found: Set<[UInt8]>, _ now: Int64) {
    paths.formUnion(found)
    guard !paths.isEmpty else { return tries = 0 }
    guard !found.isEmpty || due == nil else { return }
    due = now + Wait.delay(.blocked, tries: tries)
    tries += 1
  }

  /// Somebody wants to know.
  mutating func retryNow() {
    if due != nil { due = .min }
  }
}
