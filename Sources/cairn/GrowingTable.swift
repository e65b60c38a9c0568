import Glibc

/// A table that is written while rows arrive, with left-aligned columns two spaces apart. Each
/// batch is as wide as the rows so far.
struct GrowingTable {
  private var widths: [Int] = []
  /// The heading, until it is written.
  private var heading: [[String]]

  /// Creates a table.
  /// - Parameter heading: The names of the columns. Only a terminal shows them: programs read rows.
  init(heading: [String] = []) {
    self.heading = !heading.isEmpty && isatty(STDOUT_FILENO) == 1 ? [heading] : []
  }

  /// A Boolean value that indicates whether there was no row.
  var isEmpty: Bool { widths.isEmpty }

  /// Writes more rows to standard output.
  mutating func write(_ rows: [[String]]) {
    let heading = rows.isEmpty ? [] : self.heading
    if !rows.isEmpty { self.heading = [] }
    let text = lines(heading + rows).map { $0 + "\n" }.joined()
    Output.write(Array(text.utf8), to: STDOUT_FILENO)
  }

  /// Formats more rows as lines.
  mutating func lines(_ rows: [[String]]) -> [String] {
    for row in rows {
      for (column, cell) in row.enumerated() {
        if column < widths.count {
          widths[column] = max(widths[column], TextWidth.columns(cell))
        } else {
          widths.append(TextWidth.columns(cell))
        }
      }
    }
    return rows.map { row in
      var line = ""
      for (column, cell) in row.enumerated() {
        line += cell
        if column + 1 < row.count {
          line += String(repeating: " ", count: widths[column] - TextWidth.columns(cell) + 2)
        }
      }
      while line.hasSuffix(" ") { line.removeLast() }
      return line
    }
  }
}
