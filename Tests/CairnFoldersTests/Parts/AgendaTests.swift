import CairnPlan
import CairnZone
import Testing

@testable import CairnFolders

/// Waiting records, their times, and their reports.
struct AgendaTests {
  private var agenda = Agenda()
  private let report = MountReport()
  private let a = AgendaTests.recordID(1)
  private let b = AgendaTests.recordID(2)

  private static func recordID(_ number: UInt8) -> RecordID {
    RecordID(bytes: [UInt8](repeating: 0, count: 15) + [number]) ?? .root
  }

  private static func problem(_ path: String) -> Problem {
    Problem(path: Array(path.utf8), code: "notice", message: "it is so", remedy: "wait")
  }

  private let inTheWay = AgendaTests.problem("d/f")
  private static let allowance = Allowance(rights: [.read], revoked: 0, quota: 100, room: 10)

  @Test mutating func `what waits is left alone until its time comes, and known from then on`() {
    agenda.postpone(a, .failed, "the disk says no", 0)
    #expect(agenda.isWaiting(a) && agenda.notDue == [a] && agenda.deadline == .second)
    agenda.makeDue(.second - 1)
    #expect(agenda.isWaiting(a))
    agenda.makeDue(.second)
    #expect(!agenda.isWaiting(a) && agenda.notDue.isEmpty && agenda.isWaiting)
  }

  @Test mutating func `who waits again for the same reason waits longer, for another one not`() {
    for tries in 0..<20 {
      agenda.postpone(a, .failed, "no", 0)
      #expect(agenda[a].wait?.until == min(.second << Int64(min(tries, 12)), 60 * .second))
    }
    agenda.postpone(a, .busy, "open", 0)
    #expect(agenda[a].wait?.until == .second / 5)
    agenda.release(a)
    agenda.postpone(a, .busy, "open", 0)
    #expect(agenda[a].wait?.tries == 0)
  }

  @Test mutating func `a word of the person hurries all that is only a matter of time`() {
    let reasons: [Wait.Reason] = [.busy, .blocked, .failed, .unreadable, .room, .refused, .held]
    for (number, reason) in reasons.enumerated() {
      agenda.postpone(Self.recordID(UInt8(number)), reason, "so", 0)
    }
    agenda.retryNow()
    let left = reasons.indices.filter { agenda[Self.recordID(UInt8($0))].wait != nil }
    #expect(left.map { reasons[$0] } == [.busy, .held])
    agenda.hurry(.busy)
    agenda.makeDue(1)
    #expect(!agenda.isWaiting(Self.recordID(0)))
  }

  @Test mutating func `who is left out of one plan is in the next`() {
    agenda[a].isLeftOut = true
    #expect(holds(agenda.takePlannable([a, b]) == [b]))
    #expect(holds(agenda.takePlannable([a, b]) == [a, b]))
    agenda.postpone(b, .busy, "open", 0)
    #expect(holds(agenda.takePlannable([a, b]) == [a]))
  }

  @Test mutating func `what both sides agree on waits no more, and its next deletion is a new one`()
  {
    agenda.postpone(a, .busy, "open", 0)
    #expect(holds(agenda.countStall(a) == 1 && agenda.countStall(a) == 2))
    #expect(holds(agenda.count([a, b])))
    #expect(holds(!agenda.count([a])))
    agenda.settle(a)
    #expect(holds(agenda.countStall(a) == 1 && agenda[a].wait == nil))
    #expect(holds(agenda.count([a])))
    #expect(holds(!agenda.count([b])))
  }

  @Test mutating func `a file that is held open is read once it looks the same for ten seconds`() {
    #expect(holds(!agenda.isQuiet(a, size: 1, modified: 1, 0)))
    #expect(holds(!agenda.isQuiet(a, size: 1, modified: 1, 10 * .second - 1)))
    #expect(holds(agenda.isQuiet(a, size: 1, modified: 1, 10 * .second)))
    #expect(holds(!agenda.isQuiet(a, size: 2, modified: 1, 10 * .second)))
    agenda.forgetFinishedWork()
    #expect(holds(!agenda.isQuiet(a, size: 2, modified: 1, 30 * .second)))
  }

  @Test mutating func `a file that is written all the time is read after half a minute`() {
    for time in Int64(0)..<30 {
      #expect(holds(!agenda.isQuiet(a, size: UInt64(time), modified: time, time * .second)))
    }
    #expect(holds(agenda.isQuiet(a, size: 30, modified: 30, 30 * .second)))
    agenda[a].quiet = nil
    #expect(holds(!agenda.isQuiet(a, size: 31, modified: 31, 31 * .second)))
  }

  @Test mutating func `what is to be deleted and is there is looked at once more, and only once`() {
    #expect(holds(agenda.needsAnotherLook(a)))
    #expect(holds(!agenda.needsAnotherLook(a)))
    agenda.areGone([a, b])
    #expect(holds(agenda.needsAnotherLook(a)))
  }

  @Test mutating func `what was refused is tried again when the zone gives more, and not before`() {
    agenda.refuse(a, under: Self.allowance, shown: nil, "no room", 0)
    agenda.retryNow()
    agenda.makeDue(1_000 * .second)
    #expect(agenda.isWaiting(a) && agenda.refused.map(\.id) == [a])
    var less = Self.allowance
    less.room = 5
    #expect(holds(!agenda.allows(less)))
    less.room = 6
    #expect(holds(agenda.allows(less) && agenda.refusedUnder == nil))
    agenda.retry(a, in: report)
    #expect(agenda.refused.isEmpty && agenda[a].wait == nil)
    agenda.checkInvariants()
  }

  @Test(arguments: [
    Allowance(rights: [.read, .write], revoked: 0, quota: 100, room: 10),
    Allowance(rights: [.read], revoked: 1, quota: 100, room: 10),
    Allowance(rights: [.read], revoked: 0, quota: nil, room: 10),
    Allowance(rights: [.read], revoked: 0, quota: 100, room: 11),
  ])
  func `another right, device, limit, or more room may be a allowance`(_ now: Allowance) {
    #expect(now.isMore(than: Self.allowance))
  }

  @Test mutating func `people are told of lack of room as long as something waits for it`() {
    let room = Room(left: 0, place: "the folder", free: 7)
    #expect(holds(agenda.takeShortage() == nil))
    agenda.waitForRoom(a, room, 0)
    agenda.waitForRoom(b, room, 0)
    #expect(holds(agenda.takeShortage()?.waiting == 2))
    agenda.settle(a)
    agenda.release(b)
    #expect(holds(agenda.takeShortage() == nil && agenda.shortage == nil))
    agenda.checkInvariants()
  }

  @Test mutating func `what is told of a record goes with it to another path, and ends with it`() {
    agenda.tell(inTheWay, of: a, in: report)
    #expect(report.allProblems == [inTheWay] && agenda.told == [inTheWay.path: inTheWay])
    agenda.tell(Self.problem("e/f"), of: a, in: report)
    #expect(report.allProblems == [Self.problem("e/f")])
    #expect(agenda.perhapsNeedless == [a])
    agenda.solve(a, in: report)
    #expect(report.allProblems.isEmpty && agenda.perhapsNeedless.isEmpty)
  }

  @Test mutating func `of two that stand nowhere, the other is told when one is solved`() {
    agenda.tell(Self.problem(""), of: a, in: report)
    agenda.tell(Self.problem(""), of: b, in: report)
    agenda.solve(a, in: report)
    #expect(report.allProblems.count == 1)
    agenda.solve(b, in: report)
    #expect(report.allProblems.isEmpty)
  }

  @Test mutating func `somebody's deed at a path hurries what couldn't be read there`() {
    agenda.tell(inTheWay, of: a, in: report)
    agenda.postpone(a, .unreadable, "no right", 0)
    agenda.hurry(at: [Array("d".utf8)])
    agenda.makeDue(1)
    #expect(agenda.isWaiting(a))
    agenda.hurry(at: [inTheWay.path])
    agenda.makeDue(1)
    #expect(!agenda.isWaiting(a))
  }
}
