import CairnPlan
import CairnZone
import Testing

/// Records that a device doesn't want in its folder, in every small combination of three trees.
@Suite struct WantedTests {
  private static let first = recordID(1)
  private static let second = recordID(2)

  @Test(arguments: [[first], [first, second]] as [Set<RecordID>])
  func `what isn't wanted goes from the folder, and from nowhere else`(
    unwanted: Set<RecordID>
  ) throws {
    var gone = 0
    for synced in ExhaustiveTests.trees {
      for local in ExhaustiveTests.trees {
        for remote in ExhaustiveTests.trees {
          var start = ModelTrees()
          start.syncedTree = synced
          start.localTree = local
          start.remoteTree = remote
          start.unwanted = unwanted
          do { gone += try check(start) } catch {
            Issue.record("S \(text(synced)) L \(text(local)) R \(text(remote)): \(error)")
            return
          }
        }
      }
    }
    #expect(gone > 1_000)
  }

  /// - Returns: how many records the folder had, and lost for that.
  private func check(_ start: ModelTrees) throws -> Int {
    var engine = ModelEngine(start)
    try engine.run()
    let end = engine.trees
    var gone = 0
    for (id, node) in end.remoteTree.nodes {
      guard end.isWanted(id) else {
        guard end.localTree[id] == nil else { throw Misstep("\(id) is still in the folder") }
        gone += start.localTree[id] == nil ? 0 : 1
        continue
      }
      guard end.localTree[id] == node else { throw Misstep("\(id) isn't in the folder") }
    }
    for id in end.localTree.nodes.keys where end.remoteTree[id] == nil {
      throw Misstep("\(id) isn't in the zone")
    }
    // Nobody deleted what wasn't there because it wasn't wanted.
    for (id, node) in start.remoteTree.nodes
    where !start.isWanted(id) && start.localTree[id] == nil {
      guard end.remoteTree[id]?.kind == node.kind else { throw Misstep("\(id) was deleted") }
    }
    // What a person made or edited here is in the zone, or in the rescue folder.
    let kept = end.remoteTree.contents.union(engine.rescued)
    for (id, node) in start.localTree.nodes {
      guard case .file(let content?) = node.kind, !kept.contains(content) else { continue }
      guard start.syncedTree[id]?.kind == node.kind else { throw Misstep("lost \(content)") }
    }
    return gone
  }

  @Test func `what is wanted again comes again`() throws {
    var trees = ModelTrees()
    trees.syncedTree = tree("d:9/ d/f:1=v g:2=x")
    trees.localTree = trees.syncedTree
    trees.remoteTree = trees.syncedTree
    trees.unwanted = [recordID(9), recordID(1)]
    var engine = ModelEngine(trees)
    try engine.run()
    #expect(engine.trees.localTree.nodes.keys.sorted() == [recordID(2)])
    #expect(engine.trees.remoteTree.nodes == trees.remoteTree.nodes)
    engine.trees.unwanted = []
    try engine.run()
    #expect(engine.trees.localTree.nodes == trees.remoteTree.nodes)
    #expect(engine.trees.remoteTree.nodes == trees.remoteTree.nodes)
  }

  @Test func `what was changed goes to the zone before it goes from the folder`() throws {
    var trees = ModelTrees()
    trees.syncedTree = tree("f:1=v")
    trees.localTree = tree("f:1=w")
    trees.remoteTree = trees.syncedTree
    trees.unwanted = [recordID(1)]
    let first = try ModelEngine(trees).firstPlan([recordID(1)])
    #expect(first.folder.isEmpty && first.zone.count == 1)
    var engine = ModelEngine(trees)
    try engine.run()
    #expect(engine.trees.remoteTree.nodes == trees.localTree.nodes)
    #expect(engine.trees.localTree.nodes.isEmpty)
  }
}
