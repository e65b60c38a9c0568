import CairnIdentity
import CairnPlan
import CairnReplica
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
  /// This mount decides which file is the other mount's, because it sees all names in the folder:
  ///
  /// 1. The known inode at the expected place is that file. Another name of it is a hard link.
  /// 2. If an unknown file is there, an editor wrote the file anew, and it keeps its place. The old
  ///    inode under another name is a backup. If it has its name in another directory, its person
  ///    moved it and wrote a new file.
  /// 3. If a known file is there, this one moved away, or it was replaced by a rename. A scan of
  ///    the whole folder tells.
  /// 4. If nothing is there, it moved, or was deleted. A rename within the directory counts only
  ///    after a moment: it may be the first half of an editor's save.
  func whereabouts(
    ofFile row: ReferenceRow
  ) throws -> (place: Place, path: [FileNameBytes])? {
    guard let root = state.root, let scanner = state.scanner else { return nil }
    let names = try path(of: row.place)
    let own = scanner.nestedFiles.rows[row.part]
    let elsewhere = try elsewhere(row, in: root)
    guard let names, let there = try file(at: names, in: root) else {
      return vacated(row, names, elsewhere?.seen)
    }
    state.references.vacant[row.id] = nil
    let isRewritten = own?.local != nil && own?.isSameInode(as: there) == false
    if isRewritten {
      let seen = elsewhere?.seen.place
      if let seen, seen.name == row.place.name, seen.parent != row.place.parent {
        return elsewhere?.seen
      }
      let part = scanner.nestedFiles.part(of: there, at: row.place)
      if let part, part != row.part { return elsewhere?.seen }
      if try occupant(there) != nil {
        if elsewhere != nil { return elsewhere?.seen }
        guard hasSought(row) else { return (row.place, names) }
      }
    }
    if let elsewhere {
      scanner.nestedFiles.release(row.part, at: elsewhere.seen.place, elsewhere.stat)
      scanner.strangers[row.part] = nil
      state.hint(changed: [joined(elsewhere.seen.path)])
    }
    if isRewritten, state.index.neighbours.decide(row.part, is: there) {
      state.references.owner?.lookAgain(at: row.part)
    }
    state.references.sought[row.id] = nil
    return (row.place, names)
  }

  /// Returns the place away from the expected one at which the known inode was seen and still is.
  private func elsewhere(
    _ row: ReferenceRow, in root: Descriptor
  ) throws -> (seen: (place: Place, path: [FileNameBytes]), stat: FileStat)? {
    guard let scanner = state.scanner, let seen = scanner.strangers[row.part] else { return nil }
    if seen.place != row.place, let stat = try file(at: seen.path, in: root),
      scanner.nestedFiles.rows[row.part]?.isSameInode(as: stat) == true
    {
      return (seen, stat)
    }
    scanner.strangers[row.part] = nil
    return nil
  }

  /// Returns the place of a file that is no longer at its expected one.
  private func vacated(
    _ row: ReferenceRow, _ names: [FileNameBytes]?, _ seen: (place: Place, path: [FileNameBytes])?
  ) -> (place: Place, path: [FileNameBytes])? {
    guard let seen else { return nil }
    if let names, seen.place.parent == row.place.parent {
      let since = state.references.vacant[row.id] ?? state.clock.now
      state.references.vacant[row.id] = since
      let end = since + DeletionBrake.pause
      guard end <= state.clock.now else {
        state.references.check(at: end)
        return (row.place, names)
      }
    }
    state.references.vacant[row.id] = nil
    state.references.sought[row.id] = nil
    return seen
  }

  /// Returns whether the whole folder was scanned after a file was missed. If not, it is scanned
  /// next: a directory that isn't watched yet may contain the file.
  private func hasSought(_ row: ReferenceRow) -> Bool {
    if let sought = state.references.sought[row.id] {
      if sought.looks < state.references.looks, !state.scanQueue.hasNews { return true }
    } else {
      state.references.sought[row.id] = (state.references.looks, state.clock.now)
      state.hintEverything()
    }
    state.references.check(at: state.clock.now)
    return false
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
  /// after it was missed. Like all deletions it waits for a moment: the whole folder may be about
  /// to be removed.
  func seek(_ row: ReferenceRow, _ nested: any NestedMounts) throws {
    if try nested.isDeleted(row.part) { return try drop(row, nested) }
    guard state.scanner?.nestedFiles.rows[row.part]?.synced != nil else { return }
    guard hasSought(row), let sought = state.references.sought[row.id] else { return }
    let end = sought.since + DeletionBrake.quiet
    guard end <= state.clock.now else { return state.references.check(at: end) }
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
