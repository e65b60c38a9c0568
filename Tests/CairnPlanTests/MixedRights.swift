import CairnPlan
import CairnZone

/// The properties of trees in which only others may change some records.
enum MixedRights {
  /// All trees equal, no foreign record touched, nothing lost that nobody had seen.
  static func checkEnd(_ engine: ModelEngine, from start: ModelTrees) throws {
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
  static func checkOwn(_ engine: ModelEngine, from start: ModelTrees) throws {
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
  static func giveAway(_ trees: inout ModelTrees, _ dice: inout Dice) {
    for id in trees.remoteTree.nodes.keys.sorted() where dice.chance(50) {
      trees.foreign.insert(id)
    }
  }
}
