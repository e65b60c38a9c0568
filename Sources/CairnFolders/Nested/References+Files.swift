import CairnCloud
import CairnPlan
import CairnZone

/// Single files that have mounts of their own: their places, and their deletion.
extension NestedShareUpkeep {
  /// Updates the known data of those files, before a scan of the folder.
  func noteFiles() throws {
    guard let scanner = state.scanner else { return }
    let rows = try state.read { try $0.references() }.filter(\.isFile)
    guard !rows.isEmpty || !scanner.nestedFiles.rows.isEmpty else { return }
    scanner.nestedFiles.take(
      try rows.compactMap { row in
        guard let inner = try state.index.number(of: row.part),
          let node = try state.index.read(inner, { try $0.node(row.part.base) })
        else { return nil }
        return (row.part, node)
      })
    scanner.nestedFiles.places = Dictionary(uniqueKeysWithValues: rows.map { ($0.place, $0.part) })
  }

  /// Returns the present place of another mount's file; nil if it wasn't found anywhere.
  ///
  /// A file at its expected place keeps it. So does a file that an editor wrote anew there after it
  /// renamed the old one. The file counts as moved in three cases: its place is empty, another
  /// known file is there, or it has its name in another directory.
  func whereabouts(
    ofFile row: ReferenceRow
  ) throws -> (place: Place, path: [FileNameBytes])? {
    guard let root = state.root, let scanner = state.scanner else { return nil }
    let names = try path(of: row.place)
    let there = try names.flatMap { try file(at: $0, in: root) }
    let own = scanner.nestedFiles.rows[row.part]
    guard let stranger = scanner.strangers[row.part],
      let moved = try file(at: stranger.path, in: root), own?.isSameInode(as: moved) == true
    else {
      scanner.strangers[row.part] = nil
      return there.flatMap { _ in names.map { (row.place, $0) } }
    }
    guard let there, let names else { return stranger }
    let isInPlace = own?.isSameInode(as: there) == true
    let keepsName =
      stranger.place.name == row.place.name && stranger.place.parent != row.place.parent
    if !isInPlace, try keepsName || isKnown(there, otherThan: row) { return stranger }
    scanner.nestedFiles.release(row.part, at: stranger.place, moved)
    scanner.strangers[row.part] = nil
    state.hint(changed: [joined(stranger.path)])
    return (row.place, names)
  }

  /// Returns whether a file belongs to the zone or to another mount under another name.
  private func isKnown(_ stat: FileStat, otherThan row: ReferenceRow) throws -> Bool {
    let part = state.scanner?.nestedFiles.part(of: stat, at: row.place)
    if let part, part != row.part { return true }
    return try occupant(stat) != nil
  }

  /// Returns the record of this mount for a file.
  private func occupant(_ stat: FileStat) throws -> RecordID? {
    try state.read { tree in
      try tree.nodes(inode: stat.inode).first {
        $0.synced != nil && ($0.isSameInode(as: stat) || $0.wasInode(of: stat))
      }?.id
    }
  }

  /// Returns the regular file at a path; nil if there is none. A directory that can't be read is an
  /// error.
  private func file(
    at names: [FileNameBytes], in root: Descriptor
  ) throws(FolderError) -> FileStat? {
    guard let name = names.last else { return nil }
    do throws(FolderError) {
      let stat = try FileStat.at(root.openDirectory(Array(names.dropLast())), name)
      return stat?.kind == .file ? stat : nil
    } catch {
      guard error.code == .notFound else { throw error }
      return nil
    }
  }

  /// Returns the changes of the zone because a person moved other mounts' files and folders. All
  /// are in one commit, because two of them may have exchanged their names. If a file of this mount
  /// took the place of another mount's file, it moves in the same commit.
  func moves(
    of rows: [(row: ReferenceRow, remote: Place)]
  ) throws -> [RecordChange] {
    var changes: [RecordChange] = []
    for (row, remote) in rows where remote == row.place {
      guard let local = try whereabouts(of: row), local.place != row.place else { continue }
      changes.append(RecordChange(id: row.id, act: .update, place: local.place))
      guard row.isFile, let root = state.root, let names = try path(of: row.place),
        let there = try file(at: names, in: root), let other = try occupant(there),
        try state.zone.read({ try $0.record(other)?.place }) == local.place
      else { continue }
      changes.append(RecordChange(id: other, act: .update, place: row.place))
    }
    return changes
  }

  // MARK: Deleted files

  /// Treats a file that is nowhere in the folder as deleted, once the whole folder was scanned
  /// after it was missed. A directory that isn't watched yet may contain it.
  func seek(_ row: ReferenceRow, _ nested: any NestedMounts) throws {
    if try nested.isDeleted(row.part) { return try drop(row, nested) }
    guard state.scanner?.nestedFiles.rows[row.part]?.synced != nil else { return }
    guard let sought = state.references.sought[row.id], sought < state.references.looks else {
      state.references.sought[row.id] = state.references.looks
      state.hintEverything()
      return state.references.areDue = true
    }
    guard !state.scanQueue.hasNews else { return state.references.areDue = true }
    state.references.sought[row.id] = nil
    do {
      if try nested.deleteFile(row.part) { try drop(row, nested) }
    } catch let error as CloudError {
      guard error.isOfContainer else { throw error }
      state.references.areDue = true
    }
  }

  /// Removes the reference to a deleted file from the zone. Then the file's mount ends.
  private func drop(_ row: ReferenceRow, _ nested: any NestedMounts) throws {
    state.references.areDue = true
    guard try commit([RecordChange(id: row.id, act: .delete)]) else { return }
    try nested.release(row.part)
  }
}
