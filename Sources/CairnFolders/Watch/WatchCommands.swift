// SPDX-License-Identifier: Apache-2.0

/// The requests to the program that were not sent yet: a pure value.
struct WatchCommands {
  /// Bytes for the program's standard input.
  var outbox: [UInt8] = []
  var isStopped = false

  /// The request for each root, as a line.
  private var roots: [Int: [UInt8]] = [:]
  private var tokens: [Int] = []

  mutating func watch(root: Int, path: [UInt8], isFlat: Bool = false) {
    let line = WatchCommands.line(isFlat ? "watch-flat \(root) " : "watch \(root) ", path)
    roots[root] = line
    outbox += line
  }

  /// Only for this program: the next one finds all directories by itself.
  mutating func saw(_ directories: [FolderHint], in root: Int) {
    guard roots[root] != nil else { return }
    for found in directories {
      outbox += WatchCommands.line("directory \(root) \(found.directory) ", found.path)
    }
  }

  mutating func unwatch(root: Int) {
    roots[root] = nil
    outbox += WatchCommands.line("unwatch \(root)")
  }

  mutating func sync(token: Int) {
    tokens.append(token)
    outbox += WatchCommands.line("sync \(token)")
  }

  /// Notes that the program has answered a sync.
  mutating func forget(token: Int) {
    if let index = tokens.firstIndex(of: token) { tokens.remove(at: index) }
  }

  /// Returns the unanswered syncs, and forgets them.
  mutating func takeTokens() -> [Int] {
    defer { tokens = [] }
    return tokens
  }

  /// Repeats all requests for a new program: the roots first, so that a sync covers them.
  mutating func startOver() {
    outbox = []
    for (_, line) in roots.sorted(by: { $0.key < $1.key }) { outbox += line }
    for token in tokens { outbox += WatchCommands.line("sync \(token)") }
  }

  private static func line(_ fields: String, _ path: [UInt8] = []) -> [UInt8] {
    Array(fields.utf8) + path + [0]
  }
}
