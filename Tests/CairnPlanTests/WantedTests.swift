import CairnPlan
import CairnZone
import Testing

/// Records that a device doesn't want in its folder. `TripleProperty` checks every small
/// combination of three trees.
@Suite struct WantedTests {
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

  @Test func `a change goes to the zone before the file goes from the folder`() throws {
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
