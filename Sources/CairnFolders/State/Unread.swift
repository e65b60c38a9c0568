/// The directories that are unreadable for a reason that may pass by itself, and the time of the
/// next attempt: hints about them are not repeated.
struct Unread {
  private var paths: Set<[UInt8]> = []
  private var tries = 0
  /// The time of the next attempt by the engine's clock; nil if there are none.
  private(set) var due: Int64?

  /// A Boolean value that indicates whether no change is expected soon: there are none, or they
  /// were tried often enough.
  var isQuiet: Bool { paths.isEmpty || tries > 3 }

  /// Returns the directories to read now, and removes them.
  mutating func takeDue(_ now: Int64) -> Set<[UInt8]> {
    guard let due, due <= now else { return [] }
    self.due = nil
    defer { paths = [] }
    return paths
  }

  /// Adds the directories that were unreadable again; each attempt is later than the one before.
  mutating func postpone(_ found: Set<[UInt8]>, _ now: Int64) {
    paths.formUnion(found)
    guard !paths.isEmpty else { return tries = 0 }
    guard !found.isEmpty || due == nil else { return }
    due = now + Wait.delay(.blocked, tries: tries)
    tries += 1
  }

  /// Makes the next attempt due now, because somebody asked.
  mutating func retryNow() {
    if due != nil { due = .min }
  }
}
