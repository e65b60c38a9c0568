import CairnCurl

/// The decision whether, and after which pause, a request is repeated when the server has trouble
/// of its own. It only decides, and never waits. It must not know the meaning of an answer for an
/// object.
struct Persistence {
  /// The maximum number of attempts.
  static let attempts = 6
  /// The longest pause before an attempt, in milliseconds.
  static let longestPause = 5_000
  /// The latest start of an attempt after the first, in nanoseconds. A server that hangs costs one
  /// minute, not one per attempt.
  static let patience: Int64 = 60_000_000_000

  private let begun: Int64
  private var attempt = 1

  /// Starts with the first attempt.
  /// - Parameter now: The monotonic time.
  init(now: Int64) { begun = now }

  /// Decides after a failed attempt.
  /// - Parameters:
  ///   - asked: The pause in milliseconds that the server requested.
  ///   - now: The monotonic time.
  /// - Returns: the pause in milliseconds before the next attempt, different for each client; nil:
  ///   give up.
  mutating func pause(asked: Int?, now: Int64) -> Int? {
    guard attempt < Self.attempts, now - begun < Self.patience else { return nil }
    let usual = min(Self.longestPause, 100 << (attempt - 1))
    attempt += 1
    guard let asked, asked > usual else { return Int.random(in: (usual / 2)...usual) }
    return asked <= Self.longestPause ? asked : nil
  }
}

extension HTTPAnswer {
  /// A Boolean value that indicates whether the sender of the answer has trouble of its own, and
  /// says nothing about the object. The request may have been executed anyway: the sender may be a
  /// proxy.
  var isTrouble: Bool {
    switch status {
    case 408, 425, 429: true
    // Not implemented, too large and full are permanent.
    case 501, 505, 507: false
    case 500...599: true
    default: false
    }
  }

  /// A Boolean value that indicates whether the trouble is overload.
  var isTooMuch: Bool { status == 429 || status == 503 }

  /// The pause that the server requests, as seconds or as a date.
  /// - Parameter now: This machine's time, in seconds since 1970, for a server without a date.
  /// - Returns: milliseconds; nil if it requests none.
  func retryAfter(now: Int64) -> Int? {
    guard let text = headers["retry-after"] else { return nil }
    let seconds: Int64
    if let number = Int64(text) {
      seconds = number
    } else {
      let (until, date) = (cairn_http_date(text), headers["date"].map { cairn_http_date($0) } ?? -1)
      guard until >= 0 else { return nil }
      seconds = until - (date < 0 ? now : date)
    }
    return Int(min(max(0, seconds), 86_400)) * 1_000
  }

  /// A Boolean value that indicates whether the body is as long as the head says. Half a body in a
  /// complete frame is a lost answer.
  var isWholePart: Bool {
    guard status == 206, let range = contentRange else { return true }
    return range.first + body.count == range.last + 1
  }

  /// The range of bytes in an answer, and the total size; nil without this header.
  var contentRange: (first: Int, last: Int, size: Int?)? {
    guard let text = headers["content-range"], text.hasPrefix("bytes ") else { return nil }
    let halves = text.dropFirst(6).split(separator: "/")
    let ends = halves.first?.split(separator: "-").map { Int($0) } ?? []
    guard halves.count == 2, ends.count == 2, let first = ends[0], let last = ends[1], first >= 0,
      last >= first, last < .max
    else { return nil }
    return (first, last, Int(halves[1]))
  }
}

/// The time when a server that requested a pause may be asked again. All requests share it.
struct QuietTime {
  /// The longest accepted pause, in nanoseconds: a server can send any number.
  static let longest: Int64 = 60_000_000_000
  private var until: Int64 = 0

  /// Notes that the server requested a pause of this many milliseconds.
  mutating func ask(_ milliseconds: Int, now: Int64) {
    until = max(until, now + min(Self.longest, Int64(milliseconds) * 1_000_000))
  }

  /// The remaining seconds, rounded up; nil if there is no pause.
  func left(now: Int64) -> Int64? {
    until > now ? (until - now + 999_999_999) / 1_000_000_000 : nil
  }
}
