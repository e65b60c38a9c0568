import CairnPlan
import CairnZone
import Testing

/// Records whose bytes are on their way, in every small combination of three trees.
@Suite struct FetchedTests {
  private static let (first, second) = (recordID(1), recordID(2))

  @Test(arguments: [[first], [second], [first, second]] as [Set<RecordID>])
  func `what is being fetched waits with all that needs it, and nothing is lost`(
    fetched: Set<RecordID>
  ) throws {
    var waited = 0
    for synced in ExhaustiveTests.trees {
      for local in ExhaustiveTests.trees {
        for remote in ExhaustiveTests.trees {
          var start = ModelTrees()
          (start.syncedTree, start.localTree, start.remoteTree) = (synced, local, remote)
          start.history = synced.nodes
          do { waited += try check(start, fetched) } catch {
            Issue.record("S \(text(synced)) L \(text(local)) R \(text(remote)): \(error)")
            return
          }
        }
      }
    }
    #expect(waited > 1_000)
  }

  /// - Returns: 1 if something waited for its bytes.
  private func check(_ start: ModelTrees, _ fetched: Set<RecordID>) throws -> Int {
    var engine = ModelEngine(start)
    engine.trees.fetched = fetched
    var hasWaited = 0
    for round in 0... {
      guard round < 20 else { throw Misstep("no end while bytes are on their way") }
      let plan = try engine.plan(engine.trees.dirty)
      for step in plan.folder where fetched.contains(step.id) {
        guard !step.needsBytes else { throw Misstep("\(step) comes too early") }
      }
      for (id, deferral) in plan.deferred where deferral == .unfetched {
        guard fetched.contains(id) else { throw Misstep("\(id) waits for nothing") }
        hasWaited = 1
      }
      if plan.isEmpty { break }
      try engine.carryOut(plan)
    }
    engine.trees.fetched = []
    try engine.run()
    try Properties.checkEnd(engine, from: start)
    return hasWaited
  }

  @Test func `the other steps don't wait`() throws {
    var trees = ModelTrees()
    trees.remoteTree = tree("d:1/ d/large:2=v d/small:3=v")
    trees.fetched = [recordID(2)]
    var engine = ModelEngine(trees)
    let plan = try engine.plan([1, 2, 3].map { recordID($0) })
    #expect(plan.folder.map(\.id) == [recordID(1), recordID(3)])
    #expect(plan.deferred == [recordID(2): .unfetched])
  }
}

extension FolderStep {
  /// A Boolean value that indicates whether the step puts the bytes of a file into the folder.
  fileprivate var needsBytes: Bool {
    switch self {
    case .install(_, let node): if case .file = node.kind { true } else { false }
    case .replace(_, let old, let new):
      if case .file = new.kind { old.kind != new.kind } else { false }
    default: false
    }
  }
}
