import Foundation

/// The result of one case, against the bare equivalent of the same run.
struct Figure: Codable {
  /// The case.
  var name: String
  /// The unit of the numbers: `ms`, `s`, `MiB`, …
  var unit: String
  /// Cairn's figure: the median if there are several samples.
  var cairn: Double
  /// The smallest and the largest sample of Cairn's.
  var spread: [Double]
  /// The figure of the bare equivalent; nil if there is no equivalent.
  var bare: Double?
  /// The smallest and the largest sample of the bare equivalent's.
  var bareSpread: [Double]?
  /// The upper limit of `ratio`, or of `cairn` if there is no equivalent; nil: no limit.
  var bar: Double?
  /// The lower limit of `cairn` for a figure that should be large; nil: no limit.
  var least: Double?
  /// A Boolean value that indicates whether the numbers are amounts per second, so that more is
  /// better.
  var isRate = false

  /// Cairn's figure as a multiple of the bare equivalent's.
  var ratio: Double? { bare.map { isRate ? $0 / cairn : cairn / $0 } }
  /// A Boolean value that indicates whether the limit is met; nil if there is no limit.
  var isMet: Bool? { least.map { cairn >= $0 } ?? bar.map { (ratio ?? cairn) <= $0 } }

  /// Creates a figure from one sample of each.
  init(_ name: String, _ unit: String, _ cairn: Double, bare: Double? = nil, bar: Double? = nil) {
    self.init(name, unit, [cairn], bare: bare.map { [$0] }, bar: bar)
  }

  /// Creates a figure from several samples of an amount per second.
  init(
    rate name: String, _ unit: String, _ cairn: [Double], bare: [Double]? = nil,
    least: Double? = nil
  ) {
    self.init(name, unit, cairn, bare: bare)
    isRate = true
    self.least = least
  }

  /// Creates a figure from several samples of each. The sample at the given part of the sorted row
  /// counts.
  init(
    _ name: String, _ unit: String, _ cairn: [Double], bare: [Double]?, at part: Double = 0.5,
    bar: Double? = nil
  ) {
    self.name = name
    self.unit = unit
    self.cairn = Self.quantile(cairn, part)
    spread = [cairn.min() ?? 0, cairn.max() ?? 0]
    self.bare = bare.map { Self.quantile($0, part) }
    bareSpread = bare.map { [$0.min() ?? 0, $0.max() ?? 0] }
    self.bar = bar
  }

  private static func quantile(_ samples: [Double], _ part: Double) -> Double {
    guard !samples.isEmpty else { return .nan }
    let sorted = samples.sorted()
    return sorted[min(sorted.count - 1, Int((Double(sorted.count - 1) * part).rounded()))]
  }
}

/// The figures as a table for people, and as JSON.
enum Table {
  /// Prints the head of the table.
  static func begin() {
    line(["case", "cairn", "bare", "unit", "ratio", "bar", "", "spread of cairn's, of the bare"])
  }

  /// Prints one line.
  static func add(_ figure: Figure) {
    let verdict = figure.isMet.map { $0 ? "met" : "NOT MET" } ?? ""
    let spreads = [figure.spread, figure.bareSpread].compactMap { $0 }.map { spread in
      spread[0] == spread[1] ? "-" : "\(number(spread[0]))–\(number(spread[1]))"
    }
    line([
      figure.name, number(figure.cairn), figure.bare.map(number) ?? "-", figure.unit,
      figure.ratio.map(number) ?? "-", bar(figure), verdict,
      spreads.joined(separator: ", "),
    ])
  }

  /// Writes all figures to a file.
  static func write(_ figures: [Figure], to path: String) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
    try encoder.encode(figures).write(to: URL(filePath: path))
  }

  private static func bar(_ figure: Figure) -> String {
    figure.least.map { "≥ " + number($0) } ?? figure.bar.map { "≤ " + number($0) } ?? "-"
  }

  private static func line(_ cells: [String]) {
    let widths = [44, 9, 9, 6, 7, 8, 8]
    let padded = zip(cells, widths).map { cell, width in
      cell + String(repeating: " ", count: max(0, width - cell.count))
    }
    print((padded + cells.dropFirst(widths.count)).joined(separator: " "))
    fflush(nil)
  }

  private static func number(_ value: Double) -> String {
    value >= 100 ? "\(Int(value.rounded()))" : "\((value * 100).rounded() / 100)"
  }
}
