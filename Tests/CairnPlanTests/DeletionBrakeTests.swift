import CairnPlan
import CairnZone
import Testing

/// When deletions wait for a word of the person, and what the planner does about those that do.
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

  @Test func `few deletions go after a moment`() {
    var brake = DeletionBrake()
    brake.found(at: 0)
    let end = DeletionBrake.pause
    #expect(brake.verdict(waiting: 0, now: 0) { 100 } == .go)
    #expect(brake.verdict(waiting: 100, now: 0) { 100 } == .gather(until: end))
    #expect(brake.verdict(waiting: 100, now: end) { 100 } == .go)
  }

  @Test func `many are gathered until it is quiet, and then judged as a whole`() {
    var brake = DeletionBrake()
    brake.found(at: 0)
    #expect(brake.verdict(waiting: 200, now: 0) { 1_000 } == .gather(until: 2 * Self.second))
    brake.found(at: Self.second)
    #expect(
      brake.verdict(waiting: 400, now: Self.second) { 1_000 } == .gather(until: 3 * Self.second))
    brake.found(at: 2 * Self.second)
    #expect(brake.verdict(waiting: 900, now: 4 * Self.second) { 1_000 } == .hold)
    #expect(brake.verdict(waiting: 500, now: 4 * Self.second) { 1_000 } == .go)
  }

  @Test func `what went before adds up with what follows soon`() {
    var brake = DeletionBrake()
    // Ninety at a time, so that none of them alone is much.
    var files = 1_000
    var now: Int64 = 0
    var isHeld = false
    while files > 0, !isHeld {
      brake.found(at: now)
      if case .gather(let end) = brake.verdict(waiting: 90, now: now, agreed: { files }) {
        now = end
      }
      switch brake.verdict(waiting: 90, now: now, agreed: { files }) {
      case .go:
        brake.went(90, at: now)
        files -= 90
      case .gather: Issue.record("still gathering at \(now)")
      case .hold: isHeld = true
      }
      now += Self.second
    }
    #expect(isHeld && files > 450)
  }

  @Test func `what was deleted long ago doesn't count`() {
    var brake = DeletionBrake()
    brake.found(at: 0)
    brake.went(100, at: 0)
    let later = DeletionBrake.memory + 1
    brake.found(at: later)
    #expect(brake.gone == 0)
    #expect(brake.verdict(waiting: 60, now: later + DeletionBrake.pause) { 100 } == .go)
  }

  @Test func `a stream of deletions that never ends is judged all the same`() {
    var brake = DeletionBrake()
    for time in 0...60 { brake.found(at: Int64(time) * Self.second) }
    #expect(brake.verdict(waiting: 200, now: 60 * Self.second) { 300 } == .hold)
  }

  // MARK: The planner

  /// Trees of which some deletions wait.
  private struct HeldTrees: Trees {
    var model = ModelTrees()
    var held: Set<RecordID> = []

    func remote(_ id: RecordID) -> Node? { model.remote(id) }
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

  @Test func `what is moved out of a held directory moves, and takes nothing along`() throws {
    let before = "d:1/ d/f:2=v d/g:3=v"
    let plan = try plan(s: before, l: "g:3=v", r: before, held: [1, 2], dirty: [3])
    #expect(plan.zone.joined().map(\.id) == [recordID(3)])
    #expect(plan.zone.joined().allSatisfy { $0.act == .update })
    #expect(plan.folder.isEmpty)
  }

  @Test func `what others changed meanwhile comes back`() throws {
    let plan = try plan(s: "f:1=v", l: "", r: "f:1=w", held: [1], dirty: [1])
    #expect(plan.zone.isEmpty && plan.deferred.isEmpty)
    #expect(plan.folder.map(\.id) == [recordID(1)])
  }

  @Test func `a file that was deleted and made anew is an edit`() throws {
    let plan = try plan(s: "f:1=v", l: "f:2=w", r: "f:1=v", held: [1], dirty: [1, 2])
    #expect(plan.deferred.isEmpty && plan.identity.isEmpty && plan.folder.isEmpty)
    #expect(Set(plan.zone.joined().map(\.id)) == [recordID(1), recordID(2)])
  }
}
