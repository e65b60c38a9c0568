import Glibc

extension Control {
  /// A point in time, to the nanosecond. In JSON it is RFC 3339 in UTC, with nine digits of a
  /// second: `2026-11-21T14:03:00.123456789Z`. Times only inform people and decide nothing.
  public struct Time: Hashable, Sendable, Comparable {
    /// Nanoseconds since 1970 in UTC; may be negative.
    public var nanoseconds: Int64

    /// Creates a time from nanoseconds since 1970.
    public init(nanoseconds: Int64) {
      self.nanoseconds = nanoseconds
    }

    /// The current time of the wall clock.
    public static func now() -> Time {
      var time = timespec()
      clock_gettime(CLOCK_REALTIME, &time)
      return Time(nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
    }

    /// Whole seconds since 1970, rounded down.
    public var seconds: Int64 {
      let (whole, rest) = nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
      return rest < 0 ? whole - 1 : whole
    }

    /// Returns whether the left time is earlier.
    public static func < (left: Time, right: Time) -> Bool {
      left.nanoseconds < right.nanoseconds
    }
  }
}

extension Control.Time: CustomStringConvertible {
  /// RFC 3339 in UTC, with nine digits of a second.
  public var description: String {
    var (moment, parts) = (time_t(seconds), tm())
    gmtime_r(&moment, &parts)
    // Not from `seconds`, which times a billion may overflow.
    let rest = nanoseconds % 1_000_000_000
    let fraction = rest < 0 ? rest + 1_000_000_000 : rest
    return Self.digits(parts.tm_year + 1900, 4) + "-" + Self.digits(parts.tm_mon + 1, 2) + "-"
      + Self.digits(parts.tm_mday, 2) + "T" + Self.digits(parts.tm_hour, 2) + ":"
      + Self.digits(parts.tm_min, 2) + ":" + Self.digits(parts.tm_sec, 2) + "."
      + Self.digits(fraction, 9) + "Z"
  }

  /// Reads the form of `description`, also with fewer digits of a second, or none. Nil for anything
  /// else.
  public init?(_ text: String) {
    var rest = Array(text.utf8)[...]
    func number(_ count: Int) -> Int64? {
      guard rest.count >= count else { return nil }
      defer { rest = rest.dropFirst(count) }
      return Self.value(rest.prefix(count))
    }
    func skip(_ character: Unicode.Scalar) -> Bool {
      guard rest.first == UInt8(ascii: character) else { return false }
      rest = rest.dropFirst()
      return true
    }
    guard let year = number(4), skip("-"), let month = number(2), skip("-"), let day = number(2),
      skip("T"), let hour = number(2), skip(":"), let minute = number(2), skip(":"),
      let second = number(2), let midnight = Self.midnight(year, month, day), hour < 24,
      minute < 60, second < 61
    else { return nil }
    var fraction: Int64 = 0
    if skip(".") {
      let count = rest.prefix { $0 != UInt8(ascii: "Z") }.count
      guard (1...9).contains(count), let value = number(count) else { return nil }
      fraction = (count..<9).reduce(value) { scaled, _ in scaled * 10 }
    }
    guard skip("Z"), rest.isEmpty else { return nil }
    let clock = hour * 3600 + minute * 60 + second
    var moment = midnight + clock
    if moment < 0 {
      // Counted from its end: the beginning of the very first second is out of range.
      moment += 1
      fraction -= 1_000_000_000
    }
    let (whole, tooFar) = moment.multipliedReportingOverflow(by: 1_000_000_000)
    let (sum, isTooLate) = whole.addingReportingOverflow(fraction)
    guard !tooFar, !isTooLate else { return nil }
    self.init(nanoseconds: sum)
  }

  private static func value(_ digits: ArraySlice<UInt8>) -> Int64? {
    digits.allSatisfy { (0x30...0x39).contains($0) }
      ? digits.reduce(0) { $0 * 10 + Int64($1 - 0x30) } : nil
  }

  private static func digits(_ value: some BinaryInteger, _ width: Int) -> String {
    let text = String(value)
    return String(repeating: "0", count: max(0, width - text.utf8.count)) + text
  }

  /// The beginning of a day, in seconds since 1970; nil if there is no such day.
  private static func midnight(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64? {
    var parts = tm()
    parts.tm_year = Int32(year - 1900)
    parts.tm_mon = Int32(month - 1)
    parts.tm_mday = Int32(day)
    let seconds = timegm(&parts)
    // timegm turns an invalid day into another one.
    return parts.tm_mon == month - 1 && parts.tm_mday == day ? Int64(seconds) : nil
  }
}

extension Control.Time: Codable {
  /// Throws `DecodingError` if the text is not RFC 3339 in UTC.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    guard let time = Control.Time(try container.decode(String.self)) else {
      throw DecodingError.dataCorruptedError(
        in: container, debugDescription: "This is no time as in 2026-11-21T14:03:00.123456789Z.")
    }
    self = time
  }

  /// Writes `description`.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(description)
  }
}
