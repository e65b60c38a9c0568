import BenchFigures
import Foundation

/// The outcomes as a table for people, as JSON, and as rows of the history.
enum Table {
  /// Prints the head of the table.
  static func begin() {
    line(["case", "cairn", "bare", "unit", "ratio", "goal", ""])
  }

  /// Prints one figure: a line with its medians, and one with everything else.
  static func add(_ outcome: Outcome) {
    let verdict =
      switch outcome.verdict {
      case .none: ""
      case .met: "met"
      case .missed: "NOT MET"
      case .notJudged(let why): "not judged: \(why)"
      }
    line([
      outcome.label, Numbers.short(outcome.cairn.median),
      outcome.bare.map { Numbers.short($0.median) } ?? "-", outcome.unit,
      outcome.ratio.map { Numbers.short($0.median) } ?? "-", goal(outcome), verdict,
    ])
    let more = details(outcome)
    if !more.isEmpty { print("    \(more.joined(separator: "; "))") }
    fflush(nil)
  }

  /// Prints the two revisions of one figure.
  static func add(_ pair: Pairing) {
    let change =
      switch pair.change {
      case .worse: "SLOWER OR LARGER"
      case .better: "better"
      case .unclear: "-"
      case .notJudged(let why): "not judged: \(why)"
      }
    line([
      pair.name, Numbers.short(pair.new.median), Numbers.short(pair.old.median), pair.unit,
      Numbers.short(pair.ratio.median), range(pair.ratio) ?? "-", change,
    ])
  }

  /// Prints the head of the table of two revisions.
  static func beginPairs() { line(["case", "new", "old", "unit", "ratio", "of pairs", ""]) }

  /// Writes all outcomes to a file.
  static func save(_ outcomes: [Outcome], to path: String) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
    encoder.nonConformingFloatEncodingStrategy = .convertToString(
      positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    try encoder.encode(outcomes).write(to: URL(filePath: path))
  }

  /// Adds the figures with a goal to the history, unless the machine was busy.
  static func record(
    _ outcomes: [Outcome], to path: String, revision: String, machine: String
  ) throws {
    let date = String(Date.now.formatted(.iso8601).prefix(10))
    let rows = outcomes.compactMap {
      History.row($0, date: date, revision: revision, machine: machine)
    }
    guard !rows.isEmpty else { return }
    var text = rows.map { $0 + "\n" }.joined()
    if (bytes(of: path) ?? []).isEmpty { text = History.header + "\n" + text }
    try write(Array(text.utf8), to: path, flags: O_CREAT | O_APPEND)
  }

  private static func goal(_ outcome: Outcome) -> String {
    if let times = outcome.times { return "≤ \(Numbers.short(times)) x" }
    if let most = outcome.most { return "≤ \(Numbers.short(most))" }
    return outcome.least.map { "≥ \(Numbers.short($0))" } ?? "-"
  }

  private static func range(_ spread: Spread) -> String? {
    spread.least == spread.most
      ? nil : "\(Numbers.short(spread.least))–\(Numbers.short(spread.most))"
  }

  /// The parts of the second line: what was measured, and nothing else.
  private static func details(_ outcome: Outcome) -> [String] {
    let runs = [
      range(outcome.cairn).map { "runs \($0)" },
      outcome.bare.flatMap { range($0) }.map { "bare \($0)" },
      outcome.ratio.flatMap { range($0) }.map { "ratio \($0)" },
    ].compactMap { $0 }
    let bareTail = outcome.bareTail.map { ", bare \(Numbers.short($0))" } ?? ""
    let cost = outcome.cost
    let bareProcessor = cost.bareProcessor.map { ", bare \(Numbers.short($0))" } ?? ""
    let written = cost.written.map { $0.map { Numbers.bytes($0) }.joined(separator: " + ") }
    let parts: [String?] = [
      runs.isEmpty ? nil : runs.joined(separator: ", "),
      outcome.tail.map { "99th \(Numbers.short($0))\(bareTail)" },
      cost.processor.map { "processor \(Numbers.short($0))\(bareProcessor) s" },
      cost.stored.map { "stored \(Numbers.bytes($0))" },
      written.map { "written \($0)" },
      cost.toDisk.map { "to disk \(Numbers.bytes($0))" },
      cost.calls.map { "\(Numbers.short($0)) calls" },
    ]
    return parts.compactMap { $0 }
  }

  private static func line(_ cells: [String]) {
    let widths = [52, 9, 9, 6, 7, 9]
    let padded = zip(cells, widths).map { cell, width in
      cell + String(repeating: " ", count: max(0, width - cell.count))
    }
    print((padded + cells.dropFirst(widths.count)).joined(separator: " "))
    fflush(nil)
  }
}
