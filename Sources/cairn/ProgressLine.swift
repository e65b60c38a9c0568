import CairnControl
import Glibc

/// A line on standard error that is rewritten during long work: only on a terminal, and only after
/// one second.
struct ProgressLine {
  private let isTerminal: Bool
  private let start = Self.milliseconds()
  private var shownAt: Int64 = 0

  /// Creates a line. It is silent if `isAllowed` is false or standard error is no terminal.
  init(isAllowed: Bool) {
    isTerminal = isAllowed && isatty(STDERR_FILENO) == 1
  }

  /// Shows the progress, at most ten times a second.
  mutating func show(_ progress: Control.Progress) {
    let now = Self.milliseconds()
    guard isTerminal, now - start >= 1000, now - shownAt >= 100 else { return }
    shownAt = now
    let line = Self.line(progress, columns: Self.columns)
    Output.write(Array(("\r\u{1B}[K" + line).utf8), to: STDERR_FILENO)
  }

  /// Formats the progress for a number of columns. The amount has priority over the subject, and
  /// the subject over the speed.
  static func line(_ progress: Control.Progress, columns: Int) -> String {
    let (what, parts) = (Output.printable(progress.what), WorkText.parts(progress))
    let texts = (1...parts.count).reversed().map {
      ": " + parts.prefix($0).joined(separator: ", ")
    }
    let text = texts.first { $0.count + min(what.count, Self.least) <= columns } ?? texts.last ?? ""
    return Self.cut(what, to: columns - text.count) + text
  }

  /// The minimum number of columns for the subject, before the speed is shown.
  private static let least = 16

  /// Cuts a text, because a wrapped line cannot be rewritten. The end of a path says more than its
  /// beginning.
  private static func cut(_ text: String, to length: Int) -> String {
    guard text.count > length else { return text }
    return length > 1 ? "…" + text.suffix(length - 1) : ""
  }

  /// The number of columns without the last one, after which some terminals wrap.
  private static var columns: Int {
    var size = winsize()
    guard ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 1 else { return 79 }
    return Int(size.ws_col) - 1
  }

  /// Removes the line if it is shown.
  mutating func clear() {
    guard shownAt != 0 else { return }
    shownAt = 0
    Output.write(Array("\r\u{1B}[K".utf8), to: STDERR_FILENO)
  }

  private static func milliseconds() -> Int64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
  }
}
