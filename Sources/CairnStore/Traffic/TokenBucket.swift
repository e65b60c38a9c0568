/// A rate limit in bytes per second, with one second's worth at once. Bytes are sent first and paid
/// later. So any interval has at most its own bytes, those of one second, and one object that was
/// already started. It must not know clocks: times are arguments, in nanoseconds.
public struct TokenBucket: Sendable {
  /// The allowed rates in bytes per second.
  public static let rates: ClosedRange<Int64> = 1_024...1 << 33
  /// The time whose bytes may go at once.
  static let burst: Int64 = 1_000_000_000

  /// Bytes per second.
  public let rate: Int64
  /// The time when all sent bytes are paid.
  private var paid = Int64.min / 2

  /// Creates a limit.
  /// - Parameter rate: Bytes per second, one of `rates`.
  public init(rate: Int64) {
    precondition(Self.rates.contains(rate), "a rate of \(rate)")
    self.rate = rate
  }

  /// The time when the next bytes may go, however many.
  /// - Parameter now: The current time.
  /// - Returns: a time, `now` at the earliest.
  public func next(now: Int64) -> Int64 { max(now, paid - Self.burst) }

  /// Notes that bytes go, or went.
  /// - Parameters:
  ///   - bytes: The number of bytes, 0 or more.
  ///   - now: The current time.
  public mutating func take(_ bytes: Int, now: Int64) {
    precondition(bytes >= 0, "\(bytes) bytes")
    let (seconds, rest) = Int64(bytes).quotientAndRemainder(dividingBy: rate)
    let price = min(seconds, Int64.max >> 40) * 1_000_000_000 + rest * 1_000_000_000 / rate
    paid = max(paid, now) + price
  }
}
