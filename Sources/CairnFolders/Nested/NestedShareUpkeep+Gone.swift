import CairnIdentity
import CairnPlan
import CairnReplica
import CairnZone

/// Removes references that no longer exist, and takes back the entries at their places.
extension NestedShareUpkeep {
  /// Takes back the nodes of records that returned. The folder becomes an ordinary one again. One
  /// transaction does this; the rest is repeated by the next sync cycle after an interruption.
  func takeBack(_ row: ReferenceRow, _ nested: any NestedMounts) throws {
    let local = try whereabouts(of: row)
    let inner = try state.index.number(of: row.part)
    // If the parts were ended instead, the files are deleted as if others had deleted them.
    let (isBack, isEmpty) = try state.zone.read { view in
      try (view.record(row.record) != nil, view.children(of: row.record).isEmpty)
    }
    // If somebody deleted all of it from the share, the files that remain here are this person's
    // own.
    let isAllThatIsLeft =
      try isBack && isEmpty && !row.isFile && !row.part.isWhole && nested.isGone(row.part)
    try readingLate(row, isBack: isBack, nested) { late in
      try state.write { tree in
        var row = row
        if let local { row.place = local.place }
        // A deleted file doesn't become this mount's, either.
        if let inner, local != nil || isBack || !row.isFile {
          let other = FolderTree(db: tree.db, mount: inner, cache: tree.cache)
          let ids = try other.allIDs().map { $0 == row.part.base ? row.record : $0 }
          try tree.moveIn(row, from: other)
          try late?.reopen(ids, in: tree, state.scope)
        }
        if let inner {
          try FolderIndex.forget(FolderTree(db: tree.db, mount: inner, cache: tree.cache))
        }
        if let local, !row.isFile, let root = state.root {
          let stat = try FileStat.of(root.openDirectory(local.path))
          let attributes = Attributes(isExecutable: false, modified: stat.modified)
          let node = Node(place: local.place, kind: .directory, attributes: attributes)
          try tree.put(
            NodeRow(
              id: row.record, local: NodeRow.Local(node, stat), synced: isBack ? nil : node))
        }
        if isAllThatIsLeft { try tree.forgetSynced(below: row.record) }
        try tree.markDirty(row.record)
        row.isBack = true
        try tree.put(row)
      }
    }
    try forgetSettledWaits()
    // Files without a mark remain as the person's own.
    let left = try path(of: row.place).map { Array($0.dropLast()) }
    if let seen = local?.path ?? left { state.scanQueue.look(in: FolderHint(joined(seen))) }
  }

  /// Ends the mounts of the nodes that were taken back, and removes what they kept in this folder.
  /// A part in `targets` is at a reference again: its mount stays.
  func finishTakingBack(_ nested: any NestedMounts, but targets: Set<ZonePart>) throws {
    let rows = try state.read { try $0.references(isBack: true) }
    guard !rows.isEmpty else { return }
    let areDue = state.references.areDue
    // Until it is complete: the container may be away.
    state.references.areDue = true
    for row in rows {
      if !targets.contains(row.part) {
        try nested.forget(row.part)
        try clearRemains(of: row)
      }
      try state.write { try $0.removeReference(row.id) }
    }
    state.references.areDue = areDue
  }

  /// Removes what other mounts kept in this folder, if an interruption left it there. A scan would
  /// find parts of it as files of the person.
  func clearRemains() throws {
    for row in try state.read({ try $0.references(isBack: true) }) { try clearRemains(of: row) }
  }

  private func clearRemains(of row: ReferenceRow) throws {
    do {
      if let names = try remains(of: row) { try clear(row, names) }
    } catch let error as FolderError {
      let path = try state.read { try $0.path(of: row.record) } ?? path(of: row.place) ?? []
      state.report.add([
        PathProblem(
          path: joined(path), code: .permissionFailure,
          message: "what Cairn kept in the folder can't be cleared away: \(error.reason)",
          remedy: "remove the folder .cairn in it yourself")
      ])
    }
  }

  /// Returns the names that lead to the entry beside which, or in which, another mount's own folder
  /// is; nil if it is gone.
  private func remains(of row: ReferenceRow) throws -> [FileNameBytes]? {
    guard let root = state.root else { return nil }
    let folder = Staging.folder(of: row.part, isFile: row.isFile)
    let own = try state.read { try $0.path(of: row.record) }
    for names in [own, try path(of: row.place)].compactMap({ $0 }) {
      do {
        let home = try root.openDirectory(row.isFile ? Array(names.dropLast()) : names)
        guard try FileStat.at(home, folder) != nil else { continue }
        let mark = try MountMark.marker(in: home, folder)
        if mark == Array(row.part.description.utf8) { return names }
        // The mark is the first that is removed. Another directory may have a folder of that name.
        if mark == nil, row.isFile || names == own { return names }
      } catch let error as FolderError {
        guard error.code == .notFound else { throw error }
      }
    }
    return nil
  }

  /// Calls `body` with the changes of the other zone that did not return; nil if nothing returned.
  private func readingLate(
    _ row: ReferenceRow, isBack: Bool, _ nested: any NestedMounts,
    _ body: (LateChanges?) throws -> Void
  ) throws {
    guard isBack else { return try body(nil) }
    let (zone, isReadThrough) = try nested.left(row.part)
    if let zone { state.references.left.append(zone) }
    try state.zone.read { view in
      guard let zone else {
        return try body(LateChanges(row: row, view: view, past: nil, isReadThrough: false))
      }
      try zone.read { past in
        try body(LateChanges(row: row, view: view, past: past, isReadThrough: isReadThrough))
      }
    }
  }

  /// Removes the mark. The other mount's rescued files move to this mount's rescue folder.
  private func clear(_ row: ReferenceRow, _ names: [FileNameBytes]) throws {
    guard let root = state.root, let staging = try state.staging else { return }
    let home = row.isFile ? Array(names.dropLast()) : names
    let directory = try root.openDirectory(home)
    let modified = try FileStat.of(directory).modified
    let folder = Staging.folder(of: row.part, isFile: row.isFile)
    let own = try directory.openDirectory([folder])
    for inner in ["rescue", "displaced", "parked"]
    where try FileStat.at(own, Array(inner.utf8)) != nil {
      let leftovers = try directory.openDirectory([folder, Array(inner.utf8)])
      for name in try DirectoryListing.names(of: leftovers) {
        try staging.rescue(name, from: leftovers, path: home)
      }
    }
    try MountMark.takeOwnFolders(from: directory, folder: folder)
    try directory.setTime(modified, path: joined(home))
  }
}
