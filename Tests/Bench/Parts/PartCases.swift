import Glibc

/// The parts of Cairn, one at a time, in this process: the amount that each processes in a second,
/// against the bare calls that it needs.
enum PartCases {
  /// The number of times that each is measured.
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

  /// The kind of second: of the clock, or of the processor where nothing is waited for.
  enum Measure {
    case clock, processor

    /// Seconds since some moment.
    fileprivate var seconds: Double {
      switch self {
      case .clock: now()
      case .processor: processorTime()
      }
    }
  }

  /// Measures several times how many of `amount` are done in a second. `make` prepares the subject
  /// of `body`, and its time doesn't count.
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

  /// The same where there is nothing to set up.
  static func rates(
    of amount: Double, by measure: Measure = .clock, _ body: () throws -> Void
  ) throws -> [Double] {
    try rates(of: amount, by: measure, {}) { _ in try body() }
  }
}
