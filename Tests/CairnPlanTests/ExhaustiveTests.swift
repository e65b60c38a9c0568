import CairnPlan
import CairnZone
import Testing

/// Every small combination of three trees, possible or not.
@Suite struct ExhaustiveTests {
  /// The possible states of one id: nothing, two versions of a file, a directory; each at one of
  /// two places.
  private static let kinds: [Node.Kind?] = [
    nil, .file(contentID(1)), .file(contentID(2)), .directory,
  ]

  /// All trees of the ids 1 and 2 under the names a and b, in the root or in each other.
  static let trees: [ModelTree] = {
    var result: [ModelTree] = []
    for first in nodes(of: 1) {
      for second in nodes(of: 2) {
        var tree = ModelTree()
        tree[recordID(1)] = first
        tree[recordID(2)] = second
        if isTree(tree, first, second) { result.append(tree) }
      }
    }
    return result
  }()

  private static func nodes(of number: Int) -> [Node?] {
    let other = recordID(3 - number)
    let places = [
      Place(parent: .root, name: fileName("a")), Place(parent: .root, name: fileName("b")),
      Place(parent: other, name: fileName("a")),
    ]
    let none = Attributes(isExecutable: false, modified: 0)
    return [nil]
      + kinds.compactMap { $0 }.flatMap { kind in
        places.map { Node(place: $0, kind: kind, attributes: none) }
      }
  }

  private static func isTree(_ tree: ModelTree, _ first: Node?, _ second: Node?) -> Bool {
    guard first?.place != second?.place || first == nil else { return false }
    let isFirstInside = first?.place.parent == recordID(2)
    let isSecondInside = second?.place.parent == recordID(1)
    if isFirstInside && isSecondInside { return false }
    if isFirstInside { return second?.kind == .directory }
    return !isSecondInside || first?.kind == .directory
  }

  @Test func `every triple of small trees converges and loses nothing`() {
    #expect(Self.trees.count > 30)
    for synced in Self.trees {
      for local in Self.trees {
        for remote in Self.trees {
          var trees = ModelTrees()
          trees.syncedTree = synced
          trees.localTree = local
          trees.remoteTree = remote
          do { try check(trees) } catch {
            Issue.record(
              "S \(text(synced)) L \(text(local)) R \(text(remote)): \(error) \(trees)")
            return
          }
        }
      }
    }
  }

  private func check(_ start: ModelTrees) throws {
    var engine = ModelEngine(start)
    try engine.run()
    let end = engine.trees
    guard end.localTree.nodes == end.remoteTree.nodes, end.localTree.nodes == end.syncedTree.nodes
    else { throw Misstep("not equal") }
    let kept = end.localTree.contents
    for tree in [start.localTree, start.remoteTree] {
      for (id, node) in tree.nodes {
        guard case .file(let content?) = node.kind, !kept.contains(content) else { continue }
        guard start.syncedTree[id]?.kind == node.kind else { throw Misstep("lost \(content)") }
      }
    }
  }
}
