/// A limit for repeated actions: a number at once, and a rate. It must not know clocks: times are
/// arguments, in nanoseconds.
struct Budget: Sendable {
  /// The maximum number at once.
  let capacity: Int64
  /// The time after which one returns.
  let period: Int64
  /// The time when all are available again.
  private var full = Int64.min / 2

  init(_ capacity: Int64, period: Int64) {
    precondition(capacity > 0 && period > 0, "a budget of nothing")
    self.capacity = capacity
    self.period = period
  }

  /// The time when the next one is available.
  func next(now: Int64) -> Int64 { max(now, full - (capacity - 1) * period) }

  /// Takes one if it is available.
  mutating func take(now: Int64) -> Bool {
    guard next(now: now) <= now else { return false }
    full = max(full, now) + period
    return true
  }
}
