import CairnPlan
import CairnZone

/// One tree of the model, with its indexes.
struct ModelTree: Hashable, Sendable {
  private(set) var nodes: [RecordID: Node] = [:]
  private(set) var names: [Place: RecordID] = [:]
  private(set) var entries: [RecordID: Set<RecordID>] = [:]

  subscript(id: RecordID) -> Node? {
    get { nodes[id] }
    set {
      if let old = nodes[id] {
        if names[old.place] == id { names[old.place] = nil }
        entries[old.place.parent]?.remove(id)
      }
      nodes[id] = newValue
      if let place = newValue?.place {
        names[place] = id
        entries[place.parent, default: []].insert(id)
      }
    }
  }

  func children(of parent: RecordID) -> [RecordID] { (entries[parent] ?? []).sorted() }

  func isDirectory(_ id: RecordID) -> Bool { id == .root || nodes[id]?.kind == .directory }

  /// Returns whether `id` is `ancestor` or below it.
  func isInside(_ id: RecordID, _ ancestor: RecordID) -> Bool {
    var next: RecordID? = id
    while let current = next {
      if current == ancestor { return true }
      next = nodes[current]?.place.parent
    }
    return false
  }

  /// A node without its id and place.
  struct Entry: Hashable {
    let kind: Node.Kind
    let isExecutable: Bool
    let modified: Int64
  }

  /// Kinds, bytes and attributes by path: a tree without its ids.
  var shape: [String: Entry] {
    var result: [String: Entry] = [:]
    var open: [(RecordID, String)] = [(.root, "")]
    while let (parent, path) = open.popLast() {
      for id in entries[parent] ?? [] {
        guard let node = nodes[id] else { continue }
        let own = path + "/" + node.place.name.description
        open.append((id, own))
        result[own] = Entry(
          kind: node.kind, isExecutable: node.attributes.isExecutable,
          modified: node.kind == .directory ? 0 : node.attributes.modified)
      }
    }
    return result
  }

  /// The bytes of all files.
  var contents: Set<ContentID> {
    Set(nodes.values.compactMap { if case .file(let content) = $0.kind { content } else { nil } })
  }
}

/// The three trees of the model, and the other facts that the planner may ask for.
struct ModelTrees: Trees, Hashable, Sendable {
  var localTree = ModelTree()
  var remoteTree = ModelTree()
  var syncedTree = ModelTree()
  /// The synced nodes before the index lost them.
  var history: [RecordID: Node] = [:]
  /// The former places of records that others moved.
  var left: [Place: [RecordID]] = [:]
  /// Places that another record had before the present one.
  var taken: Set<Place> = []
  /// The former places of directories that others deleted.
  var deleted: [Place: RecordID] = [:]
  /// The former places of symlinks that others deleted, with their targets.
  var deletedTargets: [Place: [UInt8]] = [:]
  /// A Boolean value that indicates whether the index, or the folder, may be of an earlier time.
  var mayBeOlder = false
  /// A Boolean value that indicates whether this person may create records, and change records that
  /// aren't foreign.
  var mayWrite = true
  /// Records of the zone that only others may change.
  var foreign: Set<RecordID> = []
  /// Unread files that a stop of the machine damaged.
  var damaged: Set<RecordID> = []
  /// Records that this device changed right before a stop of the machine undid the change.
  var back: Set<RecordID> = []
  /// Records of the zone that the mount doesn't show.
  var elsewhere: Set<RecordID> = []
  /// Records that another zone has.
  var movedAway: Set<RecordID> = []
  /// Records whose new bytes are being fetched.
  var fetched: Set<RecordID> = []
  /// Records that the device doesn't want in its folder.
  var unwanted: Set<RecordID> = []

  init() {}

  /// Creates three trees. Nothing was forgotten, and everything may be written.
  init(synced: ModelTree, local: ModelTree, remote: ModelTree) {
    syncedTree = synced
    localTree = local
    remoteTree = remote
    history = synced.nodes
  }

  func mayWrite(_ id: RecordID) -> Bool {
    mayWrite && !(foreign.contains(id) && remoteTree[id] != nil)
  }

  func remote(_ id: RecordID) -> Presence {
    if let node = remoteTree[id] { return .here(node) }
    return elsewhere.contains(id) ? .elsewhere : movedAway.contains(id) ? .inAnotherZone : .nowhere
  }
  func local(_ id: RecordID) -> Node? { localTree[id] }
  func synced(_ id: RecordID) -> Node? { syncedTree[id] }
  func remoteChild(_ place: Place) -> RecordID? { remoteTree.names[place] }
  func localChild(_ place: Place) -> RecordID? { localTree.names[place] }
  func remoteChildren(of parent: RecordID) -> [RecordID] { remoteTree.children(of: parent) }
  func localChildren(of parent: RecordID) -> [RecordID] { localTree.children(of: parent) }

  func isPastContent(_ content: ContentID, of id: RecordID) -> Bool {
    history[id]?.kind == .file(content) && remoteTree[id]?.kind != .file(content)
  }

  func isLastChangedHere(_ id: RecordID) -> Bool {
    guard let old = history[id], !foreign.contains(id) else { return false }
    return remoteTree[id] == old
  }

  func formerRecords(of file: Node) -> [RecordID] {
    Set(history.keys).union(remoteTree.nodes.keys).sorted().filter { id in
      [history[id], remoteTree[id]].contains {
        $0?.kind == file.kind && $0?.attributes.modified == file.attributes.modified
      }
    }
  }

  func records(thatLeft place: Place) -> [RecordID] { left[place] ?? [] }

  func stood(at place: Place, otherThan id: RecordID) -> Bool { taken.contains(place) }

  func directory(deletedFrom place: Place) -> RecordID? { deleted[place] }

  func symlink(deletedFrom place: Place) -> [UInt8]? { deletedTargets[place] }

  func isDamaged(_ id: RecordID) -> Bool { damaged.contains(id) }

  func isBeingFetched(_ id: RecordID) -> Bool { fetched.contains(id) }

  func cameBack(_ id: RecordID, as node: Node) -> Bool { back.contains(id) }

  func isWanted(_ id: RecordID) -> Bool {
    guard unwanted.contains(id) else { return true }
    return [localTree, remoteTree].contains { tree in
      tree.nodes.keys.contains { !unwanted.contains($0) && tree.isInside($0, id) }
    }
  }

  /// Every record whose state in the three trees isn't final.
  var dirty: [RecordID] {
    var ids = Set(localTree.nodes.keys)
    ids.formUnion(remoteTree.nodes.keys)
    ids.formUnion(syncedTree.nodes.keys)
    return ids.filter {
      isWanted($0)
        ? localTree[$0] != remoteTree[$0] || localTree[$0] != syncedTree[$0]
        : localTree[$0] != nil || syncedTree[$0] != nil
    }.sorted()
  }
}

/// A small generator of numbers that is the same everywhere (SplitMix64).
struct Dice: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }

  mutating func below(_ limit: Int) -> Int { Int(next() % UInt64(limit)) }
  mutating func chance(_ percent: Int) -> Bool { below(100) < percent }
}

func recordID(_ number: Int) -> RecordID {
  RecordID(Bytes16(high: 0, low: UInt64(number)))
}

func contentID(_ number: Int) -> ContentID {
  let bytes = (0..<32).map { $0 < 24 ? 0 : UInt8(truncatingIfNeeded: number >> (8 * (31 - $0))) }
  guard let id = ContentID(bytes: bytes) else { preconditionFailure("32 bytes are an id") }
  return id
}

func fileName(_ text: String) -> FileName {
  guard let name = FileName(text) else { preconditionFailure("no name: \(text)") }
  return name
}
