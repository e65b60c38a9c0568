import CairnControl
import Glibc

/// A QR code as lines of text, two rows of squares in each line.
struct TerminalPicture {
  /// The light margin for readers, in squares.
  static let margin = 4
  private static let colours = "\u{1B}[38;5;231;48;5;16m"
  private static let plain = "\u{1B}[0m"

  /// The lines. Light squares are drawn and dark ones left out, for a dark screen; on paper, dark
  /// squares are drawn. With colours they are white on black, whatever the screen's own colours.
  static func lines(of code: QRCode, coloured: Bool, onPaper: Bool = false) -> [String] {
    let rows = stride(from: -margin, to: code.width + margin, by: 2)
    let columns = -margin..<code.width + margin
    return rows.map { row in
      let line = columns.map { column -> Character in
        // A code with an odd margin has no squares below its last row.
        let isLower = row + 1 < code.width + margin
        let drawn = (
          code.isDark(row, column) == onPaper, isLower && code.isDark(row + 1, column) == onPaper
        )
        switch drawn {
        case (true, true): return "█"
        case (true, false): return "▀"
        case (false, true): return "▄"
        case (false, false): return " "
        }
      }
      return coloured ? colours + String(line) + plain : String(line)
    }
  }

  /// Writes the text's code to standard output, with colours on a terminal. Throws `limitExceeded`
  /// if the text is too long.
  static func write(_ text: String) throws(ControlError) {
    guard let code = QRCode(text) else {
      throw ControlError(
        .limitExceeded, "The link is too long for a QR code.", remedy: "Send it as text.")
    }
    for line in lines(of: code, coloured: isatty(STDOUT_FILENO) == 1) { Output.line(line) }
  }
}
