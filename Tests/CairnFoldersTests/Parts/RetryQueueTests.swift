import CairnIdentity
import CairnPlan
import CairnZone
import Testing

@testable import CairnFolders

/// Waiting records, their times, and their reports.
struct RetryQueueTests {
  private var retries = RetryQueue()
  private let report = MountReport()
  private let a = RetryQueueTests.recordID(1)
  private let b = RetryQueueTests.recordID(2)

  private static func recordID(_ number: UInt8) -> RecordID {
    RecordID(bytes: [UInt8](repeating: 0, count: 15) + [number]) ?? .root
  }

  private static func problem(_ path: String) -> PathProblem {
    PathProblem(
      path: Array(path.utf8), code: nil, message: "it is so", remedy: "wait")
  }

  private let inTheWay = RetryQueueTests.problem("d/f")
  private static let allowance = Allowance(rights: [.read], revoked: 0, quota: 100, room: 10)

  @Test mutating func `a waiting record is left alone until its time, and is due from then on`() {
    retries.postpone(a, .failed, "the disk says no", 0)
    #expect(retries.isWaiting(a) && retries.notDue == [a] && retries.deadline == .second)
    retries.makeDue(.second - 1)
    #expect(retries.isWaiting(a))
    retries.makeDue(.second)
    #expect(!retries.isWaiting(a) && retries.notDue.isEmpty && retries.isWaiting)
  }

  @Test mutating func `only a repeated reason makes the next back-off longer`() {
    for tries in 0..<20 {
      retries.postpone(a, .failed, "no", 0)
      #expect(retries[a].wait?.until == min(.second << Int64(min(tries, 12)), 60 * .second))
    }
    retries.postpone(a, .busy, "open", 0)
    #expect(retries[a].wait?.until == .second / 5)
    retries.release(a)
    retries.postpone(a, .busy, "open", 0)
    #expect(retries[a].wait?.tries == 0)
  }

  @Test mutating func `a person's request ends all back-offs that only need time`() {
    let reasons: [Wait.Reason] = [.busy, .blocked, .failed, .unreadable, .room, .refused, .held]
    for (number, reason) in reasons.enumerated() {
      retries.postpone(Self.recordID(UInt8(number)), reason, "so", 0)
    }
    retries.retryNow()
    let left = reasons.indices.filter { retries[Self.recordID(UInt8($0))].wait != nil }
    #expect(left.map { reasons[$0] } == [.busy, .held])
    retries.hurry(.busy)
    retries.makeDue(1)
    #expect(!retries.isWaiting(Self.recordID(0)))
  }

  @Test mutating func `a record that is left out of one plan is in the next`() {
    retries[a].isLeftOut = true
    #expect(holds(retries.takePlannable([a, b]) == [b]))
    #expect(holds(retries.takePlannable([a, b]) == [a, b]))
    retries.postpone(b, .busy, "open", 0)
    #expect(holds(retries.takePlannable([a, b]) == [a]))
  }

  @Test mutating func `an agreed record stops waiting, and its next deletion is a new one`() {
    retries.postpone(a, .busy, "open", 0)
    #expect(holds(retries.countStall(a) == 1 && retries.countStall(a) == 2))
    #expect(holds(retries.count([a, b])))
    #expect(holds(!retries.count([a])))
    retries.settle(a)
    #expect(holds(retries.countStall(a) == 1 && retries[a].wait == nil))
    #expect(holds(retries.count([a])))
    #expect(holds(!retries.count([b])))
  }

  @Test func `a file that is held open is read once it looks the same for ten seconds`() {
    let first = OpenFileState(nil, size: 1, modified: 1, 0)
    #expect(!first.isLongEnough(0))
    let same = OpenFileState(first, size: 1, modified: 1, 10 * .second)
    #expect(!same.isLongEnough(10 * .second - 1) && same.isLongEnough(10 * .second))
    let other = OpenFileState(same, size: 2, modified: 1, 10 * .second)
    #expect(!other.isLongEnough(10 * .second) && other.isLongEnough(30 * .second))
  }

  @Test func `a file that is written all the time is read after half a minute`() {
    var quiet: OpenFileState?
    for time in Int64(0)..<30 {
      let next = OpenFileState(quiet, size: UInt64(time), modified: time, time * .second)
      #expect(!next.isLongEnough(time * .second))
      quiet = next
    }
    #expect(OpenFileState(quiet, size: 30, modified: 30, 30 * .second).isLongEnough(30 * .second))
    #expect(!OpenFileState(nil, size: 31, modified: 31, 31 * .second).isLongEnough(31 * .second))
  }

  @Test mutating func `a deletion with an existing file is checked once more, and only once`() {
    #expect(holds(retries.needsAnotherLook(a)))
    #expect(holds(!retries.needsAnotherLook(a)))
    retries.areGone([a, b])
    #expect(holds(retries.needsAnotherLook(a)))
  }

  @Test mutating func `a refused record is tried again only when the zone allows more`() {
    retries.refuse(a, under: Self.allowance, shown: nil, "no room", 0)
    retries.retryNow()
    retries.makeDue(1_000 * .second)
    #expect(retries.isWaiting(a) && retries.refused.map(\.id) == [a])
    var less = Self.allowance
    less.room = 5
    #expect(holds(!retries.allows(less)))
    less.room = 6
    #expect(holds(retries.allows(less) && retries.refusedUnder == nil))
    retries.retry(a, in: report)
    #expect(retries.refused.isEmpty && retries[a].wait == nil)
    #expect(retries.brokenRule == nil)
  }

  @Test(arguments: [
    Allowance(rights: [.read, .write], revoked: 0, quota: 100, room: 10),
    Allowance(rights: [.read], revoked: 1, quota: 100, room: 10),
    Allowance(rights: [.read], revoked: 0, quota: nil, room: 10),
    Allowance(rights: [.read], revoked: 0, quota: 100, room: 11),
  ])
  func `another right, device, limit, or more room may be an allowance`(_ now: Allowance) {
    #expect(now.isMore(than: Self.allowance))
  }

  @Test mutating func `a lack of room is reported as long as a record waits for it`() {
    let room = Room(left: 0, place: "the folder", free: 7)
    #expect(holds(retries.takeShortage() == nil))
    retries.waitForRoom(a, room, 0)
    retries.waitForRoom(b, room, 0)
    #expect(holds(retries.takeShortage()?.waiting == 2))
    retries.settle(a)
    retries.release(b)
    #expect(holds(retries.takeShortage() == nil && retries.shortage == nil))
    #expect(retries.brokenRule == nil)
  }

  @Test mutating func `a record's problem follows it to another path, and ends with it`() {
    retries.tell(inTheWay, of: a, in: report)
    #expect(report.allProblems == [inTheWay] && retries.told == [inTheWay.path: inTheWay])
    retries.tell(Self.problem("e/f"), of: a, in: report)
    #expect(report.allProblems == [Self.problem("e/f")])
    #expect(retries.perhapsNeedless == [a])
    retries.solve(a, in: report)
    #expect(report.allProblems.isEmpty && retries.perhapsNeedless.isEmpty)
  }

  @Test mutating func `of two problems without a place, the other is shown when one is solved`() {
    retries.tell(Self.problem(""), of: a, in: report)
    retries.tell(Self.problem(""), of: b, in: report)
    retries.solve(a, in: report)
    #expect(report.allProblems.count == 1)
    retries.solve(b, in: report)
    #expect(report.allProblems.isEmpty)
  }

  @Test mutating func `a person's change at a path retries an unreadable record there`() {
    retries.tell(inTheWay, of: a, in: report)
    retries.postpone(a, .unreadable, "no right", 0)
    retries.hurry(at: [Array("d".utf8)])
    retries.makeDue(1)
    #expect(retries.isWaiting(a))
    retries.hurry(at: [inTheWay.path])
    retries.makeDue(1)
    #expect(!retries.isWaiting(a))
  }
}
