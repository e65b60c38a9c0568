/// So many at once, and so many in a time: what bounds how often something is done. It must not
/// know clocks: times are handed in, in nanoseconds.
struct Budget: Sendable {
  /// How many there are at most.
  let capacity: Int64
  /// The time in which one comes back.
  let period: Int64
  /// When all of them will be there again.
  private var full = Int64.min / 2

  init(_ capacity: Int64, period: Int64) {
    precondition(capacity > 0 && period > 0, "a budget of nothing")
    self.capacity = capacity
    self.period = period
  }

  /// When the next one may be taken.
  func next(now: Int64) -> Int64 { max(now, full - (capacity - 1) * period) }

  /// Takes one, if it may be.
  mutating func take(now: Int64) -> Bool {
    guard next(now: now) <= now else { return false }
    full = max(full, now) + period
    return true
  }
}
