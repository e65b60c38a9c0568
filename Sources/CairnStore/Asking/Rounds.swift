/// Complete checks of one folder after another, for lost change markers. The pause between two
/// checks pays for the requests of the first. It must not know clocks or stores: times are
/// arguments, in nanoseconds.
struct Rounds: Sendable {
  /// The assumed price of a check in requests, before it is known.
  static let usual = 3
  /// The longest pause after one check.
  static let longest: Int64 = 6 * 3_600_000_000_000

  /// The time that pays for one request.
  let period: Int64
  /// The time of the next check.
  private(set) var next: Int64
  private var last: String?
  private var began: (time: Int64, requests: Int)?

  init(period: Int64, now: Int64) {
    precondition(period > 0, "looks that never end")
    self.period = period
    next = now + Int64(Self.usual) * period
  }

  /// Selects the group to check now: the one after the last.
  /// - Parameters:
  ///   - groups: All groups.
  ///   - now: The current time.
  ///   - requests: The number of requests to the store so far.
  /// - Returns: a group; nil if there are none.
  mutating func look(at groups: some Collection<String>, now: Int64, requests: Int) -> String? {
    began = (now, requests)
    next = now + Int64(Self.usual) * period
    let behind = groups.filter { group in last.map { $0 < group } ?? true }.min()
    last = behind ?? groups.min()
    return last
  }

  /// Ends the check. Its requests are its price, if nothing else ran meanwhile.
  /// - Parameter requests: The number of requests to the store so far.
  mutating func pay(_ requests: Int) {
    guard let began else { return }
    let price = min(Self.longest, Int64(max(0, requests - began.requests)) * period)
    next = max(next, began.time + price)
    self.began = nil
  }

  /// Ends the check without a price, because other work ran meanwhile.
  mutating func forgetPrice() { began = nil }
}
