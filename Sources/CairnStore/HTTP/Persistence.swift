import CairnCurl

/// Whether, and after what pause, one request is sent again to a server that has trouble of its
/// own. It decides, and doesn't wait; what a server's answer means for an object, it must not know.
struct Persistence {
  /// How often something is asked before it is given up.
  static let attempts = 6
  /// Nobody waits longer for one attempt, in milliseconds.
  static let longestPause = 5_000
  /// No attempt begins later than that after the first, in nanoseconds: a server that hangs costs
  /// a minute, and not that many.
  static let patience: Int64 = 60_000_000_000

  private let begun: Int64
  private var attempt = 1

  /// Begins with the first attempt.
  /// - Parameter now: By the monotonic clock.
  init(now: Int64) { begun = now }

  /// What is to be done after an attempt that failed.
  /// - Parameters:
  ///   - asked: How many milliseconds the server wants to be left alone.
  ///   - now: By the monotonic clock.
  /// - Returns: how many milliseconds to wait before the next attempt, not as long as everybody
  ///   else; nil: it is given up.
  mutating func pause(asked: Int?, now: Int64) -> Int? {
    guard attempt < Self.attempts, now - begun < Self.patience else { return nil }
    let usual = min(Self.longestPause, 100 << (attempt - 1))
    attempt += 1
    guard let asked, asked > usual else { return Int.random(in: (usual / 2)...usual) }
    return asked <= Self.longestPause ? asked : nil
  }
}

extension HTTPAnswer {
  /// Whether whoever answered has trouble of its own, and says nothing of what was asked for. It
  /// may have been carried out all the same: who says so needn't be who was asked.
  var isTrouble: Bool {
    switch status {
    case 408, 425, 429: true
    // What isn't offered, what is too much and what is full stays so.
    case 501, 505, 507: false
    case 500...599: true
    default: false
    }
  }

  /// Whether it is trouble of having too much to do.
  var isTooMuch: Bool { status == 429 || status == 503 }

  /// How long the server wants to be left alone: it says a number of seconds, or a date.
  /// - Parameter now: By this machine's clock, in seconds since 1970, where the server has none.
  /// - Returns: milliseconds; nil if it doesn't say.
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

  /// Whether the body is all that the head says: half of it, framed as if it were whole, is an
  /// answer that got lost.
  var isWholePart: Bool {
    guard status == 206, let range = contentRange else { return true }
    return range.first + body.count == range.last + 1
  }

  /// Which bytes of how many an answer has; nil if it doesn't say that.
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

/// When a server that asked for it may be asked again: what one request learned holds for all.
struct QuietTime {
  /// Nobody is left alone longer, in nanoseconds: what a server says can be anything.
  static let longest: Int64 = 60_000_000_000
  private var until: Int64 = 0

  /// The server wants to be left alone that many milliseconds.
  mutating func ask(_ milliseconds: Int, now: Int64) {
    until = max(until, now + min(Self.longest, Int64(milliseconds) * 1_000_000))
  }

  /// The seconds that are left of it, rounded up; nil: there is none.
  func left(now: Int64) -> Int64? {
    until > now ? (until - now + 999_999_999) / 1_000_000_000 : nil
  }
}
