/// When to try again what failed: later each time that it fails after its pause. What fails before,
/// because a hint woke somebody up, says nothing new about the cause, and puts nothing off. It must
/// not know what is tried.
struct BackOff {
  /// The longest pause, in seconds.
  let longest: Int64
  /// How many pauses were for nothing so far; 0 if all is well.
  private(set) var failures = 0
  /// When to try again, in nanoseconds of the clock's; nil if all is well.
  private(set) var next: Int64?

  init(longest: Int64) { self.longest = longest }

  /// It failed.
  /// - Parameter now: The clock's time, in nanoseconds.
  /// - Returns: when to try again.
  mutating func fail(now: Int64) -> Int64 {
    if let next, now < next { return next }
    failures += 1
    let time = now + min(longest, 1 << Int64(min(failures, 30))) * 1_000_000_000
    next = time
    return time
  }

  /// It went well.
  mutating func succeed() { (failures, next) = (0, nil) }
}
