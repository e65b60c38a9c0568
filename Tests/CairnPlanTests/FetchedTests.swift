import CairnPlan
import CairnZone
import Testing

/// Records whose bytes are on their way. `TripleProperty` checks every small combination of three
/// trees.
@Suite struct FetchedTests {
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
