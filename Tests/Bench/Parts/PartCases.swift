import Glibc

/// What Cairn is made of, one part at a time, in this process: how much of it goes through in a
/// second, against the bare calls that it can't do without.
enum PartCases {
  /// How often each is measured.
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

  /// What a second is: of the clock, or of the processor where nothing is waited for.
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

  /// How many of `amount` are done in a second, measured several times. `make` sets up what
  /// `body` then does, and its time doesn't count.
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
