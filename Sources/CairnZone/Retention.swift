/// A past version of a record: the part of the log in which it was the present one.
public struct PastVersion: Hashable, Sendable {
  /// The position of the commit that created it.
  public var began: UInt64
  /// The position of the commit that replaced or deleted it.
  public var ended: UInt64

  /// Creates a version.
  public init(began: UInt64, ended: UInt64) {
    self.began = began
    self.ended = ended
  }
}

/// The clock for the age of versions. It advances with the clock of an owner's device, never goes
/// back, and advances by at most `longestGap` at a time. So a clock that jumps by years makes
/// nothing old at once, and a long pause of the device makes everything younger.
public struct AgeClock: Hashable, Sendable {
  /// The maximum number of seconds between two readings.
  public static let longestGap: Int64 = 7 * 86_400

  /// The seconds since 1970, if the underlying clock never jumped.
  public private(set) var time: Int64
  /// The last reading of the underlying clock, in seconds since 1970.
  public private(set) var reading: Int64

  /// Continues an earlier clock.
  public init(time: Int64, reading: Int64) {
    self.time = time
    self.reading = reading
  }

  /// Starts with a reading, in seconds since 1970.
  public init(beginningAt reading: Int64) { self.init(time: reading, reading: reading) }

  /// Continues with a reading, in seconds since 1970.
  public mutating func read(_ now: Int64) {
    let (gap, overflows) = now.subtractingReportingOverflow(reading)
    if now > reading, time < .max - Self.longestGap {
      time += overflows ? Self.longestGap : min(gap, Self.longestGap)
    }
    reading = now
  }
}

/// The times at which an owner's device had read positions of the log. Authors' claims do not
/// influence ages.
public struct PlaceAges: Sendable {
  /// The positions up to which the device had read, ascending, each with the time of its
  /// `AgeClock`.
  private let seen: [(sequence: UInt64, time: Int64)]
  /// The current time of the clock, in seconds.
  public let now: Int64

  /// Creates ages.
  /// - Parameters:
  ///   - seen: Positions up to which the log was read, with the time, both ascending.
  ///   - now: The current time of the same clock, in seconds.
  public init(seen: [(sequence: UInt64, time: Int64)], now: Int64) {
    self.seen = seen
    self.now = now
  }

  /// Returns the time in seconds when the entry at a position had certainly been read; the current
  /// time if that was not noted yet.
  public func time(of sequence: UInt64) -> Int64 {
    var (low, high) = (0, seen.count)
    while low < high {
      let middle = (low + high) / 2
      if seen[middle].sequence < sequence { low = middle + 1 } else { high = middle }
    }
    return low < seen.count ? min(seen[low].time, now) : now
  }

  /// Returns the last position that had certainly been read more than that many seconds ago; 0:
  /// none.
  public func last(olderThan seconds: UInt64) -> UInt64 {
    seen.last { age(of: $0.sequence) > seconds }?.sequence ?? 0
  }

  /// Returns the ages after some seconds.
  func later(by seconds: UInt64) -> PlaceAges {
    let (later, overflows) = now.addingReportingOverflow(Int64(clamping: seconds))
    return PlaceAges(seen: seen, now: overflows ? .max : later)
  }

  /// Returns the age of an entry in seconds.
  public func age(of sequence: UInt64) -> UInt64 {
    let (age, overflows) = now.subtractingReportingOverflow(time(of: sequence))
    return overflows ? .max : UInt64(max(0, age))
  }
}

/// The rule for past versions: a version is kept if the policy keeps it, or a policy that was in
/// force until recently. So nobody can erase history in one commit. It decides, and must not know
/// the storage of versions.
public struct Retention: Sendable {
  /// The grace period of a replaced policy in seconds: seven days.
  public static let notice: UInt64 = 7 * 86_400

  /// The current policies; nil among them keeps everything.
  public let policies: Set<HistoryPolicy?>
  /// The seconds until only the policy in force counts; 0: now.
  public let rest: UInt64
  private let ages: PlaceAges

  /// Creates a rule.
  /// - Parameters:
  ///   - changes: Each change of the zone's policy with its position, ascending. Before the first
  ///     of them everything is kept.
  ///   - ages: The ages of positions.
  public init(changes: [(sequence: UInt64, policy: HistoryPolicy?)], ages: PlaceAges) {
    self.ages = ages
    let inForce = changes.last?.policy ?? nil
    var policies: Set<HistoryPolicy?> = [inForce]
    var rest: UInt64 = 0
    var before: HistoryPolicy?
    for change in changes {
      let age = ages.age(of: change.sequence)
      if age < Self.notice, before != inForce {
        policies.insert(before)
        rest = max(rest, Self.notice - age)
      }
      before = change.policy
    }
    self.policies = policies
    self.rest = rest
  }

  private init(policy: HistoryPolicy?, ages: PlaceAges) {
    (policies, rest) = ([policy], 0)
    self.ages = ages
  }

  /// Returns the rule after the grace period of a change to a policy.
  /// - Parameters:
  ///   - policy: The policy that then counts alone.
  ///   - seconds: The time until then; 0 for the ages as they are now.
  /// - Returns: The rule.
  public func after(_ policy: HistoryPolicy?, in seconds: UInt64 = 0) -> Retention {
    Self(policy: policy, ages: ages.later(by: seconds))
  }

  /// The minimum time in seconds for which deletions are remembered: ninety days.
  public static let remembrance: UInt64 = 90 * 86_400

  /// The last position whose deletions may be forgotten: older than any version that is kept by
  /// age, and than `remembrance`.
  public var forgotten: UInt64 {
    guard !keepsAll else { return 0 }
    let longest = policies.compactMap { $0 }.map { max($0.all ?? 0, $0.daily ?? 0) }.max() ?? 0
    return ages.last(olderThan: max(longest, Self.remembrance))
  }

  /// A Boolean value that indicates whether every version is kept.
  public var keepsAll: Bool { policies.contains(nil) }

  /// Returns the kept ones of a record's past versions.
  /// - Parameter versions: All past versions, in any order.
  /// - Returns: the versions that one of the policies keeps, in their order.
  public func kept(of versions: [PastVersion]) -> [PastVersion] {
    guard !keepsAll else { return versions }
    let latest = versions.enumerated().sorted {
      ($0.element.ended, $0.element.began) > ($1.element.ended, $1.element.began)
    }
    var kept: Set<Int> = []
    for case let policy? in policies {
      // The day of the last version: the latest version of each day comes first.
      var day: Int64?
      for (rank, version) in latest.enumerated() {
        let age = ages.age(of: version.element.ended)
        let made = Self.day(of: ages.time(of: version.element.began))
        let isLastOfDay = made != day
        day = made
        let keeps =
          policy.all.map { age <= $0 } ?? false
          || policy.versions.map { rank < Int($0) } ?? false
          || (isLastOfDay && policy.daily.map { age <= $0 } ?? false)
        if keeps { kept.insert(version.offset) }
      }
    }
    return versions.indices.filter { kept.contains($0) }.map { versions[$0] }
  }

  /// The days of UTC since 1970.
  private static func day(of time: Int64) -> Int64 {
    let (day, rest) = time.quotientAndRemainder(dividingBy: 86_400)
    return rest < 0 ? day - 1 : day
  }
}
