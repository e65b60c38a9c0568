import ArgumentParser
import CairnControl
import Glibc

/// A past point in time on the command line: a day, a day and a time, a time of today, a span back
/// from now, or `@POSITION`, the state after that entry of the log.
struct MomentArgument: ExpressibleByArgument {
  /// The text as given.
  let text: String
  /// The beginning of the time span after it; for a day, its beginning.
  let begin: Control.Moment
  /// The point whose state is meant; for a day, its end.
  let end: Control.Moment

  /// Reads `2026-12-24`, `2026-12-24T18:00`, `"2026-12-24 18:00:30"`, `18:00`, `yesterday`, `2h`,
  /// `"2 hours ago"`, a time in UTC as JSON has it, or `@312`; nil for anything else.
  init?(argument: String) {
    text = argument
    if argument.first == "@" {
      guard let name = Control.VersionName(argument.dropFirst()), name.version > 0 else {
        return nil
      }
      begin = Control.Moment(place: name.version, zone: name.zone)
      end = begin
      return
    }
    if let time = Control.Time(argument) {
      (begin, end) = (Control.Moment(time: time), Control.Moment(time: time))
      return
    }
    guard let seconds = Self.back(argument) ?? Self.day(argument) else { return nil }
    begin = Self.moment(seconds.begin)
    end = Self.moment(seconds.end)
  }

  private static func moment(_ seconds: Int64) -> Control.Moment {
    // A displayed second includes everything that happened in it.
    Control.Moment(time: Control.Time(nanoseconds: seconds * 1_000_000_000 + 999_999_999))
  }

  private static func back(_ text: String) -> (begin: Int64, end: Int64)? {
    var words = text.split(separator: " ")
    if words.count > 1, words.last == "ago" { words.removeLast() }
    let units = ["minute": "m", "hour": "h", "day": "d"]
    var span = text
    if words.count == 2 {
      let unit = words[1].last == "s" ? words[1].dropLast() : words[1]
      guard let letter = units[String(unit)] else { return nil }
      span = words[0] + letter
    } else if words.count == 1 {
      span = String(words[0])
    }
    guard let length = LocalTime.span(span) else { return nil }
    let moment = Control.Time.now().seconds - length
    return (moment, moment)
  }

  private static func day(_ text: String) -> (begin: Int64, end: Int64)? {
    var text = text
    if text.utf8.count == 5 || text.utf8.count == 8, text.contains(":") {
      text = LocalTime.today(plus: 0) + "T" + text
    } else if text == "yesterday" {
      text = LocalTime.today(plus: -1)
    } else if text.utf8.count > 10, let space = text.firstIndex(of: " ") {
      text.replaceSubrange(space...space, with: "T")
    }
    guard let seconds = LocalTime.date(text) else { return nil }
    // A whole day ends in the second before the next one.
    let isDay = seconds.end > seconds.begin
    return isDay ? (seconds.begin - 1, seconds.end - 1) : seconds
  }

  /// The help of an option for a point in time.
  static func help(_ what: String) -> ArgumentHelp {
    ArgumentHelp(
      "\(what): 2026-11-20, \"2026-11-20 14:30\", 14:30, 2h, 7d, or @312 for a place of the log.",
      valueName: "when")
  }
}
