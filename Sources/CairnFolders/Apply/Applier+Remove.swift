import CairnPlan
import CairnZone

extension Applier {
  /// Removes a node. Files are moved to the folder of replaced files and checked again. An
  /// unchanged directory that is removed with everything in it is moved there as a whole. Another
  /// directory is removed only if it contains nothing that somebody created.
  func remove(_ id: RecordID, _ expected: Node) throws -> Outcome {
    if try isAside(id) { return .done }
    // Trying the directory, too, would scan it, and a scan has busy files tried again at once.
    let isBusy = busyDirectories.contains(id)
    let outcome = try isBusy ? .busy : removeNode(id, expected)
    if case .busy = outcome { busyDirectories.insert(expected.place.parent) }
    return outcome
  }

  private func removeNode(_ id: RecordID, _ expected: Node) throws -> Outcome {
    guard let row = try tree.row(id), let local = row.local, let full = try tree.path(of: id),
      let name = full.last
    else { return .changed([]) }
    let path = Array(full.dropLast())
    let directory: Descriptor
    if local.node.place.parent == .parked {
      directory = staging.parked
    } else {
      directory = try self.directory(of: local.node.place).0
    }
    guard let stat = try FileStat.at(directory, name), row.isSameInode(as: stat) else {
      return .changed([full])
    }
    if expected.isDirectory {
      return try removeDirectory(id, directory, full)
    }
    guard row.isUnchanged(stat), local.node.kind == expected.kind else { return .changed([full]) }
    let writers = try writers(of: name, in: directory, stat)
    if writers == .some { return .busy }
    let keptName = try keep(id, name, from: directory)
    let displaced = lookAfterwards(keptName, in: staging.displaced)
    if let displaced, row.isStill(displaced) {
      note(keptName, displaced, row, writers)
    } else if put(keptName, from: staging.displaced, at: name, in: directory) {
      // Another file appeared there between the check and the rename.
      return .changed([path + [name]])
    }
    // A removed file is checked again in any case.
    try tree.note(.gone(id))
    return .done
  }

  private func removeDirectory(
    _ id: RecordID, _ parent: Descriptor, _ full: [FileNameBytes]
  ) throws -> Outcome {
    guard let name = full.last else { return .changed([]) }
    do throws(FolderError) { try parent.removeDirectory(name) } catch {
      guard error.code == .notEmpty else { throw error }
      let paths = try leftovers(id, in: parent.openDirectory([name]), full)
      guard paths.isEmpty, parent.disk.removeDirectory(name, in: parent.number) >= 0
      else { return .changed(paths) }
    }
    forgetTime(of: id)
    try tree.note(.gone(id))
    return .done
  }

  /// The remaining contents of a directory that should be removed, for a scan. Ignored files go to
  /// the rescue folder: they were never mirrored, so nobody else has them.
  private func leftovers(
    _ id: RecordID, in directory: Descriptor, _ path: [FileNameBytes]
  ) throws(any Error) -> [[FileNameBytes]] {
    var paths: [[FileNameBytes]] = []
    for name in try DirectoryListing.names(of: directory) {
      if let stat = try FileStat.at(directory, name), try tree.isUnknown(name, in: id),
        let fileName = FileName(name), try ignores.isIgnored(path, fileName, stat)
      {
        try setAside(name, from: directory, path: path, of: id)
      } else {
        paths.append(path + [name])
      }
    }
    return paths
  }

  private func setAside(
    _ name: FileNameBytes, from directory: Descriptor, path: [FileNameBytes], of id: RecordID
  ) throws {
    let to = try staging.rescue(name, from: directory, path: path)
    let note = RescueNotes.Note(
      path: joined(to), of: joined(path + [name]),
      reason: "it isn't mirrored, and somebody deleted the folder that it was in", time: date)
    try RescueNotes(in: staging.notes).add(note, as: staging.freshName(for: id))
    hasRescued = true
  }

  /// Notes the state of a removed file, if nobody can have written to it since the last scan
  /// without a trace in its times.
  func note(
    _ name: FileNameBytes, _ stat: FileStat, _ row: NodeRow, _ writers: Descriptor.Writers
  ) {
    guard writers == .none, case .file(let content?) = row.local?.node.kind,
      // Writes within one tick of the system's clock leave the same times.
      stat.modified < stat.changed - 2 * .second
    else { return }
    displaced[name] = .file(stat, content)
  }

  /// Moves a file to the folder of replaced files; nothing is ever unlinked in its place.
  @discardableResult
  func keep(
    _ id: RecordID, _ name: FileNameBytes, from directory: Descriptor
  ) throws -> FileNameBytes {
    let kept = staging.freshName(for: id)
    try Rename.toFreeName(directory, name, staging.displaced, kept, via: staging.displaced)
    hasDisplaced = true
    return kept
  }
}
