/// The changes that a program hasn't heard of yet.
struct ProgramNews: Sendable {
  var zones: Set<String> = []
  /// A Boolean value that indicates whether the program may have lost its access.
  var isDoubted = false
  var hasGone = false

  /// Returns the changes, and forgets them; nil if there are none.
  mutating func next() -> ProgramNews? {
    guard !zones.isEmpty || isDoubted || hasGone else { return nil }
    defer { (zones, isDoubted) = ([], false) }
    return self
  }
}
