import Glibc

extension Control {
  /// A moment, to the nanosecond. In JSON it is RFC 3339 in UTC, with nine digits of a second:
  /// `2026-11-21T14:03:00.123456789Z`. Clocks only ever inform people.
  public struct Time: Hashable, Sendable, Comparable {
    /// Nanoseconds since 1970 in UTC; may be negative.
    public var nanoseconds: Int64

    /// This many nanoseconds since 1970.
    public init(nanoseconds: Int64) {
      self.nanoseconds = nanoseconds
    }

    /// The wall clock's time.
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

    /// The earlier one is less.
    public static func < (left: Time, right: Time) -> Bool {
      left.nanoseconds < right.nanoseconds
    }
  }
}

extension Control.Time: CustomStringConvertible {
  /// RFC 3339 in UTC, with nine digits of a second.
  public var description: String {
    let clock = seconds.modulo(86_400)
    let (year, month, day) = Self.civil(fromDays: (seconds - clock) / 86_400)
    let fraction = nanoseconds.modulo(1_000_000_000)
    return Self.digits(year, 4) + "-" + Self.digits(month, 2) + "-" + Self.digits(day, 2) + "T"
      + Self.digits(clock / 3600, 2) + ":" + Self.digits(clock / 60 % 60, 2) + ":"
      + Self.digits(clock % 60, 2) + "." + Self.digits(fraction, 9) + "Z"
  }

  /// Reads what `description` writes; fewer digits of a second, or none, are allowed. Nil for
  /// anything else.
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
      let second = number(2), (1...12).contains(month), (1...31).contains(day), hour < 24,
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
    let (whole, tooFar) = (Self.days(year, month, day) * 86_400 + clock)
      .multipliedReportingOverflow(by: 1_000_000_000)
    let (sum, isTooLate) = whole.addingReportingOverflow(fraction)
    guard !tooFar, !isTooLate else { return nil }
    self.init(nanoseconds: sum)
  }

  private static func value(_ digits: ArraySlice<UInt8>) -> Int64? {
    digits.allSatisfy { (0x30...0x39).contains($0) }
      ? digits.reduce(0) { $0 * 10 + Int64($1 - 0x30) } : nil
  }

  private static func digits(_ value: Int64, _ width: Int) -> String {
    let text = String(value)
    return String(repeating: "0", count: max(0, width - text.utf8.count)) + text
  }

  // The proleptic Gregorian calendar, in eras of 400 years that begin on 1 March.

  private static func civil(fromDays days: Int64) -> (year: Int64, month: Int64, day: Int64) {
    let shifted = days + 719_468
    let dayOfEra = shifted.modulo(146_097)
    let era = (shifted - dayOfEra) / 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shiftedMonth = (5 * dayOfYear + 2) / 153
    let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
    let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    return (year, month, dayOfYear - (153 * shiftedMonth + 2) / 5 + 1)
  }

  private static func days(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
    let shifted = month <= 2 ? year - 1 : year
    let yearOfEra = shifted.modulo(400)
    let era = (shifted - yearOfEra) / 400
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
  }
}

extension Control.Time: Codable {
  /// Throws `DecodingError` for what isn't RFC 3339 in UTC.
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

extension Int64 {
  /// The remainder that has the sign of the divisor.
  fileprivate func modulo(_ divisor: Int64) -> Int64 {
    let remainder = self % divisor
    return remainder < 0 ? remainder + divisor : remainder
  }
}
