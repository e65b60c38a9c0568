import Glibc

/// A text that is shown repeatedly: on a terminal in the same place, cut to its size; otherwise
/// below the earlier one, after an empty line.
struct StatusScreen {
  private let isTerminal = isatty(STDOUT_FILENO) == 1
  private var isFirst = true

  /// Shows these lines.
  mutating func show(_ lines: [String]) {
    defer { isFirst = false }
    guard isTerminal else {
      if !isFirst { Output.line() }
      return Output.raw(Array(lines.map { $0 + "\n" }.joined().utf8))
    }
    var size = winsize()
    let isAnswered = ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0
    let isKnown = isAnswered && size.ws_col > 1 && size.ws_row > 1
    let (rows, columns) = isKnown ? (Int(size.ws_row), Int(size.ws_col)) : (24, 80)
    Output.raw(Array(Self.page(lines, rows: rows, columns: columns, isFirst: isFirst).utf8))
  }

  /// Formats a page for a terminal. Each line is cut at the right margin, and older text to the
  /// right and below is erased.
  static func page(_ lines: [String], rows: Int, columns: Int, isFirst: Bool) -> String {
    let room = max(2, rows - 1)
    var shown = lines
    if lines.count > room {
      shown = lines.prefix(room - 1) + ["… \(lines.count - room + 1) more lines"]
    }
    let text = shown.map { TextWidth.prefix($0, columns: columns - 1) + "\u{1B}[K\n" }.joined()
    return (isFirst ? "\u{1B}[2J" : "") + "\u{1B}[H" + text + "\u{1B}[J"
  }
}
