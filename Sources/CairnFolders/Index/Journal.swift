import CairnPlan
import CairnZone

/// The steps that this device was about to apply to the folder when its process ended, one row for
/// each record: the intended node with its inode, and the intended agreement of both sides. It is
/// read when the folder is attached, and settled by the first full scan. It isn't needed where a
/// portion of steps was written, or a sync cycle failed.
struct Journal {
  private var rows: [RecordID: NodeRow] = [:]
  private var files: [UInt64: RecordID] = [:]
  private var directories: [Place: RecordID] = [:]
  /// The files without an inode number, by their places.
  private var unnumbered: [Place: RecordID] = [:]

  init() {}

  /// Creates a journal from rows in the order of their notes.
  init(_ noted: [NodeRow]) {
    for row in noted { rows[row.id] = row }
    for row in rows.values {
      if let local = row.local {
        if local.inode == 0 {
          unnumbered[local.node.place] = row.id
        } else {
          files[local.inode] = row.id
        }
      } else if let place = row.synced?.place {
        directories[place] = row.id
      }
    }
  }

  var isEmpty: Bool { rows.isEmpty }
  var ids: [RecordID] { rows.keys.sorted() }

  func row(_ id: RecordID) -> NodeRow? { rows[id] }

  /// Returns the row of the very file that was about to be put into the folder. Without an inode
  /// number, it must be at the intended place.
  func file(_ stat: FileStat, at place: Place) -> NodeRow? {
    let id = stat.inode == 0 ? unnumbered[place] : files[stat.inode]
    guard let row = id.flatMap({ rows[$0] }), row.local?.isCertainly(stat) == true
    else { return nil }
    return row
  }

  /// Returns the row of the file that has this inode number.
  func file(with inode: UInt64) -> NodeRow? { files[inode].flatMap { rows[$0] } }

  /// Returns the row of the directory that was about to be created there; it had no inode before.
  func directory(at place: Place) -> NodeRow? { directories[place].flatMap { rows[$0] } }

  /// Returns whether the record was about to be put there. Then nobody put it over the earlier
  /// entry, which had been moved.
  func isMeant(_ id: RecordID, at place: Place) -> Bool {
    rows[id].map { ($0.local?.node.place ?? $0.synced?.place) == place } ?? false
  }

  /// Forgets a record: a scan found it, or it is nowhere.
  mutating func forget(_ id: RecordID) {
    guard let row = rows.removeValue(forKey: id) else { return }
    if let local = row.local { files[local.inode] = nil }
    unnumbered = unnumbered.filter { $0.value != id }
    directories = directories.filter { $0.value != id }
  }

  // MARK: The rule

  /// Returns the agreement of both sides after the scan: each intended aspect that the disk shows.
  /// Nil if the node isn't on the disk, or isn't from this device.
  static func agreement(of row: NodeRow, with meant: NodeRow) -> Node? {
    guard let local = row.local, let wanted = meant.synced else { return nil }
    let isOurs = isOurs(local, meant)
    guard var agreed = row.synced else { return isOurs ? wanted : nil }
    if isOurs, !wanted.isDirectory, agreed.kind != wanted.kind {
      // The file has, or had before somebody changed it, the intended bytes.
      agreed.kind = wanted.kind
      agreed.attributes.modified = wanted.attributes.modified
    }
    return local.node.agreement(with: wanted, after: agreed)
  }

  /// Returns whether the node is the intended one, at any place.
  static func isOurs(_ local: NodeRow.Local, _ meant: NodeRow) -> Bool {
    guard let file = meant.local else {
      return local.node.isDirectory && local.node.place == meant.synced?.place
    }
    return local.inode == 0
      ? local.isSameVersion(as: file)
      : local.inode == file.inode && local.birth == file.birth
  }

  // MARK: What is noted

  /// Returns the nodes after the steps, and the agreement of both sides then; without those that
  /// could not be mistaken for a person's change.
  static func meant(
    by steps: [FolderStep], _ staged: [Int: StagedFile],
    _ known: (RecordID) throws -> NodeRow?
  ) rethrows -> [NodeRow] {
    var rows: [RecordID: NodeRow] = [:]
    var order: [RecordID] = []
    for (position, step) in steps.enumerated() {
      let before = try rows[step.id] ?? known(step.id)
      guard let row = meant(by: step, staged[position], before) else { continue }
      if rows.updateValue(row, forKey: step.id) == nil { order.append(step.id) }
    }
    return order.compactMap { rows[$0] }
  }

  private static func meant(
    by step: FolderStep, _ staged: StagedFile?, _ before: NodeRow?
  ) -> NodeRow? {
    switch step {
    case .setAttributes(_, _, let attributes): return meant(by: attributes, before)
    case .install(let id, let node):
      return staged.map { NodeRow(id: id, local: NodeRow.Local(node, $0.stat), synced: node) }
    case .replace(let id, _, let node):
      guard let staged else { return meant(by: node.attributes, before) }
      // Different bytes don't mean agreement on the place to which its person moved it.
      var synced = before?.synced ?? node
      synced.kind = node.kind
      synced.attributes.modified = node.attributes.modified
      return NodeRow(id: id, local: NodeRow.Local(node, staged.stat), synced: synced)
    case .makeDirectory(let id, let place):
      let attributes = Attributes(isExecutable: false, modified: 0)
      let node = Node(place: place, kind: .directory, attributes: attributes)
      return NodeRow(id: id, local: nil, synced: node)
    case .move(_, _, let to):
      guard var row = before, row.local != nil, row.synced != nil else { return nil }
      row.local?.node.place = to
      row.synced?.place = to
      return row
    case .park, .remove: return nil
    }
  }

  private static func meant(by attributes: Attributes, _ before: NodeRow?) -> NodeRow? {
    guard var row = before, let local = row.local, !local.node.isDirectory, row.synced != nil else {
      return nil
    }
    row.synced?.take(attributes, where: local.node.attributes, of: local.node)
    row.local?.node.attributes = attributes
    return row
  }
}
