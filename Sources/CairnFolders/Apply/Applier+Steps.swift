import CairnPlan
import CairnZone
import Glibc

extension Applier {
  /// Performs one step; `staged` is the file that `stage` made for it.
  func apply(_ step: FolderStep, staged: StagedFile?) throws -> Outcome {
    do {
      if step.concernsDirectories { forgetDirectory() }
      switch step {
      case .makeDirectory(let id, let place): return try makeDirectory(id, place)
      case .install(let id, let node):
        guard let staged else {
          throw BrokenRule("a file is put into the folder, and none was staged")
        }
        return try install(id, node, staged)
      case .replace(let id, let expected, let node):
        guard let staged else { return try setAttributes(id, expected, node.attributes) }
        return try replace(id, expected, node, staged)
      case .setAttributes(let id, let expected, let attributes):
        return try setAttributes(id, expected, attributes)
      case .move(let id, _, let to): return try move(id, to: to)
      case .park(let id, let from): return try park(id, from)
      case .remove(let id, let expected): return try remove(id, expected)
      }
    } catch let error as AnotherDirectory {
      if let staged { discard(staged.name) }
      return .changed([error.path])
    } catch let error as FolderError {
      // A busy file is replaced later by the same staged file.
      if let staged, error.code != .busy { discard(staged.name) }
      switch error.code {
      case .busy: return .busy
      case .notFound, .exists, .notEmpty:
        return .changed(try tree.path(of: step.id).map { [$0] } ?? [])
      default: return .failed(error)
      }
    }
  }

  private func makeDirectory(_ id: RecordID, _ place: Place) throws -> Outcome {
    let (directory, path) = try directory(of: place)
    let mode = try directoryMode(id, at: place)
    do throws(FolderError) { try directory.makeDirectory(place.name.bytes, mode: mode) } catch {
      if error.code == .exists { return .changed([path + [place.name.bytes]]) }
      throw FolderError(error.code, joined(path + [place.name.bytes]), error.reason)
    }
    let stat: FileStat?
    do throws(FolderError) { stat = try FileStat.at(directory, place.name.bytes) } catch {
      // As if it had not been created: nobody could say later who created it. Its contents keep it.
      _ = directory.disk.removeDirectory(place.name.bytes, in: directory.number)
      throw error
    }
    guard let stat else { return .changed([path + [place.name.bytes]]) }
    let attributes = Attributes(isExecutable: false, modified: stat.modified)
    let node = Node(place: place, kind: .directory, attributes: attributes)
    try tree.note(.made(id, node, stat))
    return .done
  }

  private func install(_ id: RecordID, _ node: Node, _ staged: StagedFile) throws -> Outcome {
    let (directory, path) = try directory(of: node.place)
    var staged = staged
    try dress(&staged, of: id, at: node.place, in: directory, node.attributes)
    do throws(FolderError) {
      try Rename.toFreeName(
        staging.incoming, staged.name, directory, node.place.name.bytes, via: nil)
    } catch {
      discard(staged.name)
      guard error.code == .exists else { throw error }
      return .changed([path + [node.place.name.bytes]])
    }
    let (stat, isOurs) = look(at: node, in: directory, for: staged.stat)
    try tree.note(.made(id, node, stat))
    return isOurs ? .done : .changed([path + [node.place.name.bytes]])
  }

  /// The state of a file that was just put at its place. If a person renamed, wrote or changed the
  /// mode in the same moment, or a check is impossible, it is the staged state, and the next scan
  /// finds the person's change.
  private func look(
    at node: Node, in directory: Descriptor, for staged: FileStat
  ) -> (stat: FileStat, isOurs: Bool) {
    let name = node.place.name.bytes
    guard var stat = lookAfterwards(name, in: directory), stat.isSameInode(as: staged),
      stat.size == staged.size, stat.modified == staged.modified,
      stat.isExecutable == staged.isExecutable,
      node.attributes.mode == nil || stat.mode == staged.mode
    else { return (staged, false) }
    stat.extended = staged.extended
    return (stat, true)
  }

  /// The file at a place after a step; nil also if it cannot be checked. The step was done, so a
  /// failed check is no failure of the step.
  func lookAfterwards(_ name: FileNameBytes, in directory: Descriptor) -> FileStat? {
    do throws(FolderError) { return try FileStat.at(directory, name) } catch { return nil }
  }

  private func replace(
    _ id: RecordID, _ expected: Node, _ node: Node, _ staged: StagedFile
  ) throws -> Outcome {
    let (directory, path) = try directory(of: expected.place)
    let name = expected.place.name.bytes
    guard let row = try tree.row(id), let stat = try FileStat.at(directory, name),
      row.isUnchanged(stat), row.local?.node.kind == expected.kind
    else {
      discard(staged.name)
      return .changed([path + [name]])
    }
    let file = try openRegular(name, in: directory, stat)
    let writers = stat.kind == .file ? file?.writers ?? .unknown : .none
    if writers == .some { return .busy }
    var staged = staged
    if stat.kind == .file {
      try dress(&staged, like: file, stat, row, node.attributes)
    } else {
      try dress(&staged, of: id, at: expected.place, in: directory, node.attributes)
    }
    // The swap is made from the folder of replaced files: if the daemon dies right after it, the
    // replaced file is where the next start checks it.
    let kept = try keep(id, staged.name, from: staging.incoming)
    guard try Rename.swap(staging.displaced, kept, directory, name, ours: staged.stat) else {
      let ours = StagedFile(name: kept, stat: staged.stat)
      return try replaceInTwoSteps(id, row, node, ours, directory, path)
    }
    guard let displaced = lookAfterwards(kept, in: staging.displaced), row.isStill(displaced) else {
      // Another file appeared there between the check and the swap: it goes back, and the next plan
      // sees both. The file that is removed then is ours, or is checked a second time.
      guard swapBack(kept, directory, name, ours: staged.stat) else {
        _ = try recordReplaced(id, node, staged.stat, directory, path)
        return .changed([path + [name]])
      }
      if lookAfterwards(kept, in: staging.displaced)?.isSameInode(as: staged.stat) == true {
        discardDisplaced(kept)
      }
      return .changed([path + [name]])
    }
    note(kept, displaced, row, writers)
    if displaced.mode != stat.mode {
      // Its person changed the mode between the look and the swap.
      _ = try FileMode.set(name, in: directory) { $0 & 0o111 | displaced.mode & 0o666 }
    }
    return try recordReplaced(id, node, staged.stat, directory, path)
  }

  /// False if our file is still there: then the replaced one is checked in its current place. A
  /// failed swap may have been done: claiming success would turn a restored file into an edit. If
  /// nobody knows, the next scan finds the zone's bytes, if they are there.
  private func swapBack(
    _ kept: FileNameBytes, _ directory: Descriptor, _ name: FileNameBytes, ours: FileStat
  ) -> Bool {
    do throws(FolderError) {
      return try Rename.swap(staging.displaced, kept, directory, name)
    } catch {
      return lookAfterwards(name, in: directory)?.isSameInode(as: ours) != true
    }
  }

  /// If this fails, the later check of the file removes it.
  private func discardDisplaced(_ name: FileNameBytes) {
    _ = staging.displaced.disk.remove(name, in: staging.displaced.number)
  }

  private func recordReplaced(
    _ id: RecordID, _ node: Node, _ staged: FileStat, _ directory: Descriptor,
    _ path: [FileNameBytes]
  ) throws -> Outcome {
    let (stat, isOurs) = look(at: node, in: directory, for: staged)
    try tree.note(.replaced(id, node, stat))
    return isOurs ? .done : .changed([path + [node.place.name.bytes]])
  }

  /// For file systems without a swap: a reader may see a gap, but nothing is lost.
  private func replaceInTwoSteps(
    _ id: RecordID, _ row: NodeRow, _ node: Node, _ staged: StagedFile,
    _ directory: Descriptor, _ path: [FileNameBytes]
  ) throws -> Outcome {
    let name = node.place.name.bytes
    let kept = try keep(id, name, from: directory)
    if let displaced = lookAfterwards(kept, in: staging.displaced), row.isStill(displaced),
      put(staged.name, from: staging.displaced, at: name, in: directory)
    {
      return try recordReplaced(id, node, staged.stat, directory, path)
    }
    // It was written to, or another file has the name: the earlier file goes back if possible, and
    // otherwise is checked in its current place.
    discardDisplaced(staged.name)
    if !put(kept, from: staging.displaced, at: name, in: directory) { try tree.note(.lost(id)) }
    return .changed([path + [name]])
  }

  /// False if the name is taken, or nothing can be put there.
  func put(
    _ name: FileNameBytes, from: Descriptor, at new: FileNameBytes, in directory: Descriptor
  ) -> Bool {
    do throws(FolderError) {
      try Rename.toFreeName(from, name, directory, new, via: nil)
      return true
    } catch {
      return false
    }
  }

  private func move(_ id: RecordID, to place: Place) throws -> Outcome {
    guard let row = try tree.row(id), let local = row.local, let old = try tree.path(of: id),
      let oldName = old.last
    else { return .changed([]) }
    let from: Descriptor
    if local.node.place.parent == .parked {
      from = staging.parked
    } else {
      from = try directory(of: local.node.place).0
    }
    guard let stat = try FileStat.at(from, oldName), row.isSameInode(as: stat) else {
      return .changed([old])
    }
    let (directory, path) = try directory(of: place)
    do throws(FolderError) {
      try Rename.toFreeName(
        from, oldName, directory, place.name.bytes, via: staging.displaced)
    } catch {
      guard error.code == .exists else { throw error }
      let isSpelling = local.node.place.parent == place.parent
      guard try isSpelling && respell(id, oldName, as: place.name.bytes, in: directory) else {
        return .changed([path + [place.name.bytes], old])
      }
    }
    guard let now = lookAfterwards(place.name.bytes, in: directory), row.isSameInode(as: now) else {
      return try moveBack(id, row, to: place, directory, path, from: from, old, stat)
    }
    if let node = row.node(at: place, before: stat, after: now) {
      try tree.note(.moved(id, node, now))
    }
    return .done
  }

  /// Renames an entry on a disk for which both names may be one, by way of a temporary name.
  /// - Returns: False if another entry has the name. Then nothing is changed.
  private func respell(
    _ id: RecordID, _ old: FileNameBytes, as new: FileNameBytes, in directory: Descriptor
  ) throws(FolderError) -> Bool {
    let names = try DirectoryListing.names(of: directory)
    // Two names in the list are two entries.
    guard names.contains(old), !names.contains(new) else { return false }
    let parked = Staging.parkedName(id)
    try Rename.toFreeName(directory, old, staging.parked, parked, via: staging.displaced)
    if put(parked, from: staging.parked, at: new, in: directory) { return true }
    guard put(parked, from: staging.parked, at: old, in: directory) else {
      // The next start finds it there.
      throw FolderError(.exists, new, "other entries took both names")
    }
    return false
  }

  /// Handles a move after which the new name has another file, none, or cannot be checked.
  private func moveBack(
    _ id: RecordID, _ row: NodeRow, to place: Place, _ directory: Descriptor,
    _ path: [FileNameBytes], from: Descriptor, _ old: [FileNameBytes], _ stat: FileStat
  ) throws -> Outcome {
    let paths = [old, path + [place.name.bytes]]
    let isOther: Bool
    do throws(FolderError) {
      let now = try FileStat.at(directory, place.name.bytes)
      isOther = now.map { !row.isSameInode(as: $0) } ?? false
    } catch {
      isOther = false
    }
    if isOther, from !== staging.parked, let oldName = old.last,
      put(place.name.bytes, from: directory, at: oldName, in: from)
    {
      // It appeared there between the check and the rename.
      return .changed(paths)
    }
    // Nobody else puts anything into the folder of temporary names: it was moved, and its new name
    // was changed since. The same holds if nothing is there, or nobody knows.
    if let node = row.node(at: place, before: stat, after: stat) {
      try tree.note(.moved(id, node, stat))
    }
    return .changed(paths)
  }

  private func park(_ id: RecordID, _ from: Place) throws -> Outcome {
    guard let row = try tree.row(id), row.local != nil else { return .changed([]) }
    let (directory, path) = try directory(of: from)
    guard let stat = try FileStat.at(directory, from.name.bytes), row.isSameInode(as: stat) else {
      return .changed([path + [from.name.bytes]])
    }
    let name = Staging.parkedName(id)
    try Rename.toFreeName(
      directory, from.name.bytes, staging.parked, name, via: staging.displaced)
    let now = lookAfterwards(name, in: staging.parked)
    if let now, !row.isSameInode(as: now),
      put(name, from: staging.parked, at: from.name.bytes, in: directory)
    {
      return .changed([path + [from.name.bytes]])
    }
    let place = Place(parent: .parked, name: from.name)
    if let node = row.node(at: place, before: stat, after: now ?? stat) {
      try tree.note(.parked(id, node, now ?? stat))
    }
    return .done
  }

  /// Checks by a read lease whether the file is open for writing. Without an answer, the swap and
  /// the later check of the replaced file must suffice.
  func writers(
    of name: FileNameBytes, in directory: Descriptor, _ stat: FileStat
  ) throws -> Descriptor.Writers {
    guard stat.kind == .file else { return .none }
    return try openRegular(name, in: directory, stat)?.writers ?? .unknown
  }

  /// Opens a regular file; nil if it is none, or may not be read.
  private func openRegular(
    _ name: FileNameBytes, in directory: Descriptor, _ stat: FileStat
  ) throws(FolderError) -> Descriptor? {
    guard stat.kind == .file else { return nil }
    do throws(FolderError) { return try directory.openFile([name]) } catch {
      guard error.code == .denied else { throw error }
      return nil
    }
  }
}

extension FolderStep {
  /// A Boolean value that indicates whether the step may change the entry at a directory's path.
  fileprivate var concernsDirectories: Bool {
    switch self {
    case .install, .replace: false
    case .remove(_, let expected): expected.isDirectory
    case .makeDirectory, .move, .park, .setAttributes: true
    }
  }
}
