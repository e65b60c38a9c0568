import CairnPlan
import CairnZone

/// Every small tree of files and directories, and every single change that a person can make to
/// one: few enough to test all.
enum SmallTrees {
  private static let names = [fileName("a"), fileName("b")]
  private static let none = Attributes(isExecutable: false, modified: 0)

  /// Returns all trees of at most that many nodes under two names. Ids and contents follow from the
  /// order in which the nodes were added. Trees that differ only in that order occur once.
  static func all(upTo most: Int) -> [ModelTree] {
    var result = [ModelTree()]
    var last = result
    for number in 1...most {
      var seen: Set<[String: Bool]> = []
      last = last.flatMap { tree in
        freePlaces(in: tree).flatMap { place in
          [Node.Kind.directory, .file(contentID(number))].map { kind in
            var next = tree
            next[recordID(number)] = Node(place: place, kind: kind, attributes: none)
            return next
          }
        }
      }.filter { seen.insert(outline($0)).inserted }
      result += last
    }
    return result
  }

  /// Returns the paths, each with a Boolean value that indicates whether it is a directory.
  private static func outline(_ tree: ModelTree) -> [String: Bool] {
    tree.shape.mapValues { $0.kind == .directory }
  }

  private static func freePlaces(in tree: ModelTree) -> [Place] {
    let directories = tree.nodes.filter { $0.value.kind == .directory }.map(\.key).sorted()
    return ([.root] + directories).flatMap { parent in
      names.map { Place(parent: parent, name: $0) }
    }.filter { tree.names[$0] == nil }
  }

  /// Returns the tree as it is, and after each change of one node: created, removed with everything
  /// below it, moved, swapped with another, edited, replaced by the other kind. `side` keeps the
  /// new ids and contents of two sides apart, except for one equal content.
  static func changed(_ tree: ModelTree, side: Int, isLocal: Bool) -> [ModelTree] {
    let fresh = 1000 * side
    var result = [tree]
    func add(_ change: (inout ModelTree) -> Void) {
      var next = tree
      change(&next)
      result.append(next)
    }
    let places = freePlaces(in: tree)
    for place in places {
      for kind in [Node.Kind.directory, .file(contentID(fresh)), .file(contentID(7))] {
        add { $0[recordID(fresh)] = Node(place: place, kind: kind, attributes: none) }
      }
    }
    for (id, node) in tree.nodes.sorted(by: { $0.key < $1.key }) {
      add { remove(id, in: &$0) }
      for place in places where !tree.isInside(place.parent, id) { add { $0[id]?.place = place } }
      // Another kind under the same name: a scan keeps the id, and the zone can't.
      let other: Node.Kind = node.kind == .directory ? .file(contentID(fresh)) : .directory
      add {
        remove(id, in: &$0)
        let new = isLocal ? id : recordID(fresh)
        $0[new] = Node(place: node.place, kind: other, attributes: none)
      }
      guard case .file = node.kind else { continue }
      for content in [fresh, 7] { add { $0[id]?.kind = .file(contentID(content)) } }
      add { $0[id]?.attributes = Attributes(isExecutable: true, modified: Int64(side)) }
    }
    for pair in pairs(of: tree) { add { swap(pair, in: &$0) } }
    return result
  }

  private static func pairs(of tree: ModelTree) -> [(RecordID, RecordID)] {
    let ids = tree.nodes.keys.sorted()
    return ids.indices.flatMap { first in
      ids[(first + 1)...].map { (ids[first], $0) }
    }.filter { !tree.isInside($0, $1) && !tree.isInside($1, $0) }
  }

  private static func swap(_ pair: (RecordID, RecordID), in tree: inout ModelTree) {
    guard let first = tree[pair.0]?.place, let second = tree[pair.1]?.place else { return }
    tree[pair.0]?.place = Place(parent: .parked, name: first.name)
    tree[pair.1]?.place = first
    tree[pair.0]?.place = second
  }

  private static func remove(_ id: RecordID, in tree: inout ModelTree) {
    var open = [id]
    while let id = open.popLast() {
      open += tree.children(of: id)
      tree[id] = nil
    }
  }
}
