/// The times of new attempts after failures: each failure after its pause makes the pause longer.
/// An earlier failure, because a hint woke the thread, says nothing new about the cause, and
/// changes nothing.
struct BackOff {
  /// The longest pause in seconds.
  let longest: Int64
  /// The number of pauses without success so far; 0 after a success.
  private(set) var failures = 0
  /// The time of the next attempt, in nanoseconds of the clock; nil after a success.
  private(set) var next: Int64?

  init(longest: Int64) { self.longest = longest }

  /// Notes a failure.
  /// - Parameter now: The clock's time, in nanoseconds.
  /// - Returns: The time of the next attempt.
  mutating func fail(now: Int64) -> Int64 {
    if let next, now < next { return next }
    failures += 1
    let time = now + min(longest, 1 << Int64(min(failures, 30))) * 1_000_000_000
    next = time
    return time
  }

  /// Notes a success.
  mutating func succeed() { (failures, next) = (0, nil) }
}
