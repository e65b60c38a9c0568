import CairnPlan
import CairnZone
import Testing

/// The rules for deletions that await confirmation, and the planner's steps for them.
@Suite struct DeletionBrakeTests {
  private static let second: Int64 = 1_000_000_000

  @Test(arguments: [
    (100, 100, false), (101, 101, true), (101, 202, false), (102, 202, true),
    (5_000, 10_000, false),
    (5_001, 10_000, true), (0, 0, false), (200, 1_000_000, false),
  ]) func `more than a hundred and more than half is much`(deleted: Int, agreed: Int, isMuch: Bool)
  {
    #expect(DeletionBrake.isMuch(deleted: deleted, of: agreed) == isMuch)
  }

  @Test(arguments: [
    (0, 2_000), (1, 2_000), (30, 2_000), (60, 1_000), (100, 600), (120, 500), (1_000_000, 500),
  ])
  func `few deletions wait longer in a smaller folder`(all: Int, milliseconds: Int64) {
    var brake = DeletionBrake()
    brake.found(at: 0) { all }
    let end = milliseconds * 1_000_000
    #expect(brake.verdict(waiting: 0, now: 0) { all } == .go)
    #expect(brake.verdict(waiting: 1, now: 0) { all } == .gather(until: end))
    #expect(brake.verdict(waiting: 1, now: end - 1) { all } == .gather(until: end))
    #expect(brake.verdict(waiting: 1, now: end) { all } == .go)
  }

  @Test func `deletions in a folder that only shrinks wait for the end of the shrinking`() {
    var brake = DeletionBrake()
    for time in 0..<900 {
      let now = Int64(time) * Self.second / 10
      brake.found(at: now) { 2_000 }
      let end = now + (time < 100 ? DeletionBrake.pause : DeletionBrake.quiet)
      #expect(brake.verdict(waiting: time + 1, now: now) { 1_999 - time } == .gather(until: end))
      #expect(brake.keepsOut(at: now) == (time < 600))
    }
  }

  @Test func `deletions go after a minute if files are created meanwhile`() {
    var brake = DeletionBrake()
    for time in 0..<60 {
      let now = Int64(time) * Self.second
      brake.sawGrowth(at: now)
      brake.found(at: now) { 10 }
      #expect(!brake.keepsOut(at: now))
      let end = now + DeletionBrake.quiet
      #expect(brake.verdict(waiting: 1, now: now) { 9 } == .gather(until: end))
    }
    brake.found(at: DeletionBrake.patience) { 10 }
    #expect(brake.verdict(waiting: 1, now: DeletionBrake.patience) { 9 } == .go)
  }

  @Test func `names that aren't mirrored delay deletions, but not for ever`() {
    var brake = DeletionBrake()
    brake.found(at: 0) { 10 }
    for time in 1..<60 {
      let now = Int64(time) * Self.second
      brake.sawOther(at: now)
      #expect(brake.keepsOut(at: now))
      let end = min(now + DeletionBrake.quiet, DeletionBrake.patience)
      #expect(brake.verdict(waiting: 1, now: now) { 9 } == .gather(until: end))
    }
    #expect(brake.verdict(waiting: 1, now: DeletionBrake.patience) { 9 } == .go)
  }

  @Test func `many deletions are gathered until it is quiet, and then judged as a whole`() {
    var brake = DeletionBrake()
    brake.found(at: 0) { 1_000 }
    #expect(brake.verdict(waiting: 200, now: 0) { 800 } == .gather(until: 2 * Self.second))
    brake.found(at: Self.second) { 0 }
    #expect(
      brake.verdict(waiting: 400, now: Self.second) { 600 } == .gather(until: 3 * Self.second))
    brake.found(at: 2 * Self.second) { 0 }
    #expect(brake.verdict(waiting: 500, now: 4 * Self.second) { 500 } == .go)
    #expect(brake.verdict(waiting: 900, now: 4 * Self.second) { 100 } == .hold)
  }

  @Test(arguments: [false, true])
  func `what went before adds up with what follows soon`(isLarge: Bool) {
    var brake = DeletionBrake()
    // Ninety at a time, so that none of them alone is much.
    let all = isLarge ? 5_000 : 1_000
    var files = all
    var now: Int64 = 0
    var isHeld = false
    while files > 90, !isHeld {
      brake.found(at: now) { isLarge ? nil : files }
      if case .gather(let end) = brake.verdict(waiting: 90, now: now, left: { files - 90 }) {
        now = end
      }
      switch brake.verdict(waiting: 90, now: now, left: { files - 90 }) {
      case .go:
        brake.went(90, at: now)
        files -= 90
      case .gather: Issue.record("still gathering at \(now)")
      case .hold: isHeld = true
      }
      now += Self.second
    }
    #expect(isHeld && files > all / 2 - 90)
    #expect(brake.most == all)
  }

  @Test func `a large folder isn't counted before a hundred files are deleted`() {
    var brake = DeletionBrake()
    var now: Int64 = 0
    for _ in 0..<10 {
      brake.found(at: now) { nil }
      now += DeletionBrake.pause
      #expect(!brake.needsCount(waiting: 10))
      #expect(brake.verdict(waiting: 10, now: now) { preconditionFailure("counted") } == .go)
      brake.went(10, at: now)
    }
    brake.found(at: now) { preconditionFailure("another mass change") }
    #expect(brake.needsCount(waiting: 1))
    #expect(brake.verdict(waiting: 1, now: now + DeletionBrake.quiet) { 1_999 } == .go)
    #expect(brake.most == 2_100)
  }

  @Test func `new files make up for those that went before the count`() {
    var brake = DeletionBrake()
    brake.found(at: 0) { nil }
    brake.went(90, at: 0)
    brake.sawGrowth(at: 1)
    brake.found(at: Self.second) { nil }
    #expect(brake.verdict(waiting: 90, now: 4 * Self.second) { 1_910 } == .go)
    #expect(brake.most == 2_000)
  }

  @Test func `new files make up for deleted ones, any number of times`() {
    var brake = DeletionBrake()
    var now: Int64 = 0
    for _ in 0..<100 {
      // Thirty files are created and deleted, beside three hundred that stay.
      brake.found(at: now) { 330 }
      now += DeletionBrake.pause
      #expect(brake.verdict(waiting: 30, now: now) { 300 } == .go)
      brake.went(30, at: now)
      now += 5 * Self.second
    }
    // Then most of the rest is deleted.
    brake.found(at: now) { 300 }
    now += DeletionBrake.quiet
    #expect(brake.verdict(waiting: 200, now: now) { 100 } == .hold)
  }

  @Test func `another branch with as many files is no accident`() {
    var brake = DeletionBrake()
    var now: Int64 = 0
    for _ in 0..<10 {
      brake.found(at: now) { 33_000 }
      now += DeletionBrake.quiet
      #expect(brake.verdict(waiting: 13_635, now: now) { 33_000 } == .go)
      brake.went(13_635, at: now)
      now += Self.second
    }
  }

  @Test func `files that were added between deletions count for the next ones`() {
    var brake = DeletionBrake()
    brake.found(at: 0) { 300 }
    #expect(brake.verdict(waiting: 30, now: Self.second) { 10_000 } == .go)
    brake.went(30, at: Self.second)
    brake.found(at: 2 * Self.second) { 300 }
    #expect(brake.verdict(waiting: 6_000, now: 4 * Self.second) { 4_000 } == .hold)
  }

  @Test func `old deletions don't count`() {
    var brake = DeletionBrake()
    brake.found(at: 0) { 200 }
    brake.went(60, at: 0)
    let later = DeletionBrake.memory + 1
    brake.found(at: later) { 100 }
    #expect(brake.most == 100)
    #expect(brake.verdict(waiting: 60, now: later + DeletionBrake.quiet) { 40 } == .go)
  }

  @Test func `an endless stream of deletions is judged all the same`() {
    var brake = DeletionBrake()
    for time in 0...60 { brake.found(at: Int64(time) * Self.second) { 300 } }
    #expect(brake.verdict(waiting: 200, now: 60 * Self.second) { 100 } == .hold)
  }

  @Test(arguments: [
    ("node_modules", false, false, true), (".git", true, false, true),
    (".git", false, false, false),
    ("build", true, true, true), ("build", true, false, false), ("photos", true, true, false),
  ])
  func `a directory's name and its neighbours tell that it changes often`(
    name: String, stands: Bool, hasRecipe: Bool, isChurn: Bool
  ) throws {
    let name = try #require(FileName(name))
    #expect(Churn.isChurn(name, stands: stands) { _ in hasRecipe } == isChurn)
    #expect(!isChurn || Churn.candidates.contains(name))
  }

  // MARK: The planner

  /// Trees with some deletions that await confirmation.
  private struct HeldTrees: Trees {
    var model = ModelTrees()
    var held: Set<RecordID> = []

    func remote(_ id: RecordID) -> Presence { model.remote(id) }
    func local(_ id: RecordID) -> Node? { model.local(id) }
    func synced(_ id: RecordID) -> Node? { model.synced(id) }
    func remoteChild(_ place: Place) -> RecordID? { model.remoteChild(place) }
    func localChild(_ place: Place) -> RecordID? { model.localChild(place) }
    func remoteChildren(of parent: RecordID) -> [RecordID] { model.remoteChildren(of: parent) }
    func localChildren(of parent: RecordID) -> [RecordID] { model.localChildren(of: parent) }
    func mayWrite(_ id: RecordID) -> Bool { model.mayWrite(id) }
    func isPastContent(_ content: ContentID, of id: RecordID) -> Bool { false }
    func isLastChangedHere(_ id: RecordID) -> Bool { false }
    func formerRecords(of file: Node) -> [RecordID] { [] }
    func isHeld(_ id: RecordID) -> Bool { held.contains(id) }
  }

  private func plan(
    s: String, l: String, r: String, held: [Int], dirty: [Int]
  ) throws -> Plan {
    var trees = HeldTrees()
    trees.model.syncedTree = tree(s)
    trees.model.localTree = tree(l)
    trees.model.remoteTree = tree(r)
    trees.held = Set(held.map { recordID($0) })
    var next = 1_000
    return try Planner.plan(dirty.map { recordID($0) }, in: trees) {
      next += 1
      return recordID(next)
    }
  }

  @Test func `a held deletion changes nothing, and the rest goes on`() throws {
    let before = "d:1/ d/f:2=v g:3=v h:4=v"
    let plan = try plan(
      s: before, l: "h:4=w n:5=new", r: before, held: [1, 2, 3], dirty: [1, 2, 3, 4, 5])
    #expect(plan.folder.isEmpty)
    #expect(Set(plan.zone.joined().map(\.id)) == [recordID(4), recordID(5)])
    #expect(plan.deferred == [recordID(1): .held, recordID(2): .held, recordID(3): .held])
  }

  @Test func `an entry that is moved out of a held directory moves alone`() throws {
    let before = "d:1/ d/f:2=v d/g:3=v"
    let plan = try plan(s: before, l: "g:3=v", r: before, held: [1, 2], dirty: [3])
    #expect(plan.zone.joined().map(\.id) == [recordID(3)])
    #expect(plan.zone.joined().allSatisfy { $0.act == .update })
    #expect(plan.folder.isEmpty)
  }

  @Test func `an entry that others changed meanwhile comes back`() throws {
    let plan = try plan(s: "f:1=v", l: "", r: "f:1=w", held: [1], dirty: [1])
    #expect(plan.zone.isEmpty && plan.deferred.isEmpty)
    #expect(plan.folder.map(\.id) == [recordID(1)])
  }

  @Test func `a file that was deleted and created again is an edit`() throws {
    let plan = try plan(s: "f:1=v", l: "f:2=w", r: "f:1=v", held: [1], dirty: [1, 2])
    #expect(plan.deferred.isEmpty && plan.identity.isEmpty && plan.folder.isEmpty)
    #expect(Set(plan.zone.joined().map(\.id)) == [recordID(1), recordID(2)])
  }
}
