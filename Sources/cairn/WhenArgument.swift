import ArgumentParser
import CairnControl
import Glibc

/// A future time on the command line: a day (until its end), a day and a time, both local, or a
/// span from now.
struct WhenArgument: ExpressibleByArgument {
  /// The time.
  let time: Control.Time

  /// Reads `2026-12-24`, `2026-12-24T18:00`, `tomorrow`, `7d`, `12h` or `30m`; nil for anything
  /// else.
  init?(argument: String) {
    guard let time = Self.span(argument) ?? Self.date(argument) else { return nil }
    self.time = time
  }

  private static func span(_ text: String) -> Control.Time? {
    guard let length = LocalTime.span(text) else { return nil }
    let now = Control.Time.now()
    return Control.Time(nanoseconds: now.nanoseconds + length * 1_000_000_000)
  }

  private static func date(_ text: String) -> Control.Time? {
    let day = ["today": 0, "tomorrow": 1][text].map { LocalTime.today(plus: $0) }
    return LocalTime.date(day ?? text).map { Control.Time(nanoseconds: $0.end * 1_000_000_000) }
  }
}

/// Times and spans as people type them.
enum LocalTime {
  /// `7d`, `12h` or `30m`, in seconds; nil for anything else.
  static func span(_ text: String) -> Int64? {
    let seconds: Int64
    switch text.last {
    case "d": seconds = 86_400
    case "h": seconds = 3_600
    case "m": seconds = 60
    default: return nil
    }
    // A hundred years are enough, and far from the limit of 64 bits.
    guard let count = number(text.dropLast()), count > 0, count * seconds < 100 * 365 * 86_400
    else { return nil }
    return count * seconds
  }

  /// A day, or a day and a time, in local time: the seconds since 1970 of its beginning and end,
  /// which are equal for a time. Nil for anything else.
  static func date(_ text: String) -> (begin: Int64, end: Int64)? {
    let halves = text.split(separator: "T", maxSplits: 1, omittingEmptySubsequences: false)
    let days = halves[0].split(separator: "-", omittingEmptySubsequences: false)
    guard days.count == 3, days.map(\.utf8.count) == [4, 2, 2], let year = number(days[0]),
      let month = number(days[1]), let day = number(days[2]), year < 2200
    else { return nil }
    var parts = tm()
    parts.tm_year = Int32(year) - 1900
    parts.tm_mon = Int32(month) - 1
    parts.tm_mday = Int32(day)
    parts.tm_isdst = -1
    if halves.count > 1 {
      let clock = halves[1].split(separator: ":", omittingEmptySubsequences: false)
      guard clock.count == 2 || clock.count == 3, clock.allSatisfy({ $0.utf8.count == 2 }),
        let hour = number(clock[0]), let minute = number(clock[1]),
        let second = clock.count == 3 ? number(clock[2]) : 0, hour < 24, minute < 60, second < 60
      else { return nil }
      parts.tm_hour = Int32(hour)
      parts.tm_min = Int32(minute)
      parts.tm_sec = Int32(second)
    }
    // mktime turns the 31st of June into another day.
    var same = parts
    guard mktime(&same) != -1, same.tm_mday == parts.tm_mday, same.tm_mon == parts.tm_mon else {
      return nil
    }
    let begin = Int64(mktime(&parts))
    if halves.count == 1 { parts.tm_mday += 1 }
    return (begin, Int64(mktime(&parts)))
  }

  /// A day near today in local time, as `date` reads it.
  static func today(plus days: Int32) -> String {
    var (now, parts) = (time(nil), tm())
    localtime_r(&now, &parts)
    parts.tm_mday += days
    parts.tm_isdst = -1
    mktime(&parts)
    var buffer = [CChar](repeating: 0, count: 16)
    let count = strftime(&buffer, buffer.count, "%Y-%m-%d", &parts)
    return String(decoding: buffer.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  private static func number(_ text: Substring) -> Int64? {
    guard (1...9).contains(text.utf8.count), text.utf8.allSatisfy({ (0x30...0x39).contains($0) })
    else { return nil }
    return Int64(text)
  }
}

/// The end of a person's access: a future time, or never.
struct EndArgument: ExpressibleByArgument {
  /// The time; nil for never.
  let time: Control.Time?

  init?(argument: String) {
    guard argument != "never" else {
      time = nil
      return
    }
    guard let when = WhenArgument(argument: argument) else { return nil }
    time = when.time
  }
}
