/// What each content that was ever whole in somebody's folder became: the memory of all that must
/// not be lost. A content has to be somewhere unless somebody did away with it who had it before
/// them.
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

  /// Whether these bytes, as a whole, are something that somebody wrote.
  func knows(_ content: [UInt8]) -> Bool { content.isEmpty || whole[content] != nil }

  /// What should be there and isn't, with the steps that made it.
  func lost(among found: Set<[UInt8]>) -> [(step: Int, content: [UInt8])] {
    whole.filter { !gone.contains($0.key) && !found.contains($0.key) }
      .map { ($0.value, $0.key) }.sorted { $0.step < $1.step }
  }
}
