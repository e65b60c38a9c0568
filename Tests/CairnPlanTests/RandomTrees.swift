import CairnPlan
import CairnZone

/// Random changes to a tree, as a person makes them.
struct Gardener {
  var dice: Dice
  private var fresh = 100
  private var content = 1000

  init(seed: UInt64) { dice = Dice(seed: seed) }

  private mutating func pick(_ ids: [RecordID]) -> RecordID { ids[dice.below(ids.count)] }

  private mutating func freePlace(in tree: ModelTree) -> Place? {
    let directories = tree.nodes.filter { $0.value.kind == .directory }.map(\.key).sorted()
    let parent = pick([.root] + directories)
    let place = Place(parent: parent, name: fileName(["a", "b", "c"][dice.below(3)]))
    return tree.names[place] == nil ? place : nil
  }

  private mutating func newContent() -> ContentID {
    // A few equal contents now and then.
    if dice.chance(25) { return contentID(dice.below(3)) }
    content += 1
    return contentID(content)
  }

  private mutating func attributes() -> Attributes {
    Attributes(isExecutable: dice.chance(20), modified: Int64(dice.below(1000)))
  }

  mutating func grow(_ tree: inout ModelTree, steps: Int) {
    for _ in 0..<steps { create(in: &tree) }
  }

  mutating func perturb(_ tree: inout ModelTree, steps: Int, isLocal: Bool) {
    for _ in 0..<steps {
      let ids = tree.nodes.keys.sorted()
      switch dice.below(10) {
      case 0, 1: create(in: &tree)
      case 2, 3: if !ids.isEmpty { remove(pick(ids), in: &tree) }
      case 4, 5, 6: if !ids.isEmpty { move(pick(ids), in: &tree) }
      case 7, 8: if !ids.isEmpty { edit(pick(ids), in: &tree) }
      default:
        if !ids.isEmpty { replace(pick(ids), in: &tree, keepsID: isLocal) }
      }
    }
  }

  private mutating func create(in tree: inout ModelTree) {
    guard let place = freePlace(in: tree) else { return }
    fresh += 1
    tree[recordID(fresh)] = node(at: place)
  }

  private mutating func node(at place: Place) -> Node {
    let none = Attributes(isExecutable: false, modified: 0)
    switch dice.below(10) {
    case 0...4: return Node(place: place, kind: .directory, attributes: none)
    case 5: return Node(place: place, kind: .symlink([UInt8(65 + dice.below(2))]), attributes: none)
    default: return Node(place: place, kind: .file(newContent()), attributes: attributes())
    }
  }

  private func remove(_ id: RecordID, in tree: inout ModelTree) {
    var open = [id]
    while let id = open.popLast() {
      open += tree.children(of: id)
      tree[id] = nil
    }
  }

  private mutating func move(_ id: RecordID, in tree: inout ModelTree) {
    if dice.chance(15), let old = tree[id]?.place {
      let other = pick(tree.nodes.keys.sorted())
      guard let place = tree[other]?.place, !tree.isInside(id, other), !tree.isInside(other, id)
      else { return }
      tree[other]?.place = Place(parent: .parked, name: old.name)
      tree[id]?.place = place
      tree[other]?.place = old
    } else if let place = freePlace(in: tree), !tree.isInside(place.parent, id) {
      tree[id]?.place = place
    }
  }

  private mutating func edit(_ id: RecordID, in tree: inout ModelTree) {
    switch tree[id]?.kind {
    case .file:
      if dice.chance(75) { tree[id]?.kind = .file(newContent()) }
      tree[id]?.attributes = attributes()
    case .symlink: tree[id]?.kind = .symlink([UInt8(65 + dice.below(3))])
    case .directory, nil: break
    }
  }

  /// Replaces a node by another kind under the same name. A local scan keeps the id, and the zone
  /// can't.
  private mutating func replace(_ id: RecordID, in tree: inout ModelTree, keepsID: Bool) {
    guard let place = tree[id]?.place else { return }
    remove(id, in: &tree)
    fresh += 1
    tree[keepsID ? id : recordID(fresh)] = node(at: place)
  }

  /// Returns a base and two trees that developed from it.
  mutating func correlatedTrees(localSteps: Int, remoteSteps: Int) -> ModelTrees {
    var trees = ModelTrees()
    grow(&trees.syncedTree, steps: dice.below(8))
    trees.localTree = trees.syncedTree
    trees.remoteTree = trees.syncedTree
    perturb(&trees.localTree, steps: localSteps, isLocal: true)
    fresh += 1000
    perturb(&trees.remoteTree, steps: remoteSteps, isLocal: false)
    trees.history = trees.syncedTree.nodes
    return trees
  }
}
