import CairnPlan
import CairnZone

/// A condition that a step found and must not find: a bug of the planner.
struct Misstep: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}

/// Carries out plans on three trees in memory, and checks that each step can be carried out.
struct ModelEngine {
  var trees: ModelTrees
  var rescued: Set<ContentID> = []
  var rounds = 0
  /// The number of steps that the folder and the zone took.
  var work = 0
  var conflicts = 0
  private var nextID: Int

  init(_ trees: ModelTrees, firstFreshID: Int = 1_000_000) {
    self.trees = trees
    nextID = firstFreshID
  }

  /// Plans and acts until nothing is dirty. After `limit` steps, a round is cut short, as if the
  /// machine had stopped.
  mutating func run(
    maximum: Int = 20, dirty: (inout [RecordID]) -> Void = { _ in },
    limit: (Int) -> Int? = { _ in nil }
  ) throws {
    while true {
      var ids = trees.dirty
      if ids.isEmpty { return }
      rounds += 1
      guard rounds <= maximum else { throw Misstep("no end after \(maximum) rounds: \(trees)") }
      dirty(&ids)
      try carryOut(try plan(ids), limit: limit(rounds))
      readUnread()
    }
  }

  mutating func plan(_ ids: [RecordID]) throws -> Plan {
    var next = nextID
    defer { nextID = next }
    return try Planner.plan(ids, in: trees) {
      next += 1
      return recordID(next)
    }
  }

  /// Gives unread files their bytes, which follow from the id.
  mutating func readUnread() {
    for (id, node) in trees.localTree.nodes where node.kind == .file(nil) {
      trees.localTree[id]?.kind = .file(Self.read(id))
    }
  }

  /// Returns the content of an unread file.
  static func read(_ id: RecordID) -> ContentID { contentID(Int(id.value.bytes[15]) + 500_000) }

  mutating func carryOut(_ plan: Plan, limit: Int? = nil) throws {
    var left = limit ?? Int.max
    func take() -> Bool {
      left -= 1
      return left >= 0
    }
    for step in plan.identity where take() { try identity(step) }
    guard plan.identity.isEmpty else {
      guard plan.folder.isEmpty, plan.zone.isEmpty, plan.agreed.isEmpty else {
        throw Misstep("identity steps come alone")
      }
      return
    }
    for step in plan.folder where take() {
      work += 1
      try folder(step)
    }
    for group in plan.zone where take() {
      work += group.count
      try commit(group)
    }
    guard left >= 0 else { return }
    for id in plan.agreed {
      if plan.unwanted.contains(id) {
        guard trees.localTree[id] == nil, trees.remoteTree[id] != nil else {
          throw Misstep("\(id) is still there, or nowhere")
        }
        trees.syncedTree[id] = nil
        continue
      }
      guard trees.localTree[id] == trees.remoteTree[id] else {
        throw Misstep(
          "\(id) isn't agreed: \(String(describing: trees.localTree[id]))"
            + " \(String(describing: trees.remoteTree[id]))")
      }
      trees.syncedTree[id] = trees.remoteTree[id]
    }
  }
}

extension ModelEngine {
  private mutating func identity(_ step: IdentityStep) throws {
    switch step {
    case .adopt(let local, let remote):
      guard trees.localTree[remote] == nil, trees.remoteTree[remote] != nil else {
        throw Misstep("\(remote) can't be adopted")
      }
      try rename(local, to: remote)
      trees.syncedTree[local] = nil
    case .recall(let local, let record):
      guard trees.localTree[record] == nil, trees.syncedTree[record] == nil else {
        throw Misstep("\(record) can't be recalled")
      }
      try rename(local, to: record)
      trees.syncedTree[local] = nil
      trees.syncedTree[record] = trees.localTree[record]
    case .detach(let id, let fresh): try rename(id, to: fresh)
    case .setAside(let id, let fresh):
      try aside(id)
      try rename(id, to: fresh)
      trees.syncedTree[id] = nil
      conflicts += 1
    case .giveWay(let id):
      guard trees.localTree[id] != nil else { throw Misstep("\(id) isn't there") }
      trees.syncedTree[id] = trees.localTree[id]
    case .renameAside(let id):
      try aside(id)
      conflicts += 1
    case .rescue(let id, _):
      guard let node = trees.localTree[id], node.kind != .directory else {
        throw Misstep("\(id) can't be rescued")
      }
      if case .file(let content?) = node.kind { rescued.insert(content) }
      trees.damaged.remove(id)
      trees.localTree[id] = nil
      trees.syncedTree[id] = nil
    }
  }

  private mutating func rename(_ old: RecordID, to new: RecordID) throws {
    guard let node = trees.localTree[old], trees.localTree[new] == nil else {
      throw Misstep("\(old) can't become \(new)")
    }
    trees.localTree[old] = nil
    trees.localTree[new] = node
    for id in trees.localTree.children(of: old) {
      trees.localTree[id]?.place.parent = new
      if trees.syncedTree[id]?.place.parent == old { trees.syncedTree[id]?.place.parent = new }
    }
  }

  private mutating func aside(_ id: RecordID) throws {
    guard var place = trees.localTree[id]?.place else { throw Misstep("\(id) isn't there") }
    if place.parent == .parked { place.parent = .root }
    let name = place.name.description
    var attempt = 1
    repeat {
      place.name = fileName("\(name)~\(attempt)")
      attempt += 1
    } while trees.localTree.names[place] != nil || trees.remoteTree.names[place] != nil
    trees.localTree[id]?.place = place
  }

  private func requireFree(_ place: Place) throws {
    guard trees.localTree.names[place] == nil else { throw Misstep("\(place) is taken") }
    guard trees.localTree.isDirectory(place.parent) else {
      throw Misstep("\(place) is in no directory")
    }
  }

  private func require(_ id: RecordID, _ expected: Node) throws {
    guard trees.localTree[id] == expected else { throw Misstep("\(id) isn't \(expected)") }
  }

  private mutating func folder(_ step: FolderStep) throws {
    switch step {
    case .makeDirectory(let id, let place):
      guard trees.localTree[id] == nil else { throw Misstep("\(id) is there") }
      try requireFree(place)
      let none = Attributes(isExecutable: false, modified: 0)
      trees.localTree[id] = Node(place: place, kind: .directory, attributes: none)
    case .install(let id, let node):
      guard trees.localTree[id] == nil, node.kind != .directory else {
        throw Misstep("\(id) is there")
      }
      try requireFree(node.place)
      trees.localTree[id] = node
    case .replace(let id, let expected, let node):
      try require(id, expected)
      guard expected.place == node.place else { throw Misstep("replace can't move") }
      trees.localTree[id] = node
    case .setAttributes(let id, let expected, let attributes):
      try require(id, expected)
      trees.localTree[id]?.attributes = attributes
    case .move(let id, let from, let to):
      guard trees.localTree[id]?.place.parent == from.parent else {
        throw Misstep("\(id) isn't at \(from)")
      }
      try requireFree(to)
      guard !trees.localTree.isInside(to.parent, id) else { throw Misstep("\(id) into itself") }
      trees.localTree[id]?.place = to
    case .park(let id, let from):
      guard trees.localTree[id]?.place == from else { throw Misstep("\(id) isn't at \(from)") }
      let place = Place(parent: .parked, name: parkedName(id))
      trees.localTree[id]?.place = place
    case .remove(let id, let expected):
      try require(id, expected)
      guard trees.localTree.children(of: id).isEmpty else { throw Misstep("\(id) isn't empty") }
      trees.localTree[id] = nil
    }
  }

  /// The model's temporary names are unique, because its trees have an index by name.
  private func parkedName(_ id: RecordID) -> FileName { fileName("parked-\(id)") }

  private mutating func commit(_ group: [ZoneChange]) throws {
    for change in group {
      guard trees.mayWrite(change.id) else { throw Misstep("no right to \(change)") }
      switch change.act {
      case .create(let type):
        guard trees.remote(change.id).isFree, let place = change.place else {
          throw Misstep("can't create \(change)")
        }
        trees.remoteTree[change.id] = Node(
          place: place, kind: try kind(of: change, type),
          attributes: change.attributes ?? Attributes(isExecutable: false, modified: 0))
      case .update:
        guard var node = trees.remoteTree[change.id] else { throw Misstep("no \(change)") }
        if let place = change.place { node.place = place }
        if let content = change.content { node.kind = .file(content) }
        if let target = change.target { node.kind = .symlink(target) }
        if let attributes = change.attributes { node.take(attributes) }
        guard node != trees.remoteTree[change.id] else { throw Misstep("no change: \(change)") }
        trees.remoteTree[change.id] = node
      case .delete:
        guard trees.remoteTree[change.id] != nil else { throw Misstep("no \(change)") }
        let missing = trees.localTree[change.id] == nil ? trees.syncedTree[change.id]?.place : nil
        guard change.goneFrom == missing else { throw Misstep("gone from elsewhere: \(change)") }
        trees.remoteTree[change.id] = nil
      }
    }
    try check(group)
  }

  private func kind(of change: ZoneChange, _ type: RecordType) throws -> Node.Kind {
    switch (type, change.content, change.target) {
    case (.file, let content?, nil): .file(content)
    case (.directory, nil, nil): .directory
    case (.symlink, nil, let target?): .symlink(target)
    default: throw Misstep("what is \(change)?")
    }
  }

  /// Checks that the state after a group is a tree.
  private func check(_ group: [ZoneChange]) throws {
    for change in group {
      guard let node = trees.remoteTree[change.id] else {
        guard trees.remoteTree.children(of: change.id).isEmpty else {
          throw Misstep("not empty: \(group)")
        }
        continue
      }
      guard trees.remoteTree.names[node.place] == change.id,
        trees.remoteTree.children(of: node.place.parent).allSatisfy({
          $0 == change.id || trees.remoteTree[$0]?.place.name != node.place.name
        })
      else { throw Misstep("name taken: \(group)") }
      guard trees.remoteTree.isDirectory(node.place.parent) else {
        throw Misstep("no directory: \(group)")
      }
      var steps = 0
      var next: RecordID = node.place.parent
      while let up = trees.remoteTree[next] {
        next = up.place.parent
        steps += 1
        guard steps < 5000 else { throw Misstep("cycle: \(group)") }
      }
    }
  }
}

extension Node {
  /// Takes the attributes of a change as a zone does: what the change doesn't name stays.
  fileprivate mutating func take(_ changed: Attributes) {
    let before = attributes
    attributes = changed
    attributes.extended = changed.extended ?? before.extended
    attributes.mode =
      changed.mode
      ?? before.mode.map { Attributes.mode($0, isExecutable: changed.isExecutable) }
  }
}
