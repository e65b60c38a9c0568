import CairnPlan
import CairnZone

/// The properties of any three trees, checked on one case after the other. It counts the kinds of
/// cases, so that a run over easy cases only is noticed.
struct Properties {
  /// The number of checked cases.
  private(set) var cases = 0
  /// The number of cases with a conflict copy.
  private(set) var conflicts = 0
  /// The highest number of rounds of a case.
  private(set) var rounds = 0

  /// Throws a `Misstep` if a property doesn't hold.
  mutating func check(_ start: ModelTrees, _ dice: inout Dice) throws {
    let engine = try Self.settled(start)
    try Self.checkEnd(engine, from: start)
    try Self.checkOneSided(engine, from: start)
    try Self.checkRest(engine.trees)

    var shuffled = ModelEngine(start)
    var order = dice
    try shuffled.run(dirty: { $0.shuffle(using: &order) })
    dice = order
    guard shuffled.trees.localTree.shape == engine.trees.localTree.shape else {
      throw Misstep("the order of the dirty records matters")
    }
    cases += 1
    if engine.conflicts > 0 { conflicts += 1 }
    rounds = max(rounds, engine.rounds, shuffled.rounds)
  }

  private static func settled(_ start: ModelTrees) throws -> ModelEngine {
    var engine = ModelEngine(start)
    try engine.run()
    return engine
  }

  /// Checks that all trees are equal, and that nothing unseen is lost. Each former content is in
  /// the tree, beside it, or in the rescue folder, unless the person who changed it knew it.
  static func checkEnd(_ engine: ModelEngine, from start: ModelTrees) throws {
    let end = engine.trees
    guard end.localTree.nodes == end.remoteTree.nodes, end.localTree.nodes == end.syncedTree.nodes
    else { throw Misstep("not equal") }
    let kept = end.localTree.contents.union(engine.rescued)
    for (tree, other) in [
      (start.localTree, start.remoteTree), (start.remoteTree, start.localTree),
    ] {
      for (id, node) in tree.nodes {
        guard case .file(let content?) = node.kind, !kept.contains(content) else { continue }
        guard start.history[id]?.kind == node.kind, other[id]?.kind != node.kind else {
          throw Misstep("lost \(content) of \(id)")
        }
      }
    }
  }

  /// Checks that the result is exactly the changed side, if only one side changed.
  private static func checkOneSided(_ engine: ModelEngine, from start: ModelTrees) throws {
    if start.remoteTree.nodes == start.syncedTree.nodes {
      guard engine.conflicts == 0, engine.trees.remoteTree.shape == start.localTree.shape else {
        throw Misstep("not as the folder has it")
      }
    }
    if start.localTree.nodes == start.syncedTree.nodes {
      guard engine.conflicts == 0, engine.rounds <= 1,
        engine.trees.localTree.nodes == start.remoteTree.nodes
      else { throw Misstep("not as the zone has it") }
    }
  }

  /// Checks that there is nothing to do if all three trees are equal, whatever is marked dirty.
  private static func checkRest(_ end: ModelTrees) throws {
    let plan = try Planner.plan(end.localTree.nodes.keys.sorted(), in: end) {
      preconditionFailure("a plan for nothing needs no ids")
    }
    guard plan.identity.isEmpty, plan.folder.isEmpty, plan.zone.isEmpty, plan.deferred.isEmpty
    else { throw Misstep("a plan for equal trees: \(plan)") }
  }
}
