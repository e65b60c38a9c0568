/// So many bytes a second, with a second's worth at once: what goes first pays later, so in any
/// time there go at most the bytes of that time, of one second, and of the one object that was
/// under way when they were used up. It must not know clocks: times are handed in, in nanoseconds.
public struct TokenBucket: Sendable {
  /// The rates that there can be, in bytes a second.
  public static let rates: ClosedRange<Int64> = 1_024...1 << 33
  /// How much time's worth may go at once.
  static let burst: Int64 = 1_000_000_000

  /// Bytes a second.
  public let rate: Int64
  /// When all that went has been paid for.
  private var paid = Int64.min / 2

  /// - Parameter rate: Bytes a second, one of `rates`.
  public init(rate: Int64) {
    precondition(Self.rates.contains(rate), "a rate of \(rate)")
    self.rate = rate
  }

  /// When the next bytes may go, however many.
  /// - Parameter now: By the clock.
  /// - Returns: a time, `now` at the earliest.
  public func next(now: Int64) -> Int64 { max(now, paid - Self.burst) }

  /// That many bytes go, or went.
  /// - Parameters:
  ///   - bytes: How many, 0 or more.
  ///   - now: When.
  public mutating func take(_ bytes: Int, now: Int64) {
    precondition(bytes >= 0, "\(bytes) bytes")
    let (seconds, rest) = Int64(bytes).quotientAndRemainder(dividingBy: rate)
    let price = min(seconds, Int64.max >> 40) * 1_000_000_000 + rest * 1_000_000_000 / rate
    paid = max(paid, now) + price
  }
}
