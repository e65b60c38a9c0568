import CairnPlan
import CairnZone

/// Triples in which the bytes of a conflict are in a conflict copy already.
enum SettledConflicts {
  private static let label = ConflictLabel(
    who: "ana", host: "attic", year: 2026, month: 11, day: 23, hour: 9, minute: 30)

  static func copy(of name: String, _ content: Int) -> Node {
    Node(
      place: Place(
        parent: .root, name: conflictName(of: fileName(name), label: label, attempt: 1)),
      kind: .file(contentID(content)), attributes: Attributes(isExecutable: false, modified: 0))
  }

  /// Adds the copy to the triple; returns false if the local file has other bytes.
  static func prepare(_ start: inout ModelTrees) -> Bool {
    guard start.localTree[recordID(1)]?.kind == .file(contentID(1)) else { return false }
    for tree in [\ModelTrees.localTree, \.remoteTree, \.syncedTree] {
      start[keyPath: tree][recordID(3)] = copy(of: "a", 1)
    }
    return true
  }

  /// Throws a `Misstep` if there is another copy, or the bytes are lost.
  /// - Returns: 1 if there was a conflict.
  static func check(_ start: ModelTrees, _ engine: ModelEngine) throws -> Int {
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
    else { return 0 }
    guard names.isEmpty else { throw Misstep("another copy: \(text(engine.trees.remoteTree))") }
    return 1
  }
}
