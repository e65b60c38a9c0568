/// The times to poll a container that does not notify. The pause is an eighth of the time since the
/// last traffic, so the delay of a change is proportional to its surprise. It must not know clocks,
/// dice or stores: times are arguments in nanoseconds, and chances are numbers.
struct AskingPlan: Sendable {
  /// The delay of the first poll after an act.
  static let shortest: Int64 = 50_000_000
  /// The longest pause while the container does not answer: it may be back at any moment.
  static let away: Int64 = 10_000_000_000

  /// The longest pause.
  let longest: Int64
  /// The time of the last traffic.
  private var traffic: Int64
  private var failures = 0
  /// The budget for polls in continuous traffic.
  private var burst: Budget
  /// The time of the next poll.
  private(set) var next: Int64

  /// Creates a plan. In traffic it polls twice a second, and four times if a poll is free.
  init(longest: Int64, isFree: Bool, now: Int64) {
    precondition(longest > 0, "a pause of nothing")
    self.longest = longest
    burst = Budget(32, period: isFree ? 250_000_000 : 500_000_000)
    traffic = now
    next = now
  }

  /// A Boolean value that indicates whether the last polls got no answer.
  var isAway: Bool { failures > 1 }

  /// The maximum delay of a change now, if nothing is lost.
  func lateness(now: Int64) -> Int64 { pause(now: now) }

  /// Notes a change, by this device or another: more is expected.
  mutating func act(now: Int64) {
    traffic = max(traffic, now)
    guard failures == 0 else { return }
    next = min(next, max(now + min(Self.shortest, longest), burst.next(now: now)))
  }

  /// Notes an answer.
  /// - Parameters:
  ///   - now: The current time.
  ///   - chance: A random number, so that devices that poll in step diverge.
  mutating func answered(now: Int64, chance: UInt32) {
    failures = 0
    _ = burst.take(now: now)
    let pause = pause(now: now)
    next = max(now + pause - share(of: pause / 8, chance), burst.next(now: now))
  }

  /// Notes that a poll got no answer.
  mutating func failed(now: Int64, chance: UInt32) {
    failures += 1
    let pause = min(longest, Self.away, 1_000_000_000 << Int64(min(failures - 1, 10)))
    // Devices that lost the container together must not return together.
    next = now + pause - share(of: pause / 2, chance)
  }

  private func pause(now: Int64) -> Int64 {
    min(longest, max(Self.shortest, (now - traffic) / 8))
  }

  private func share(of span: Int64, _ chance: UInt32) -> Int64 {
    Int64(Double(span) * Double(chance) / Double(UInt32.max))
  }
}
