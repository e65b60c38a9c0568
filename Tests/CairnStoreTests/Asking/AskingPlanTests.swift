import Testing

@testable import CairnStore

private let second: Int64 = 1_000_000_000

/// The times of reads of a container without notifications, with the test's clock.
struct AskingPlanTests {
  private func plan(longest: Int64 = 60, isFree: Bool = false) -> AskingPlan {
    AskingPlan(longest: longest * second, isFree: isFree, now: 0)
  }

  /// Asks when it is due, until then; returns when.
  private func ask(
    _ plan: inout AskingPlan, until end: Int64, chance: UInt32 = 0
  ) -> [Int64] {
    var times: [Int64] = []
    while plan.next < end {
      times.append(plan.next)
      plan.answered(now: plan.next, chance: chance)
    }
    return times
  }

  @Test func `the first question after an act comes after tens of milliseconds`() {
    var plan = plan()
    _ = ask(&plan, until: 3_600 * second)
    let act = 3_600 * second
    plan.act(now: act)
    #expect(plan.next == act + AskingPlan.shortest)
  }

  @Test(arguments: [0, UInt32.max / 3, .max])
  func `a change is heard of after an eighth of the quiet before it at most`(_ chance: UInt32) {
    var plan = plan()
    let times = ask(&plan, until: 7_200 * second, chance: chance)
    for (before, after) in zip(times, times.dropFirst()) {
      #expect(after - before <= min(60 * second, max(500_000_000, before / 8)))
      #expect(after - before >= AskingPlan.shortest * 7 / 8)
    }
    // Backing off to a minute takes few questions; then it is hardly more than one a minute.
    #expect(times.count { $0 < 600 * second } < 100)
    #expect(times.count { $0 >= 3_600 * second } <= 60 * 8 / 7 + 1)
  }

  @Test(arguments: [(false, 1_000...1_240), (true, 2_000...2_440)])
  func `traffic without end costs two questions a second, four where they cost nothing`(
    _ isFree: Bool, _ expected: ClosedRange<Int>
  ) {
    var plan = plan(isFree: isFree)
    var asked = 0
    var now: Int64 = 0
    for _ in 0..<6_000 {
      now += 100_000_000
      plan.act(now: now)
      while plan.next <= now {
        asked += 1
        plan.answered(now: now, chance: 0)
      }
    }
    #expect(expected.contains(asked), "in ten minutes")
  }

  @Test func `those who ask in step get out of it`() {
    let nexts = (0..<8).map { number -> Int64 in
      var plan = plan()
      _ = ask(&plan, until: 3_600 * second)
      plan.answered(now: 3_600 * second, chance: UInt32.max / 7 * UInt32(number))
      return plan.next
    }
    #expect(Set(nexts).count == nexts.count)
    #expect(nexts.allSatisfy { (3_652 * second...3_660 * second).contains($0) })
  }

  @Test func `what is away is asked every ten seconds, and never by all at once`() {
    var (early, late) = (plan(), plan())
    for _ in 0..<20 {
      early.failed(now: early.next, chance: .max)
      let before = late.next
      late.failed(now: late.next, chance: 0)
      #expect(late.next - before <= AskingPlan.away)
    }
    #expect(early.isAway && early.next < late.next * 2 / 3)
    // What is written meanwhile changes nothing; once it answers, all is as before.
    let next = late.next
    late.act(now: next - 5)
    #expect(late.next == next)
    late.answered(now: next, chance: 0)
    #expect(!late.isAway && late.next <= next + second)
  }

  @Test func `a shorter longest pause holds, whatever it is`() {
    var plan = plan(longest: 1)
    let times = ask(&plan, until: 100 * second)
    #expect(zip(times, times.dropFirst()).allSatisfy { $1 - $0 <= second })
    #expect(plan.lateness(now: 100 * second) == second)
  }

  @Test func `a budget gives so many at once, and one in each period`() {
    var budget = Budget(3, period: 10)
    #expect((0..<5).map { _ in budget.take(now: 100) } == [true, true, true, false, false])
    #expect(budget.next(now: 100) == 110)
    let (early, due, again) = (budget.take(now: 109), budget.take(now: 110), budget.take(now: 111))
    #expect(!early && due && !again)
    #expect((0..<5).count { _ in budget.take(now: 1_000) } == 3)
  }
}
