import CairnPlan
import CairnZone
import Testing

/// A folder after a stop of the machine, and conflicts that were settled before, in every small
/// combination of three trees.
@Suite struct StopTests {
  /// Runs each triple of small trees, as `prepare` makes it, to its end.
  private func failure(
    _ prepare: (inout ModelTrees) -> Bool, _ check: (ModelTrees, ModelEngine) throws -> Void
  ) -> String? {
    for synced in ExhaustiveTests.trees {
      for local in ExhaustiveTests.trees {
        for remote in ExhaustiveTests.trees {
          var start = ModelTrees(synced: synced, local: local, remote: remote)
          guard prepare(&start) else { continue }
          var engine = ModelEngine(start)
          do {
            try engine.run()
            guard engine.trees.localTree.nodes == engine.trees.remoteTree.nodes,
              engine.trees.localTree.nodes == engine.trees.syncedTree.nodes
            else { throw Misstep("not equal") }
            try check(start, engine)
          } catch {
            return "S \(text(synced)) L \(text(local)) R \(text(remote)): \(error)"
          }
        }
      }
    }
    return nil
  }

  @Test func `bytes that came back by a stop never go without a copy`() {
    var taken = 0
    let failure = failure({ start in
      start.back = [recordID(1), recordID(2)]
      return true
    }) { start, engine in
      taken += engine.rescued.count
      let kept = engine.trees.localTree.contents.union(engine.rescued)
      guard kept.isSuperset(of: start.localTree.contents) else { throw Misstep("lost") }
    }
    #expect(failure == nil)
    #expect(taken > 1_000)
  }

  @Test func `a damaged file is set aside, and the zone's version stands in its place`() {
    var count = 0
    let failure = failure({ start in
      let id = recordID(1)
      guard case .file = start.localTree[id]?.kind, case .file = start.syncedTree[id]?.kind,
        case .file = start.remoteTree[id]?.kind
      else { return false }
      start.localTree[id]?.kind = .file(nil)
      start.damaged = [id]
      return true
    }) { start, engine in
      count += 1
      guard !engine.trees.remoteTree.contents.contains(ModelEngine.read(recordID(1))) else {
        throw Misstep("what was damaged reached the zone")
      }
      guard start.localTree[recordID(2)] == nil else { return }
      let id = recordID(1)
      guard engine.trees.remoteTree[id] == start.remoteTree[id], engine.conflicts == 0 else {
        throw Misstep("it isn't what the zone has")
      }
    }
    #expect(failure == nil)
    #expect(count > 100)
  }

  @Test func `what waited for another look says where it stood`() throws {
    var engine = ModelEngine(ModelTrees())
    engine.trees.syncedTree = tree("f:1=v d:2/")
    engine.trees.remoteTree = tree("f:1=v d:2/")
    engine.trees.localTree = tree("d:2/")
    let plan = try engine.plan([recordID(1)])
    #expect(
      plan.zone == [
        [
          ZoneChange(
            id: recordID(1), act: .delete,
            goneFrom: Place(parent: .root, name: fileName("f")))
        ]
      ])
  }

  // MARK: Conflict copies

  private static let label = ConflictLabel(
    who: "ana", host: "attic", year: 2026, month: 11, day: 23, hour: 9, minute: 30)

  private static func copy(of name: String, _ content: Int) -> Node {
    Node(
      place: Place(
        parent: .root, name: conflictName(of: fileName(name), label: label, attempt: 1)),
      kind: .file(contentID(content)), attributes: Attributes(isExecutable: false, modified: 0))
  }

  @Test func `a conflict whose bytes stand in a copy makes no other one`() {
    var (settled, others) = (0, 0)
    let copy = recordID(3)
    let failure = failure({ start in
      guard start.localTree[recordID(1)]?.kind == .file(contentID(1)) else { return false }
      for tree in [\ModelTrees.localTree, \.remoteTree, \.syncedTree] {
        start[keyPath: tree][copy] = Self.copy(of: "a", 1)
      }
      return true
    }) { start, engine in
      guard engine.trees.localTree.contents.contains(contentID(1)) else { throw Misstep("lost") }
      let names = engine.trees.remoteTree.nodes.values.filter {
        $0.kind == .file(contentID(1)) && $0.place.name.description.contains("~")
      }
      let isConflict =
        start.remoteTree[recordID(1)]?.kind == .file(contentID(2))
        && start.remoteTree[recordID(1)]?.place.name == fileName("a")
        && start.remoteTree[recordID(1)]?.place.parent == .root
        && start.syncedTree[recordID(1)] == nil
      guard isConflict, start.localTree[recordID(2)] == nil, start.remoteTree[recordID(2)] == nil
      else { return others += 1 }
      settled += 1
      guard names.isEmpty else { throw Misstep("another copy: \(text(engine.trees.remoteTree))") }
    }
    #expect(failure == nil)
    #expect(settled > 10 && others > 100)
  }

  @Test(arguments: [
    ("deleted", nil, true), ("edited", Self.copy(of: "a", 9), true),
    ("not there yet", nil, false),
  ])
  func `a copy counts only as it was left`(what: String, local: Node?, isSynced: Bool) throws {
    var trees = ModelTrees()
    trees.syncedTree = tree("a:1=v")
    trees.localTree = tree("a:1=v")
    trees.localTree[recordID(1)]?.kind = .file(contentID(1))
    trees.remoteTree = tree("a:1=x")
    trees.remoteTree[recordID(3)] = Self.copy(of: "a", 1)
    trees.localTree[recordID(3)] = local
    if isSynced { trees.syncedTree[recordID(3)] = Self.copy(of: "a", 1) }
    let first = try ModelEngine(trees).firstPlan([recordID(1)])
    let isSettled = first.identity == [.giveWay(recordID(1))]
    #expect(isSettled == (what == "not there yet"))
  }

  // MARK: The way back

  @Test func `only what may not be written goes back, directories first`() throws {
    var trees = ModelTrees()
    trees.localTree = tree("d:9/ d/f:1=v g:2=? h:3=v")
    trees.syncedTree = tree("g:2=v h:3=v")
    trees.remoteTree = trees.syncedTree
    let ids = [1, 2, 3, 9].map { recordID($0) }
    #expect(try WayBack.candidates(ids, in: trees).isEmpty)
    trees.mayWrite = false
    #expect(
      try WayBack.candidates(ids, in: trees) == [recordID(2), recordID(9), recordID(1)])
  }
}

extension ModelEngine {
  /// Returns the first plan.
  func firstPlan(_ ids: [RecordID]) throws -> Plan {
    var engine = self
    return try engine.plan(ids)
  }
}
