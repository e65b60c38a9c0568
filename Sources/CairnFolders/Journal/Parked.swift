import CairnPlan
import CairnReplica
import CairnZone

/// The parked entries: out of the way of others, under their records' names, in a folder of Cairn's
/// own that no scan enters.
///
/// It uses these parts of the state: `clock`, `displaced`, `root`, `scanQueue`, `scope`, `staging`,
/// `write`, `zone`.
struct ParkedFiles {
  let state: MountState

  init(_ state: MountState) { self.state = state }

  /// Looks at the parked folder, if it may have changed.
  func takeUpIfNeeded() throws {
    if state.scanQueue.needsParked, let staging = try state.staging { try takeUpParked(staging) }
  }

  /// Notes that a parked node without a file in the parked folder isn't on the disk. A node that
  /// was parked right before an interruption is there: the entry that took its place since is no
  /// edit of it.
  func takeUpParked(_ staging: Staging) throws {
    var (strangers, doubles): ([FileNameBytes], [FileNameBytes]) = ([], [])
    state.scanQueue.hasUnknownParked = false
    try state.write { tree in
      var present: Set<RecordID> = []
      for name in try DirectoryListing.names(of: staging.parked) {
        guard let stat = try FileStat.at(staging.parked, name) else { continue }
        let id = Staging.parkedRecord(of: name)
        let known = try id.flatMap { try tree.node($0) }
        if let known, try standsElsewhere(known, stat, in: tree) {
          doubles.append(name)
          continue
        }
        if id != nil, stat.kind == .file, known?.local == nil, known?.synced == nil {
          // The zone may know it.
          state.scanQueue.hasUnknownParked = true
          continue
        }
        guard let known, let row = Self.parked(known, stat) else {
          strangers.append(name)
          continue
        }
        present.insert(row.id)
        guard row != known else { continue }
        try tree.put(row)
        try tree.markDirty(row.id)
      }
      for var row in try tree.children(of: .parked) where !present.contains(row.id) {
        row.local = nil
        try tree.markDirty(row.id)
        try tree.put(row)
      }
    }
    for name in strangers { try giveUpParked(name, staging) }
    for name in doubles { try keepParked(name, staging) }
    state.scanQueue.needsParked = false
  }

  /// Recognizes parked files that the index doesn't know, as after its loss, by their names if the
  /// zone has such a file; called after the log was read. The entries that took their places since
  /// are no edits of them then.
  func takeUpUnknown() throws {
    guard state.scanQueue.hasUnknownParked, let staging = try state.staging else { return }
    var strangers: [FileNameBytes] = []
    try state.zone.read { view in
      let records = ScopedRecords(view, state.scope)
      try state.write { tree in
        for name in try DirectoryListing.names(of: staging.parked) {
          guard let stat = try FileStat.at(staging.parked, name), stat.kind == .file,
            let id = Staging.parkedRecord(of: name)
          else { continue }
          var row = try tree.node(id) ?? NodeRow(id: id)
          guard row.local == nil, row.synced == nil else { continue }
          guard var node = try records.node(id), node.isSameKind(as: .file) else {
            strangers.append(name)
            continue
          }
          node.place.parent = .parked
          node.kind = .file(nil)
          node.attributes = Attributes(isExecutable: stat.isExecutable, modified: stat.modified)
          row.local = NodeRow.Local(node, stat)
          try tree.put(row)
          try tree.markDirty(id)
        }
      }
    }
    for name in strangers { try giveUpParked(name, staging) }
    state.scanQueue.hasUnknownParked = false
  }

  /// Returns the node as it is in the parked folder under its record's name; nil if it is another
  /// one. The index may be older than the file, and somebody may have it open: its bytes are read
  /// again.
  private static func parked(_ known: NodeRow, _ stat: FileStat) -> NodeRow? {
    guard var node = known.local?.node ?? known.synced, node.isSameKind(as: stat.kind) else {
      return nil
    }
    node.place.parent = .parked
    var row = known
    if known.isStill(stat) {
      // Its ctime is that of the rename.
      if stat.kind == .file, let local = known.local {
        node.attributes = local.attributes(by: stat)
      }
      row.local = NodeRow.Local(node, stat, after: known.local)
    } else if stat.kind == .file {
      node.kind = .file(nil)
      node.attributes =
        known.local?.attributes(by: stat)
        ?? Attributes(isExecutable: stat.isExecutable, modified: stat.modified)
      if known.local == nil { row.synced = row.synced?.withoutMetadata }
      row.local = NodeRow.Local(node, stat, after: known.local)
    } else {
      return nil
    }
    return row
  }

  /// Gives up a parked entry that is no known node: a file is checked like a replaced file; a
  /// directory is left to its person.
  private func giveUpParked(_ name: FileNameBytes, _ staging: Staging) throws {
    let id = Staging.parkedRecord(of: name) ?? .root
    guard try FileStat.at(staging.parked, name)?.kind == .directory else {
      return try keepParked(name, staging)
    }
    let to = try staging.rescue(name, from: staging.parked, path: [])
    let note = RescueNotes.Note(
      path: joined(to), of: joined([name]),
      reason: "it was about to be moved when the daemon or the machine stopped",
      time: state.clock.date)
    try RescueNotes(in: staging.notes).add(note, as: staging.freshName(for: id))
    try RescueShelf(state).lookAtRescued()
  }

  /// Has a parked file checked like a replaced file.
  private func keepParked(_ name: FileNameBytes, _ staging: Staging) throws {
    let fresh = staging.freshName(for: Staging.parkedRecord(of: name) ?? .root)
    try Rename.toFreeName(staging.parked, name, staging.displaced, fresh, via: nil)
    state.displaced.load(staging, state.clock.now)
  }

  /// Returns whether the file is in the folder, too: a rename by a link and a removal leaves both
  /// names when it is interrupted.
  private func standsElsewhere(
    _ row: NodeRow, _ stat: FileStat, in tree: FolderTree
  ) throws -> Bool {
    guard let root = state.root, stat.kind == .file, let place = row.local?.node.place,
      place.parent != .parked
    else { return false }
    return try status(at: place, root, tree)?.isSameInode(as: stat) ?? false
  }

  private func status(
    at place: Place, _ root: Descriptor, _ tree: FolderTree
  ) throws -> FileStat? {
    guard let path = try tree.path(of: place.parent) else { return nil }
    do throws(FolderError) {
      return try FileStat.at(root.openDirectory(path), place.name.bytes)
    } catch {
      guard error.code == .notFound || error.code == .denied else { throw error }
      return nil
    }
  }
}
