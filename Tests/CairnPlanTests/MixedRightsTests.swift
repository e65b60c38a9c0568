import CairnPlan
import CairnZone
import Testing

/// A zone in which some records may be changed here and others not, as in the public database:
/// what may not be is restored, what may goes through, and neither stops the other. The model
/// engine itself refuses a change of a foreign record.
@Suite struct MixedRightsTests {
  /// One row: which records are foreign, beside what the other rows say.
  private static let rows: [(foreign: [Int], row: Row)] = [
    (
      [1],
      Row("a foreign edit", s: "f:1=v g:2=v", l: "f:1=w g:2=x", r: "f:1=v g:2=v", end: "f=v g=x")
    ),
    ([1], Row("a foreign file deleted", s: "f:1=v g:2=v", l: "", r: "f:1=v g:2=v", end: "f=v")),
    (
      [1],
      Row(
        "a foreign file moved", s: "d:2/ f:1=v", l: "d:2/ d/f:1=v", r: "d:2/ f:1=v", end: "d/ f=v")
    ),
    (
      [1],
      Row("moved and edited", s: "d:2/ f:1=v", l: "d:2/ d/f:1=w", r: "d:2/ f:1=v", end: "d/ f=v")
    ),
    ([1], Row("a foreign bit", s: "f:1=v", l: "f:1=v!", r: "f:1=v", end: "f=v")),
    (
      [1],
      Row("one's own renamed", s: "f:1=v g:2=v", l: "f:1=v h:2=v", r: "f:1=v g:2=v", end: "f=v h=v")
    ),
    (
      [1],
      Row(
        "own files in a foreign directory", s: "d:1/", l: "d:1/ d/f:2=v", r: "d:1/", end: "d/ d/f=v"
      )
    ),
    (
      [1],
      Row(
        "a foreign directory deleted with own files in it", s: "d:1/ d/f:2=v", l: "",
        r: "d:1/ d/f:2=v", end: "d/")
    ),
    (
      [2],
      Row(
        "an own directory deleted with foreign files in it", s: "d:1/ d/f:2=v d/g:3=w", l: "",
        r: "d:1/ d/f:2=v d/g:3=w", end: "d/ d/f=v")
    ),
    (
      [1],
      Row(
        "a foreign directory moved, and a file made in it", s: "d:1/ e:2/",
        l: "e:2/ e/d:1/ e/d/f:3=v", r: "d:1/ e:2/", end: "d/ d/f=v e/")
    ),
    (
      [2],
      Row(
        "an own directory renamed with foreign files in it", s: "d:1/ d/f:2=v",
        l: "e:1/ e/f:2=w e/g:3=x", r: "d:1/ d/f:2=v", end: "e/ e/f=v e/g=x")
    ),
    (
      [1],
      Row(
        "an own file renamed over a foreign one", s: "f:1=v g:2=w", l: "f:2=w",
        r: "f:1=v g:2=w", end: "f=v f~1=w")
    ),
    (
      [1],
      Row(
        "swapped with an own one", s: "a:1=v b:2=w", l: "a:2=w b:1=v", r: "a:1=v b:2=w",
        end: "a=v a~1=w")
    ),
    (
      [1],
      Row(
        "a foreign file became a directory", s: "f:1=v", l: "f:1/ f/g:2=w", r: "f:1=v",
        end: "f=v f~1/ f~1/g=w")
    ),
    (
      [1],
      Row(
        "a foreign directory became a file", s: "d:1/ d/f:2=v", l: "d:1=w", r: "d:1/ d/f:2=v",
        end: "d/")
    ),
    (
      [1], Row("deleted by its creator", s: "d:1/ d/f:2=v", l: "d:1/ d/f:2=v", r: "d:1/", end: "d/")
    ),
    (
      [1],
      Row(
        "a foreign directory is deleted there, with a new file here", s: "d:1/",
        l: "d:1/ d/f:2=v", r: "", end: "d/ d/f=v")
    ),
    (
      [1, 2],
      Row(
        "a foreign directory moved into another, which went into it there", s: "a:1/ b:2/ c:3/",
        l: "b:2/ b/a:1/ b/a/c:3/", r: "a:1/ a/b:2/ c:3/", end: "a/ a/b/ a/c/")
    ),
  ]

  @Test(arguments: rows.indices)
  func `what may be changed goes through, and the rest is restored`(index: Int) throws {
    let (foreign, row) = Self.rows[index]
    var trees = row.trees
    trees.foreign = Set(foreign.map(recordID))
    var engine = ModelEngine(trees)
    try engine.run()
    #expect(text(engine.trees.localTree) == row.end, "\(row.sentence)")
    try Self.checkEnd(engine, from: trees)
  }

  /// All trees equal, no foreign record touched, nothing lost that nobody had seen.
  private static func checkEnd(_ engine: ModelEngine, from start: ModelTrees) throws {
    let end = engine.trees
    guard end.localTree.nodes == end.remoteTree.nodes, end.localTree.nodes == end.syncedTree.nodes
    else { throw Misstep("not equal") }
    for id in start.foreign {
      guard let before = start.remoteTree[id] else { continue }
      guard end.remoteTree[id] == before else { throw Misstep("\(id) was changed") }
    }
    let kept = end.localTree.contents.union(engine.rescued)
    for tree in [start.localTree, start.remoteTree] {
      for (id, node) in tree.nodes {
        guard case .file(let content?) = node.kind, !kept.contains(content) else { continue }
        let known = start.history[id] ?? start.syncedTree[id]
        guard known?.kind == node.kind else { throw Misstep("lost \(content) of \(id)") }
      }
    }
  }

  /// Checks that entries which the person may change are as they left them, whatever is beside
  /// them.
  private static func checkOwn(_ engine: ModelEngine, from start: ModelTrees) throws {
    let contents = engine.trees.remoteTree.contents
    for (id, node) in start.localTree.nodes where !start.foreign.contains(id) {
      guard case .file(let content?) = node.kind else { continue }
      guard contents.contains(content) else { throw Misstep("\(id) didn't go through") }
    }
    for (id, node) in start.remoteTree.nodes where start.localTree[id] == nil {
      guard !start.foreign.contains(id), node.kind != .directory else { continue }
      // An equal new node in its place is adopted.
      guard !start.localTree.nodes.values.contains(where: { $0.kind == node.kind }) else {
        continue
      }
      guard engine.trees.remoteTree[id] == nil else { throw Misstep("\(id) wasn't deleted") }
    }
  }

  /// Some of the zone's records become others'.
  private static func giveAway(_ trees: inout ModelTrees, _ dice: inout Dice) {
    for id in trees.remoteTree.nodes.keys.sorted() where dice.chance(50) {
      trees.foreign.insert(id)
    }
  }

  private func run(_ body: (inout Gardener) throws -> Void) {
    for seed in 0..<ConvergenceTests.cases / 2 {
      var gardener = Gardener(seed: seed)
      do {
        try body(&gardener)
      } catch {
        Issue.record("seed \(seed): \(error)")
        return
      }
    }
  }

  @Test func `own changes go through beside foreign ones`() {
    run { gardener in
      var start = gardener.correlatedTrees(
        localSteps: 1 + gardener.dice.below(8), remoteSteps: 0)
      Self.giveAway(&start, &gardener.dice)
      var engine = ModelEngine(start)
      try engine.run()
      try Self.checkEnd(engine, from: start)
      try Self.checkOwn(engine, from: start)
    }
  }

  @Test func `two sides with mixed rights converge, stopped at any step`() {
    run { gardener in
      var start = gardener.correlatedTrees(
        localSteps: 1 + gardener.dice.below(6), remoteSteps: gardener.dice.below(6))
      Self.giveAway(&start, &gardener.dice)
      var engine = ModelEngine(start)
      var dice = gardener.dice
      try engine.run(limit: { $0 < 8 && dice.chance(50) ? dice.below(6) : nil })
      try Self.checkEnd(engine, from: start)
    }
  }

  @Test(arguments: [[1], [2]])
  func `small trees converge with a foreign record, whatever was agreed on`(foreign: [Int]) {
    // Each third one: with all of them, the test would take a minute.
    for index in stride(from: 0, to: ExhaustiveTests.trees.count, by: 3) {
      let synced = ExhaustiveTests.trees[index]
      for local in ExhaustiveTests.trees {
        for remote in ExhaustiveTests.trees {
          var trees = ModelTrees()
          trees.syncedTree = synced
          trees.localTree = local
          trees.remoteTree = remote
          trees.foreign = Set(foreign.map(recordID)).intersection(remote.nodes.keys)
          // Without a foreign record the triple is one of ExhaustiveTests'.
          guard !trees.foreign.isEmpty else { continue }
          do {
            var engine = ModelEngine(trees)
            try engine.run()
            try Self.checkEnd(engine, from: trees)
          } catch {
            Issue.record(
              "S \(text(synced)) L \(text(local)) R \(text(remote)): \(error)")
            return
          }
        }
      }
    }
  }
}
