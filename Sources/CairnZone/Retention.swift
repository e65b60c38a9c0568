/// A version of a record that isn't its present one any more: the stretch of the log in which it
/// was what the record is.
public struct PastVersion: Hashable, Sendable {
  /// The place of the commit that made it.
  public var began: UInt64
  /// The place of the commit that replaced or deleted it.
  public var ended: UInt64

  /// Joins the two.
  public init(began: UInt64, ended: UInt64) {
    self.began = began
    self.ended = ended
  }
}

/// The time by which versions age: it goes on as the clock of a device of the owner's does, never
/// back, and no further in one go than `longestGap`. A clock that jumps by years so makes nothing
/// old at once; a device that was off for long makes everything younger than it is.
public struct AgeClock: Hashable, Sendable {
  /// How many seconds it goes on at most between two readings.
  public static let longestGap: Int64 = 7 * 86_400

  /// In seconds since 1970, as long as the clock behind it never jumped.
  public private(set) var time: Int64
  /// What the clock behind it said last, in seconds since 1970.
  public private(set) var reading: Int64

  /// Goes on from where it was.
  public init(time: Int64, reading: Int64) {
    self.time = time
    self.reading = reading
  }

  /// Begins with what a clock says, in seconds since 1970.
  public init(beginningAt reading: Int64) { self.init(time: reading, reading: reading) }

  /// Goes on with what the clock says now, in seconds since 1970.
  public mutating func read(_ now: Int64) {
    let (gap, overflows) = now.subtractingReportingOverflow(reading)
    if now > reading, time < .max - Self.longestGap {
      time += overflows ? Self.longestGap : min(gap, Self.longestGap)
    }
    reading = now
  }
}

/// When a device of a zone's owner had read how far of the log: what authors claim has no part in
/// how old something is.
public struct PlaceAges: Sendable {
  /// Places that the device had read up to, ascending, each with the time of its `AgeClock`.
  private let seen: [(sequence: UInt64, time: Int64)]
  /// What the clock says now, in seconds.
  public let now: Int64

  /// - Parameters:
  ///   - seen: places up to which the log had been read, and when, ascending in both.
  ///   - now: the time of the same clock now, in seconds.
  public init(seen: [(sequence: UInt64, time: Int64)], now: Int64) {
    self.seen = seen
    self.now = now
  }

  /// When the entry at a place had been read for sure, in seconds; what wasn't noted yet, just now.
  public func time(of sequence: UInt64) -> Int64 {
    var (low, high) = (0, seen.count)
    while low < high {
      let middle = (low + high) / 2
      if seen[middle].sequence < sequence { low = middle + 1 } else { high = middle }
    }
    return low < seen.count ? min(seen[low].time, now) : now
  }

  /// The last place that had been read for sure more than that many seconds ago; 0: none.
  public func last(olderThan seconds: UInt64) -> UInt64 {
    seen.last { age(of: $0.sequence) > seconds }?.sequence ?? 0
  }

  /// How many seconds ago that was.
  public func age(of sequence: UInt64) -> UInt64 {
    let (age, overflows) = now.subtractingReportingOverflow(time(of: sequence))
    return overflows ? .max : UInt64(max(0, age))
  }
}

/// Which past versions of a zone are kept now: what its policy says, and every policy that was in
/// force a moment ago, so that nobody can end history in one commit. It decides, and must not know
/// where versions are stored.
public struct Retention: Sendable {
  /// A policy that was replaced counts for that many seconds more: seven days.
  public static let notice: UInt64 = 7 * 86_400

  /// The policies that count now; nil among them: for ever.
  public let policies: Set<HistoryPolicy?>
  /// After how many seconds none counts any more but the one in force; 0: it is so now.
  public let rest: UInt64
  private let ages: PlaceAges

  /// - Parameters:
  ///   - changes: each change of the zone's policy with its place, ascending; before the first of
  ///     them everything is kept for ever.
  ///   - ages: how old places are.
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

  /// For so many seconds a deletion is remembered at least: ninety days.
  public static let remembrance: UInt64 = 90 * 86_400

  /// The last place whose deletions are old enough to be forgotten: as old as any version that is
  /// kept by its age, and than `remembrance`.
  public var forgotten: UInt64 {
    guard !keepsAll else { return 0 }
    let longest = policies.compactMap { $0 }.map { max($0.all ?? 0, $0.daily ?? 0) }.max() ?? 0
    return ages.last(olderThan: max(longest, Self.remembrance))
  }

  /// Whether every version is kept.
  public var keepsAll: Bool { policies.contains(nil) }

  /// Which of the past versions of one record are kept.
  /// - Parameter versions: all of them, in any order.
  /// - Returns: those that one of the policies keeps, in their order.
  public func kept(of versions: [PastVersion]) -> [PastVersion] {
    guard !keepsAll else { return versions }
    let latest = versions.enumerated().sorted {
      ($0.element.ended, $0.element.began) > ($1.element.ended, $1.element.began)
    }
    var kept: Set<Int> = []
    for case let policy? in policies {
      // The day of the version that was looked at last: of each day the latest one comes first.
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
