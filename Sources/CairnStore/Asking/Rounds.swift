/// Full looks at one folder after the other, for bells that were lost: in turn, and as slowly as
/// pays for the requests that each look turned out to take. It must not know clocks or stores:
/// times are handed in, in nanoseconds.
struct Rounds: Sendable {
  /// What a look is taken to cost before it is known, in requests.
  static let usual = 3
  /// The longest pause between two looks that one price makes.
  static let longest: Int64 = 6 * 3_600_000_000_000

  /// How long each request of a look is paid for.
  let period: Int64
  /// When the next look is.
  private(set) var next: Int64
  private var last: String?
  private var began: (time: Int64, requests: Int)?

  init(period: Int64, now: Int64) {
    precondition(period > 0, "looks that never end")
    self.period = period
    next = now + Int64(Self.usual) * period
  }

  /// Which of these is looked at now: the one behind the last.
  /// - Parameters:
  ///   - groups: All there are.
  ///   - now: When.
  ///   - requests: How many requests the store had so far.
  /// - Returns: one of them; nil if there are none.
  mutating func look(at groups: some Collection<String>, now: Int64, requests: Int) -> String? {
    began = (now, requests)
    next = now + Int64(Self.usual) * period
    let behind = groups.filter { group in last.map { $0 < group } ?? true }.min()
    last = behind ?? groups.min()
    return last
  }

  /// The look is over, and nothing else was to be done since: what it took is its price.
  /// - Parameter requests: How many requests the store had so far.
  mutating func pay(_ requests: Int) {
    guard let began else { return }
    let price = min(Self.longest, Int64(max(0, requests - began.requests)) * period)
    next = max(next, began.time + price)
    self.began = nil
  }

  /// The look is over, and what it took can't be told from other work.
  mutating func forgetPrice() { began = nil }
}
