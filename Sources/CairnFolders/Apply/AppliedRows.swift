import CairnPlan
import CairnZone

/// The effect of a step on a node, for the index. It removes from the plan each aspect on which
/// both sides agree from then on. A repeated write changes nothing. A record of `zone` that is the
/// same in all three trees afterwards isn't dirty any more.
enum TreeChange {
  /// The zone's content was put in a free place.
  case made(RecordID, Node, FileStat)
  /// The zone's bytes replaced the local ones.
  case replaced(RecordID, Node, FileStat)
  /// It is at the zone's place.
  case moved(RecordID, Node, FileStat)
  /// It has the zone's attributes.
  case attributed(RecordID, Node, FileStat)
  /// It was moved to a temporary name, out of the way of another file.
  case parked(RecordID, Node, FileStat)
  /// It and everything in it left the disk.
  case gone(RecordID)
  /// It left the disk, and returns from the zone.
  case lost(RecordID)
  /// A directory's time was restored.
  case timeGivenBack(RecordID, FileStat)

  /// Writes the effect.
  /// - Parameters:
  ///   - tree: The rows of the mount.
  ///   - zone: The records of the zone that the plan followed, where nothing else is left to do.
  /// - Throws: Any error of the index.
  /// - Returns: The record, if it was dirty because of the zone only, and isn't any more.
  @discardableResult
  func write(to tree: FolderTree, following zone: [RecordID: Node] = [:]) throws -> RecordID? {
    switch self {
    case .made(let id, let node, let stat):
      // A directory's attributes follow later. If the zone no longer has it when this sync cycle is
      // repeated, it does not count as the person's own.
      return try Self.show(node, stat, of: id, in: tree, zone) { $0.synced = node }
    case .replaced(let id, let node, let stat):
      // The bytes come from the zone, with their time; the rest may be this person's.
      return try Self.show(node, stat, of: id, in: tree, zone) { row in
        row.synced?.kind = node.kind
        row.synced?.attributes.modified = node.attributes.modified
      }
    case .moved(let id, let node, let stat):
      try tree.rememberAccess(of: id)
      return try Self.show(node, stat, of: id, in: tree, zone) { $0.synced?.place = node.place }
    case .attributed(let id, let node, let stat):
      let before = try tree.node(id)?.local?.node.attributes
      return try Self.show(node, stat, of: id, in: tree, zone, areAttributesGiven: true) { row in
        row.synced?.take(node.attributes, where: before, of: node)
      }
    case .parked(let id, let node, let stat):
      try tree.rememberAccess(of: id)
      return try Self.show(node, stat, of: id, in: tree, [:])
    case .gone(let id): try Self.remove(id, in: tree)
    case .lost(let id): try tree.lose(id)
    case .timeGivenBack(let id, let stat): try Self.giveBack(id, stat, in: tree)
    }
    return nil
  }

  private static func show(
    _ node: Node, _ stat: FileStat, of id: RecordID, in tree: FolderTree,
    _ zone: [RecordID: Node], areAttributesGiven: Bool = false,
    _ agree: (inout NodeRow) -> Void = { _ in }
  ) throws -> RecordID? {
    var row = try tree.node(id) ?? NodeRow(id: id, local: nil, synced: nil)
    let shown = row.local?.shown ?? NodeRow.Local.Shown()
    row.local = NodeRow.Local(node, stat)
    // A directory's time is not compared before a step. Another time than the set one may be its
    // person's change, which the next scan finds.
    if node.isDirectory, !areAttributesGiven { row.local?.shown = shown }
    if stat.extended == nil { row.local?.shown.extended = shown.extended }
    agree(&row)
    try tree.put(row)
    if let record = zone[id], row.local?.node == record, row.synced == record,
      try tree.takeRemoteMark(id)
    {
      return id
    }
    try tree.markDirty(id, .remote)
    return nil
  }

  private static func remove(_ id: RecordID, in tree: FolderTree) throws {
    guard var row = try tree.node(id) else { return }
    try tree.rememberAccess(of: row)
    row.local = nil
    try tree.markDirty(id, .remote)
    try tree.put(row)
    // An empty directory could be removed, so it had no contents, whatever was not reported.
    for child in try tree.childIDs(of: id) { try tree.vanish(child) }
  }

  private static func giveBack(_ id: RecordID, _ stat: FileStat, in tree: FolderTree) throws {
    guard id != .root, var row = try tree.node(id), let local = row.local,
      local.inode == stat.inode, local.shape.modified == stat.modified,
      local.node.attributes.mode == nil || local.access == Access(stat)
    else { return }
    row.local = NodeRow.Local(local.node, stat)
    row.local?.shown.extended = local.shown.extended
    try tree.put(row)
  }
}

extension Node {
  /// Agrees on the attributes that a step changes. Unchanged ones may be this person's.
  mutating func take(_ attributes: Attributes, where before: Attributes?, of node: Node) {
    guard let before, !node.isDirectory else { return }
    if attributes.mode != before.mode { self.attributes.mode = attributes.mode }
    if attributes.extended != before.extended { self.attributes.extended = attributes.extended }
    if attributes.isExecutable != before.isExecutable {
      self.attributes.isExecutable = attributes.isExecutable
    }
    if attributes.modified != before.modified { self.attributes.modified = attributes.modified }
  }
}

/// The applier's access to the index.
protocol TreeAccess {
  func path(of id: RecordID) throws -> [FileNameBytes]?
  /// The path of a directory, which is remembered.
  func path(ofDirectory id: RecordID) throws -> [FileNameBytes]?
  func row(_ id: RecordID) throws -> NodeRow?
  /// The entries of a directory.
  func children(of directory: RecordID) throws -> [RecordID]
  /// Returns whether no node with that name is known in the directory.
  func isUnknown(_ name: FileNameBytes, in directory: RecordID) throws -> Bool
  /// Returns the former access rights of the record's file, and those of the former file at that
  /// place.
  func accesses(before id: RecordID, at place: Place) throws -> [Access]
  /// Returns the mode that the zone has for a record that a step follows; nil if it has none, or
  /// if this device doesn't apply modes.
  func carriedMode(of id: RecordID) -> UInt16?
  /// Notes a change.
  func note(_ change: TreeChange) throws
}

/// The applier's access to the index inside one transaction for a batch of steps. It keeps the
/// changes: if the transaction is lost, they are written again.
final class AppliedRows: TreeAccess {
  private let tree: FolderTree
  private let paths: PathMemory
  /// The changes, in their order.
  private(set) var changes: [TreeChange] = []
  /// The records for which nothing is left to do.
  private(set) var settled: Set<RecordID> = []
  private let zone: [RecordID: Node]

  /// Creates the access for steps that follow these records of the zone.
  init(_ tree: FolderTree, following zone: [RecordID: Node] = [:]) {
    self.tree = tree
    self.zone = zone
    paths = PathMemory(tree)
  }

  func path(of id: RecordID) throws -> [FileNameBytes]? {
    try tree.node(id).map { try paths.path(of: $0) } ?? (id == .root ? [] : nil)
  }

  func path(ofDirectory id: RecordID) throws -> [FileNameBytes]? { try paths.path(of: id) }

  func row(_ id: RecordID) throws -> NodeRow? { try tree.node(id) }

  func children(of directory: RecordID) throws -> [RecordID] { try tree.childIDs(of: directory) }

  func isUnknown(_ name: FileNameBytes, in directory: RecordID) throws -> Bool {
    guard let name = FileName(name) else { return true }
    return try tree.child(at: Place(parent: directory, name: name)) == nil
  }

  func accesses(before id: RecordID, at place: Place) throws -> [Access] {
    try tree.accesses(before: id, at: place)
  }

  func carriedMode(of id: RecordID) -> UInt16? { zone[id]?.attributes.mode }

  func note(_ change: TreeChange) throws {
    // First of all: it was done, whatever happens to the transaction.
    changes.append(change)
    switch change {
    case .moved(_, let node, _), .parked(_, let node, _): if node.isDirectory { paths.forget() }
    case .gone(let id): paths.forget(id)
    case .lost: paths.forget()
    case .made, .replaced, .attributed, .timeGivenBack: break
    }
    if let id = try change.write(to: tree, following: zone) { settled.insert(id) }
  }
}
