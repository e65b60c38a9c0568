import Glibc

/// The parts of Cairn, one at a time, in this process: the amount that each processes in a second,
/// against the bare calls that it needs.
enum PartCases {
  /// The number of times that each part is measured.
  static let rounds = 5

  /// All parts.
  static func parts(_ bench: Bench) throws {
    try BytePart.play(bench)
    try StorePart.play(bench)
    try FoldPart.play(bench)
    try IndexPart.play(bench)
    try PlanPart.play(bench)
    try ScanPart.play(bench)
  }

  /// The kind of second: of the clock, or of the processor if the part waits for nothing.
  enum Measure {
    case clock, processor

    /// Seconds since a fixed point in time.
    fileprivate var seconds: Double {
      switch self {
      case .clock: now()
      case .processor: processorTime()
      }
    }
  }

  /// Measures several times the rate at which `amount` is processed. `make` prepares the subject of
  /// `body`, and its time doesn't count.
  static func rates<Subject>(
    of amount: Double, by measure: Measure = .clock, _ make: () throws -> Subject,
    _ body: (Subject) throws -> Void
  ) throws -> [Double] {
    try (0..<rounds).map { _ in
      let subject = try make()
      let began = measure.seconds
      try body(subject)
      return amount / (measure.seconds - began)
    }
  }

  /// Measures the rates of a part that needs no preparation.
  static func rates(
    of amount: Double, by measure: Measure = .clock, _ body: () throws -> Void
  ) throws -> [Double] {
    try rates(of: amount, by: measure, {}) { _ in try body() }
  }
}
