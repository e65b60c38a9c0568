import CairnPlan
import CairnZone

/// The properties of trees in which a device doesn't want some records in its folder.
enum UnwantedRecords {
  /// Throws a `Misstep` if a record is where it isn't wanted, or is lost.
  /// - Returns: The number of records that left the folder.
  static func check(_ start: ModelTrees, _ engine: ModelEngine) throws -> Int {
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
}
