import CairnPlan
import CairnZone
import Testing

/// A folder after a stop of the machine, and conflicts that were settled before. `TripleProperty`
/// checks every small combination of three trees.
@Suite struct StopTests {
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

  @Test(arguments: [
    ("deleted", nil, true), ("edited", SettledConflicts.copy(of: "a", 9), true),
    ("not there yet", nil, false),
  ])
  func `a copy counts only if it is unchanged`(what: String, local: Node?, isSynced: Bool) throws {
    var trees = ModelTrees()
    trees.syncedTree = tree("a:1=v")
    trees.localTree = tree("a:1=v")
    trees.localTree[recordID(1)]?.kind = .file(contentID(1))
    trees.remoteTree = tree("a:1=x")
    trees.remoteTree[recordID(3)] = SettledConflicts.copy(of: "a", 1)
    trees.localTree[recordID(3)] = local
    if isSynced { trees.syncedTree[recordID(3)] = SettledConflicts.copy(of: "a", 1) }
    let first = try ModelEngine(trees).firstPlan([recordID(1)])
    let isSettled = first.identity == [.giveWay(recordID(1))]
    #expect(isSettled == (what == "not there yet"))
  }

  // MARK: Restoring the zone's version

  @Test func `only forbidden changes are restored, directories first`() throws {
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
