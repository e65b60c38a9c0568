/// The rows of `history.tsv`: figures that have a goal, each time that they were measured on an
/// idle machine.
public enum History {
  /// The names of the columns.
  public static let header = [
    "date", "revision", "machine", "case", "unit", "median", "p99", "min", "max", "bare", "ratio",
    "cpu", "bare cpu", "bytes", "foreign",
  ].joined(separator: "\t")

  /// Writes one row, without the line's end; nil for a figure that doesn't belong there.
  /// - Parameters:
  ///   - outcome: The figure.
  ///   - date: The day, as `2026-11-28`.
  ///   - revision: The measured revision of the source.
  ///   - machine: A short description of the machine and its file system.
  /// - Returns: the cells of the columns of `header`, with a tab between.
  public static func row(
    _ outcome: Outcome, date: String, revision: String, machine: String
  ) -> String? {
    switch outcome.verdict {
    case .none, .notJudged: return nil
    case .met, .missed: break
    }
    func text(_ value: Double?) -> String { value.map { Numbers.short($0) } ?? "" }
    let cells = [
      date, revision, machine, outcome.name, outcome.unit, text(outcome.cairn.median),
      text(outcome.tail), text(outcome.cairn.least), text(outcome.cairn.most),
      text(outcome.bare?.median), text(outcome.ratio?.median), text(outcome.cost.processor),
      text(outcome.cost.bareProcessor), outcome.cost.stored.map { "\(Int($0))" } ?? "",
      Numbers.short(outcome.load.foreign),
    ]
    return cells.map(clean).joined(separator: "\t")
  }

  private static func clean(_ cell: String) -> String {
    String(cell.map { $0 == "\t" || $0.isNewline ? " " : $0 })
  }
}
