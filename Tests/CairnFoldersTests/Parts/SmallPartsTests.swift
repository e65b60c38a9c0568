import CairnPlan
import CairnZone
import Testing

@testable import CairnFolders

/// The small parts of an engine, each by its own rules.
struct SmallPartsTests {
  // MARK: Deletions awaiting confirmation

  @Test func `deletions are gathered until a scan of the folder is late enough`() {
    var held = HeldDeletions()
    #expect(!held.isGathering && !held.keepsOut)
    held.look(at: 0)
    held.found { 200 }
    #expect(held.verdict(waiting: 1) { 199 } == .gather(until: DeletionBrake.pause))
    held.gather(until: DeletionBrake.pause)
    #expect(held.isGathering && held.keepsOut)
    held.look(at: DeletionBrake.pause - 1)
    #expect(held.isGathering && held.keepsOut)
    held.look(at: DeletionBrake.pause)
    #expect(!held.isGathering && !held.keepsOut)
    #expect(held.verdict(waiting: 1) { 199 } == .go)
    held.gather(until: 5 * .second)
    held.gather(until: .second)
    #expect(held.isGathering)
    held.sawGrowth()
    #expect(held.isGathering && !held.keepsOut)
    held.stopGathering()
    #expect(!held.isGathering)
  }

  @Test func `entries that left another mount's folder below a path are known`() throws {
    func folder(_ path: String) -> Neighbours.Folder {
      Neighbours.Folder(
        path: Array(path.utf8), mark: [], staging: [], device: 1, part: ZonePart(ZoneID(.zero)))
    }
    let neighbours = Neighbours()
    neighbours.attached(1, folder("/a"))
    neighbours.attached(2, folder("/a/b"))
    neighbours.attached(3, folder("/ab"))
    let row = try Self.row()
    for (mount, time) in [(1, 5), (2, 3), (3, 4)] as [(Int64, Int64)] {
      neighbours.left([Neighbours.Gone(mount: mount, row: row, path: [], time: time)], now: time)
    }
    #expect(neighbours.lastLeft(below: Array("/a".utf8), otherThan: 1) == 3)
    #expect(neighbours.lastLeft(below: Array("/a/b".utf8), otherThan: 2) == nil)
    #expect(neighbours.lastLeft(below: Array("/c".utf8), otherThan: 2) == nil)
  }

  @Test func `while deletions are held, seven more scans follow, ever later`() {
    var held = HeldDeletions()
    held.hold(since: 77, 0)
    #expect(held.since == 77)
    var dues: [Int64] = []
    while let due = held.deadline, dues.count < 20 {
      #expect(holds(!held.takeStale(due - 1)))
      #expect(holds(held.takeStale(due)))
      dues.append(due)
    }
    #expect(dues.count == 7 && dues == dues.sorted())
    held.mayHaveChanged()
    #expect(holds(held.takeStale(dues[6]) && !held.takeStale(dues[6])))
    #expect(held.brokenRule == nil)
  }

  @Test func `released deletions count as if nothing had been deleted`() {
    var held = HeldDeletions()
    held.found { 0 }
    held.went(1, at: 1)
    held.hold(since: 77, 2)
    held.release()
    #expect(held.since == nil && held.deadline == nil && held.brake == DeletionBrake())
    held.mayHaveChanged()
    #expect(holds(!held.takeStale(100 * .second)))
  }

  // MARK: The last run

  private static func row() throws -> NodeRow {
    let node = Node(
      place: Place(parent: .root, name: try #require(FileName("f"))), kind: .file(nil),
      attributes: Attributes(isExecutable: false, modified: 1))
    let local = NodeRow.Local(node: node, inode: 1, birth: 1, size: 1, changed: 1)
    return NodeRow(id: .root, local: local, synced: nil)
  }

  @Test(arguments: [
    ("one", true, "one", DamageRule.LastStop.none), ("one", false, "one", .none),
    ("one", true, "two", .orderly), ("one", false, "two", .cut),
  ])
  func `suspects are found only after a stop of the machine`(
    _ boot: String, _ isClean: Bool, _ now: String, _ stop: DamageRule.LastStop
  ) {
    let run = LastRun((boot, isClean), now: now)
    #expect(run.stop == stop)
    #expect(run.findsSuspects == (stop != .none))
    #expect(run.isNextNoted == (stop == .none))
    #expect(run.hasRead == !isClean)
  }

  @Test(arguments: [
    ("a 1 x", "a 2 x", true), ("a 1 x", "a 1 y", false), ("a 1 x", "b 2 x", false),
    ("a 1 x", "a 2 y", false), ("a 1 -", "a 2 -", false), ("a - x", "a 2 x", false),
    ("a 1", "a 2", false),
  ])
  func `only a known new mounting of the index alone is a cut of the index`(
    _ last: String, _ now: String, _ isOfIndex: Bool
  ) {
    var run = LastRun((last, false), now: now)
    #expect(run.stop == (isOfIndex ? .indexCut : .cut))
    #expect(run.findsSuspects == !isOfIndex && !run.isNextNoted)
    run.remember(through: 7, wasCompared: true)
    #expect(run.remembered == (isOfIndex ? 7 : nil))
    #expect(LastRun((last, true), now: now).stop == .orderly)
  }

  @Test func `a run that the index forgot leaves suspects, and is noted behind them`() {
    var run = LastRun((nil, false), now: "two", isForgotten: true)
    #expect(run.stop == .unknown && run.findsSuspects && !run.isNextNoted && run.mayNoteNext)
    run.noteNext()
    #expect(!run.findsSuspects)
    #expect(!LastRun((nil, false), now: "two").findsSuspects, "a new folder has no last run")
  }

  @Test func `a run is noted once nothing is suspected or damaged any more`() throws {
    var run = LastRun(("one", false), now: "two")
    let row = try Self.row()
    let local = try #require(row.local)
    run.suspect([row])
    #expect(!run.mayNoteNext)
    var other = local
    other.size = 2
    #expect(run.isSuspect(.root, local) && !run.isSuspect(.root, other), "somebody wrote to it")
    run.clear(.root)
    #expect(run.mayNoteNext)
    run.suspect([row])
    let empty = DamageRule.File(
      size: 0, agreedSize: 9, isZeros: true, modified: 1, agreedModified: 1)
    run.judge(.root, local, empty)
    #expect(!run.isSuspect(.root, local) && run.isDamaged(.root, local) && !run.mayNoteNext)
    #expect(!run.isDamaged(.root, other), "somebody wrote to it since")
    #expect(run.brokenRule == nil)
    run.clear(.root)
    run.suspect([row])
    var whole = empty
    (whole.size, whole.isZeros) = (9, false)
    run.judge(.root, local, whole)
    #expect(!run.isDamaged(.root, local) && run.mayNoteNext)
    run.noteNext()
    #expect(run.isNextNoted && !run.findsSuspects && !run.mayNoteNext)
    #expect(run.brokenRule == nil)
  }

  @Test func `without a known boot no run is noted`() {
    let run = LastRun(("one", true), now: nil)
    #expect(!run.isNextNoted && run.stop == .none && !run.findsSuspects)
  }

  // MARK: The log

  @Test func `after one lost race a writer retries at once, and then waits for others`() {
    var zoneSync = ZoneSyncState()
    #expect(!zoneSync.sendsFirst)
    zoneSync.loseRace(0) { 255 }
    #expect(zoneSync.pause(0) == nil && zoneSync.needsPull && zoneSync.sendsFirst)
    zoneSync.loseRace(0) { 255 }
    #expect(zoneSync.pause(3_999_999) == 4_000_000 && zoneSync.pause(4_000_000) == nil)
    for _ in 0..<20 { zoneSync.loseRace(0) { 255 } }
    #expect(zoneSync.pause(0) == 64_000_000)
    zoneSync.retryNow()
    #expect(zoneSync.pause(0) == nil)
    zoneSync.winRace()
    #expect(zoneSync.lostRaces == 0 && !zoneSync.sendsFirst)
  }

  @Test func `others come first each eighth time, or their changes would never arrive`() {
    var zoneSync = ZoneSyncState()
    let first = (0..<17).map { _ in
      defer { zoneSync.loseRace(0) { 0 } }
      return zoneSync.sendsFirst
    }
    #expect(first.indices.filter { !first[$0] } == [0, 8, 16])
  }

  // MARK: The permission that files show

  @Test(arguments: [
    (false, Bool?.none, false, ShownPermission.Act.note), (false, nil, true, .showModesAfterALook),
    (true, nil, false, .showModesAfterALook), (true, true, true, .nothing),
    (false, false, false, .nothing), (true, false, false, .showModes),
    (false, true, true, .showModes),
  ])
  func `files show the present permission of their person`(
    _ isReadOnly: Bool, _ shown: Bool?, _ isOthers: Bool, _ act: ShownPermission.Act
  ) {
    #expect(ShownPermission(isReadOnly: isReadOnly, shown: shown).act(isOthers: isOthers) == act)
  }

  @Test func `files that a round missed get another one, but not for ever`() {
    var permission = ShownPermission(isReadOnly: true, shown: false)
    #expect(permission.end(isWhole: false) && permission.shown == nil)
    #expect(!permission.end(isWhole: true) && permission.shown == true)
    // A file system that never gives a file the same number twice.
    permission.isReadOnly = false
    let again = (0..<3).map { _ in permission.end(isWhole: false) }
    #expect(again == [true, true, false] && permission.shown == false)
  }

  // MARK: Notifications

  @Test func `links are checked after a possible change, or when the folder becomes shared`() {
    var notices = Notices()
    #expect(holds(notices.takeLinks(isShared: false) && !notices.takeLinks(isShared: false)))
    #expect(holds(notices.takeLinks(isShared: true) && !notices.takeLinks(isShared: true)))
    notices.mayHaveLinks = true
    #expect(holds(notices.takeLinks(isShared: true)))
  }

  @Test func `waiting records are counted four times a second at most`() {
    var notices = Notices()
    #expect(notices.isCountDue(0))
    notices.count(at: 0)
    #expect(!notices.isCountDue(.second / 4 - 1) && notices.isCountDue(.second / 4))
  }
}
