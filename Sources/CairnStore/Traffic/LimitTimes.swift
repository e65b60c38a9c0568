/// The times at which speed limits apply: hours of the day, or while the connection is metered. One
/// of them is enough. It must not know clocks or networks.
public struct LimitTimes: Hashable, Sendable {
  /// A part of each day, in minutes after midnight. One that ends before it begins lasts over
  /// midnight.
  private struct Hours: Hashable, Sendable {
    var begin: Int
    var end: Int

    func contains(_ minute: Int) -> Bool {
      begin < end
        ? begin <= minute && minute < end : begin <= minute || minute < end
    }
  }

  private var hours: [Hours] = []
  /// A Boolean value that indicates whether the limits apply while the connection is metered.
  public private(set) var isForMetered = false

  /// A Boolean value that indicates whether the limits always apply.
  public var isAlways: Bool { hours.isEmpty && !isForMetered }

  /// Creates a value for limits that always apply.
  public init() {}

  /// Creates a value from texts such as "08:00-18:00" and "metered"; nil if a text has no meaning.
  /// - Parameter texts: The texts; without any, the limits always apply.
  public init?(_ texts: [String]) {
    for text in texts {
      if text == "metered" {
        isForMetered = true
      } else {
        let ends = text.split(separator: "-", omittingEmptySubsequences: false).map(Self.minute)
        guard ends.count == 2, let begin = ends[0], let end = ends[1], begin != end else {
          return nil
        }
        hours.append(Hours(begin: begin, end: end))
      }
    }
  }

  /// The texts from which an equal value can be created.
  public var texts: [String] {
    hours.map { "\(Self.text($0.begin))-\(Self.text($0.end))" } + (isForMetered ? ["metered"] : [])
  }

  /// Returns whether the limits apply.
  /// - Parameters:
  ///   - minute: The minutes since midnight, by the clock of the person.
  ///   - isMetered: Returns whether the connection is metered; called only if that decides.
  /// - Returns: true if they apply.
  public func apply(at minute: Int, isMetered: () -> Bool) -> Bool {
    isAlways || hours.contains { $0.contains(minute) } || isForMetered && isMetered()
  }

  /// Returns the minutes since midnight of a time such as "8:00" or "24:00".
  private static func minute(_ text: Substring) -> Int? {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 2, (1...2).contains(parts[0].count), parts[1].count == 2,
      parts.joined().utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
      let hour = Int(parts[0]), let minute = Int(parts[1]), minute < 60,
      (0...24 * 60).contains(hour * 60 + minute)
    else { return nil }
    return hour * 60 + minute
  }

  private static func text(_ minute: Int) -> String {
    func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    return "\(two(minute / 60)):\(two(minute % 60))"
  }
}
