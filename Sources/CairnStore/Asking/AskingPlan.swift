/// When to ask a container that doesn't tell: an eighth of the time since there was traffic later,
/// so a change is seen the sooner, the sooner it was to be expected. It must not know clocks, dice
/// or stores: times are handed in, in nanoseconds, and chances as numbers.
struct AskingPlan: Sendable {
  /// The first question comes that soon after an act.
  static let shortest: Int64 = 50_000_000
  /// The longest pause while the container doesn't answer: it may be back at any moment.
  static let away: Int64 = 10_000_000_000

  /// The longest pause there is.
  let longest: Int64
  /// When there was traffic last.
  private var traffic: Int64
  private var failures = 0
  /// In traffic that doesn't end.
  private var burst: Budget
  /// When to ask.
  private(set) var next: Int64

  /// In traffic it asks twice a second; four times where a question costs nothing.
  init(longest: Int64, isFree: Bool, now: Int64) {
    precondition(longest > 0, "a pause of nothing")
    self.longest = longest
    burst = Budget(32, period: isFree ? 250_000_000 : 500_000_000)
    traffic = now
    next = now
  }

  /// Whether the last questions got no answer.
  var isAway: Bool { failures > 1 }

  /// How long after a change it may be heard of by now, if nothing is lost.
  func lateness(now: Int64) -> Int64 { pause(now: now) }

  /// Somebody wrote something, here or elsewhere: more is to be expected.
  mutating func act(now: Int64) {
    traffic = max(traffic, now)
    guard failures == 0 else { return }
    next = min(next, max(now + min(Self.shortest, longest), burst.next(now: now)))
  }

  /// The question was answered.
  /// - Parameters:
  ///   - now: When.
  ///   - chance: A random number: those who ask in step get out of it.
  mutating func answered(now: Int64, chance: UInt32) {
    failures = 0
    _ = burst.take(now: now)
    let pause = pause(now: now)
    next = max(now + pause - share(of: pause / 8, chance), burst.next(now: now))
  }

  /// The question got no answer.
  mutating func failed(now: Int64, chance: UInt32) {
    failures += 1
    let pause = min(longest, Self.away, 1_000_000_000 << Int64(min(failures - 1, 10)))
    // All who lost it at once must not come back at once.
    next = now + pause - share(of: pause / 2, chance)
  }

  private func pause(now: Int64) -> Int64 {
    min(longest, max(Self.shortest, (now - traffic) / 8))
  }

  private func share(of span: Int64, _ chance: UInt32) -> Int64 {
    Int64(Double(span) * Double(chance) / Double(UInt32.max))
  }
}
