import BenchFigures
import CairnPlan
import CairnZone

/// The planner by itself, over trees in memory: a folder that is new to the zone, a zone that is
/// new to the folder, and edits in a folder that is up to date.
enum PlanPart {
  private static let count = 20_000
  private static let batch = 2_000

  static func play(_ bench: Bench) throws {
    let tree = FlatTree(count)
    let edited = FlatTree(count, modified: 2)
    let cases: [(String, FlatTrees)] = [
      ("files planned, to the zone", FlatTrees(local: tree)),
      ("files planned, to the folder", FlatTrees(remote: tree)),
      ("edits planned", FlatTrees(remote: tree, local: edited, synced: tree)),
    ]
    for (what, trees) in cases {
      let rates = try PartCases.rates(of: Double(count), by: .processor) { try plan(trees) }
      bench.add(Figure(rate: what, "/s", rates))
    }
  }

  /// Plans everything, in batches of the engine's size.
  private static func plan(_ trees: FlatTrees) throws {
    var fresh = count
    for first in stride(from: 1, through: count, by: batch) {
      let dirty = (first..<(first + batch)).map { RecordID(number: $0) }
      let plan = try Planner.plan(dirty, in: trees) {
        fresh += 1
        return RecordID(number: fresh)
      }
      guard plan.agreed.count == batch else {
        throw Child.Trouble(description: "the planner didn't settle \(first) and what follows")
      }
    }
  }
}

/// Files in the root of a folder.
private struct FlatTree {
  var nodes: [RecordID: Node] = [:]
  var names: [Place: RecordID] = [:]

  init(_ count: Int = 0, modified: Int64 = 1) {
    for number in 1..<(count + 1) {
      let id = RecordID(number: number)
      let place = Place(parent: .root, name: .numbered(number))
      names[place] = id
      nodes[id] = Node(
        place: place, kind: .file(FoldPart.empty),
        attributes: Attributes(isExecutable: false, modified: modified))
    }
  }

  func children(of parent: RecordID) -> [RecordID] {
    parent == .root ? nodes.keys.sorted() : []
  }
}

/// The local, synced and remote trees.
private struct FlatTrees: Trees {
  var remote = FlatTree()
  var local = FlatTree()
  var synced = FlatTree()

  func remote(_ id: RecordID) -> Presence { remote.nodes[id].map { .here($0) } ?? .nowhere }
  func local(_ id: RecordID) -> Node? { local.nodes[id] }
  func synced(_ id: RecordID) -> Node? { synced.nodes[id] }
  func remoteChild(_ place: Place) -> RecordID? { remote.names[place] }
  func localChild(_ place: Place) -> RecordID? { local.names[place] }
  func remoteChildren(of parent: RecordID) -> [RecordID] { remote.children(of: parent) }
  func localChildren(of parent: RecordID) -> [RecordID] { local.children(of: parent) }
  func mayWrite(_ id: RecordID) -> Bool { true }
  func isPastContent(_ content: ContentID, of id: RecordID) -> Bool { false }
  func isLastChangedHere(_ id: RecordID) -> Bool { true }
  func formerRecords(of file: Node) -> [RecordID] { [] }
}
