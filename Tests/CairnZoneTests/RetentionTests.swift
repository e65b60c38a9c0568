import CairnZone
import Testing

/// The past versions that a policy keeps, and their ages.
struct RetentionTests {
  private static let day: Int64 = 86_400

  /// Returns the ages of a log whose entry n was read n days after the beginning, up to `days`.
  private func ages(_ days: UInt64) -> PlaceAges {
    PlaceAges(
      seen: (1...days).map { (sequence: $0, time: Int64($0) * Self.day) },
      now: Int64(days) * Self.day)
  }

  private func versions(_ ends: UInt64...) -> [PastVersion] {
    ends.map { PastVersion(began: $0 - 1, ended: $0) }
  }

  private func kept(
    _ policy: HistoryPolicy?, _ versions: [PastVersion], after days: UInt64 = 100
  ) -> [UInt64] {
    Retention(changes: [(sequence: 1, policy: policy)], ages: ages(days))
      .kept(of: versions).map(\.ended)
  }

  @Test func `a version is kept if any part of the policy says so`() {
    let all = versions(10, 50, 69, 70, 99)
    #expect(kept(nil, all) == [10, 50, 69, 70, 99])
    #expect(kept(HistoryPolicy(), all) == [])
    #expect(kept(HistoryPolicy(all: 30 * 86_400), all) == [70, 99])
    #expect(kept(HistoryPolicy(versions: 2), all) == [70, 99])
    #expect(kept(HistoryPolicy(versions: 0), all) == [])
    #expect(kept(HistoryPolicy(all: 86_400, versions: 3), all) == [69, 70, 99])
    #expect(kept(HistoryPolicy(all: .max), all) == [10, 50, 69, 70, 99])
    #expect(kept(HistoryPolicy(daily: 40 * 86_400), all) == [69, 70, 99])
  }

  @Test func `the order in which versions are named decides nothing`() {
    let all = versions(50, 10, 99, 70)
    #expect(kept(HistoryPolicy(versions: 2), all) == [99, 70])
  }

  @Test func `of each day the last version is kept`() {
    // Entries 1 to 4 on the first day, the others on the second.
    let seen = (1...8).map { (sequence: UInt64($0), time: $0 < 5 ? 100 : Self.day + 100) }
    let ages = PlaceAges(seen: seen, now: 3 * Self.day)
    let all = (1...7).map { PastVersion(began: $0, ended: $0 + 1) }
    func kept(_ seconds: Int64) -> [UInt64] {
      Retention(
        changes: [(sequence: 1, policy: HistoryPolicy(daily: UInt64(seconds)))],
        ages: PlaceAges(seen: seen, now: 30 * Self.day)
      ).kept(of: all).map(\.began)
    }
    #expect(ages.age(of: 5) == 2 * 86_400 - 100)
    #expect(kept(40 * Self.day) == [4, 7])
    #expect(kept(Self.day) == [])
  }

  @Test func `after a change alone counts the new policy`() {
    let changed = Retention(
      changes: [(sequence: 1, policy: nil), (sequence: 100, policy: HistoryPolicy(versions: 1))],
      ages: ages(100))
    let all = versions(70, 80, 90)
    #expect(changed.kept(of: all).map(\.ended) == [70, 80, 90])
    #expect(changed.after(HistoryPolicy(versions: 1)).kept(of: all).map(\.ended) == [90])
    #expect(changed.after(HistoryPolicy(versions: 2)).kept(of: all).map(\.ended) == [80, 90])
    #expect(changed.after(nil).keepsAll && changed.after(HistoryPolicy(versions: 0)).rest == 0)
  }

  @Test func `what nobody has noted yet was read just now`() {
    let ages = PlaceAges(seen: [(sequence: 5, time: 10), (sequence: 9, time: 20)], now: 100)
    #expect([1, 5, 6, 9, 10].map { ages.time(of: $0) } == [10, 10, 20, 20, 100])
    #expect(ages.age(of: 10) == 0)
    #expect(PlaceAges(seen: [], now: 100).age(of: 1) == 0)
    #expect(PlaceAges(seen: [(sequence: 1, time: .min)], now: .max).age(of: 1) == .max)
    #expect(
      PlaceAges(seen: [(sequence: 1, time: 50)], now: 10).age(of: 1) == 0, "not in the future")
  }

  @Test func `what was kept before a change is kept for seven days more`() {
    let narrow = HistoryPolicy(versions: 1)
    let changes = [(sequence: UInt64(50), policy: HistoryPolicy?.some(narrow))]
    func retention(_ days: UInt64) -> Retention { Retention(changes: changes, ages: ages(days)) }
    #expect(retention(56).keepsAll && retention(56).rest == 86_400)
    #expect(retention(56).kept(of: versions(2, 3)).count == 2)
    #expect(!retention(57).keepsAll && retention(57).rest == 0)
    #expect(retention(57).kept(of: versions(2, 3)).map(\.ended) == [3])
  }

  @Test func `a wider policy counts at once, and one that comes back has no notice`() {
    let narrow = HistoryPolicy(versions: 1)
    let wide = HistoryPolicy(versions: 3)
    let ages = ages(100)
    let widened = Retention(
      changes: [(sequence: 10, policy: narrow), (sequence: 99, policy: wide)], ages: ages)
    #expect(widened.policies == [narrow, wide])
    #expect(widened.kept(of: versions(2, 3, 4, 5)).map(\.ended) == [3, 4, 5])
    // To and fro, a moment ago: the widest of them counts.
    let hasty = Retention(
      changes: [
        (sequence: 10, policy: narrow), (sequence: 98, policy: nil), (sequence: 99, policy: narrow),
      ], ages: ages)
    #expect(hasty.keepsAll && hasty.rest == 6 * 86_400)
    #expect(Retention(changes: [], ages: ages).keepsAll)
    #expect(Retention(changes: [], ages: ages).rest == 0)
  }

  @Test func `the clock of ages never goes back, nor far in one go`() {
    var clock = AgeClock(beginningAt: 1_000)
    clock.read(1_500)
    #expect(clock.time == 1_500)
    clock.read(200)
    #expect(clock.time == 1_500 && clock.reading == 200)
    clock.read(300)
    #expect(clock.time == 1_600, "it goes on from where it was put back to")
    clock.read(.max)
    #expect(clock.time == 1_600 + AgeClock.longestGap, "a jump of years is one of days")
    clock.read(.min)
    clock.read(.max)
    #expect(clock.time == 1_600 + 2 * AgeClock.longestGap)
  }
}
