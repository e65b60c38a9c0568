import CairnDiagnostics
import Logging
import Synchronization

/// The last log lines of this process without any name, for a report that its person may show to
/// others. Messages of the daemon contain names, so only the place in the source is kept of them.
final class RecentLog: Sendable {
  /// The lines of this process.
  static let shared = RecentLog()
  /// The number of lines that are kept.
  static let limit = 1_000

  private struct State {
    var lines: [String] = []
    /// The position of the oldest line, once the number is reached.
    var oldest = 0
  }

  private let state = Mutex(State())

  /// The lines, the oldest first.
  var lines: [String] {
    state.withLock { Array($0.lines[$0.oldest...] + $0.lines[..<$0.oldest]) }
  }

  /// Keeps a line.
  /// - Parameters:
  ///   - time: The time of the line.
  ///   - label: The label of its logger.
  ///   - event: The line's level, message and metadata.
  func add(_ time: String, _ label: String, _ event: LogEvent) {
    let isFixed = Diagnostics.labels.contains(label)
    let file = event.file.split(separator: "/").last ?? ""
    let text = isFixed ? "\(event.message)" : "\(file):\(event.line)"
    let metadata = (event.metadata ?? [:]).filter { !Diagnostics.Name.isName($0.value) }
    let line =
      "\(time) \(label) \(event.level) \(text)"
      + metadata.sorted { $0.key < $1.key }.map { " \($0.key)=\($0.value)" }.joined()
    state.withLock { state in
      guard state.lines.count == Self.limit else { return state.lines.append(line) }
      state.lines[state.oldest] = line
      state.oldest = (state.oldest + 1) % Self.limit
    }
  }
}
