/// The later versions of each content that was ever complete in a person's folder: the record of
/// everything that must not be lost. A content must exist somewhere, unless a person who had it
/// removed it.
struct SoakLedger {
  /// Contents that were whole at some time, by the step that made them.
  private(set) var whole: [[UInt8]: Int] = [:]
  private var gone: Set<[UInt8]> = []

  /// Somebody's program has left this in a file.
  mutating func wrote(_ content: [UInt8], at step: Int) {
    guard !content.isEmpty else { return }
    gone.remove(content)
    whole[content] = whole[content] ?? step
  }

  /// Somebody did away with this, and knew what it was.
  mutating func destroyed(_ content: [UInt8]) { gone.insert(content) }

  /// Returns whether these bytes, as a whole, were written by a person.
  func knows(_ content: [UInt8]) -> Bool { content.isEmpty || whole[content] != nil }

  /// Returns the missing contents, with the steps that made them.
  func lost(among found: Set<[UInt8]>) -> [(step: Int, content: [UInt8])] {
    whole.filter { !gone.contains($0.key) && !found.contains($0.key) }
      .map { ($0.value, $0.key) }.sorted { $0.step < $1.step }
  }
}
