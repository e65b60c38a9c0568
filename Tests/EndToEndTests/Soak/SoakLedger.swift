/// The later versions of each content that was ever complete in a person's folder: the record of
/// everything that must not be lost. A content must exist somewhere, unless a person who had it
/// removed it.
struct SoakLedger {
  /// Contents that were complete at some time, by the step that made them.
  private(set) var whole: [[UInt8]: Int] = [:]
  private var gone: Set<[UInt8]> = []

  /// Records that a person's program has left this content in a file.
  mutating func wrote(_ content: [UInt8], at step: Int) {
    guard !content.isEmpty else { return }
    gone.remove(content)
    whole[content] = whole[content] ?? step
  }

  /// Records that a person removed this content, and knew it.
  mutating func destroyed(_ content: [UInt8]) { gone.insert(content) }

  /// Returns whether a person wrote these bytes, as a whole.
  func knows(_ content: [UInt8]) -> Bool { content.isEmpty || whole[content] != nil }

  /// Returns the missing contents, with the steps that made them.
  func lost(among found: Set<[UInt8]>) -> [(step: Int, content: [UInt8])] {
    whole.filter { !gone.contains($0.key) && !found.contains($0.key) }
      .map { ($0.value, $0.key) }.sorted { $0.step < $1.step }
  }
}
