import CairnPlan
import CairnZone
import Glibc

extension Applier {
  /// Carries out one step; `staged` is the file that `stage` made for it.
  func apply(_ step: FolderStep, staged: StagedFile?) throws -> Outcome {
    do {
      if step.concernsDirectories { forgetDirectory() }
      switch step {
      case .makeDirectory(let id, let place): return try makeDirectory(id, place)
      case .install(let id, let node): return try install(id, node, required(staged))
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
      if let staged { discard(staged.name) }
      switch error.code {
      case .busy: return .busy
      case .notFound, .exists, .notEmpty:
        return .changed(try tree.path(of: step.id).map { [$0] } ?? [])
      default: return .failed(error)
      }
    }
  }

  private func required(_ staged: StagedFile?) -> StagedFile {
    guard let staged else { preconditionFailure("a step without its staged file") }
    return staged
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
      // As if it hadn't been made: nobody could say later who made it. What is in it keeps it.
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
    try dress(&staged, of: id, at: node.place, in: directory)
    do throws(FolderError) {
      try Rename.toFreeName(
        staging.incoming, staged.name, directory, node.place.name.bytes, via: nil)
    } catch {
      discard(staged.name)
      guard error.code == .exists else { throw error }
      return .changed([path + [node.place.name.bytes]])
    }
    let (stat, isOurs) = look(at: node.place, in: directory, for: staged.stat)
    try tree.note(.made(id, node, stat))
    return isOurs ? .done : .changed([path + [node.place.name.bytes]])
  }

  /// What was put at a place, as it looks there; as it was staged if a person renamed, wrote or
  /// changed the mode of something there in the moment since, or if nobody can look. The next look
  /// finds what is theirs.
  private func look(
    at place: Place, in directory: Descriptor, for staged: FileStat
  ) -> (stat: FileStat, isOurs: Bool) {
    guard let stat = lookAfterwards(place.name.bytes, in: directory), stat.isSameInode(as: staged),
      stat.size == staged.size, stat.modified == staged.modified,
      stat.isExecutable == staged.isExecutable
    else { return (staged, false) }
    return (stat, true)
  }

  /// What stands there after a step; nil also if nobody can look. What was done was done, so no
  /// failure to look at it may be the step's.
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
    if writers == .some {
      discard(staged.name)
      return .busy
    }
    var staged = staged
    if stat.kind == .file {
      try dress(&staged, like: file, stat)
    } else {
      try dress(&staged, of: id, at: expected.place, in: directory)
    }
    // The swap is made from the folder of displaced files: if the daemon dies right after it, what
    // was displaced stands where the next start looks at it.
    let kept = try keep(id, staged.name, from: staging.incoming)
    guard try Rename.swap(staging.displaced, kept, directory, name, ours: staged.stat) else {
      let ours = StagedFile(name: kept, stat: staged.stat)
      return try replaceInTwoSteps(id, row, node, ours, directory, path)
    }
    guard let displaced = lookAfterwards(kept, in: staging.displaced), row.isStill(displaced) else {
      // Something else came to stand there between the look and the swap: it goes back, and the
      // next plan sees both. What is displaced then is ours, or is looked at a second time.
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

  /// False if ours is still there: then what it displaced is looked at where it is. A swap that
  /// failed may have been done: to call ours put there all the same would make an edit of what came
  /// back. Where nobody can tell, the next look finds the zone's bytes, if they are there.
  private func swapBack(
    _ kept: FileNameBytes, _ directory: Descriptor, _ name: FileNameBytes, ours: FileStat
  ) -> Bool {
    do throws(FolderError) {
      return try Rename.swap(staging.displaced, kept, directory, name)
    } catch {
      return lookAfterwards(name, in: directory)?.isSameInode(as: ours) != true
    }
  }

  /// If this fails, the second look at the file takes it away.
  private func discardDisplaced(_ name: FileNameBytes) {
    _ = staging.displaced.disk.remove(name, in: staging.displaced.number)
  }

  private func recordReplaced(
    _ id: RecordID, _ node: Node, _ staged: FileStat, _ directory: Descriptor,
    _ path: [FileNameBytes]
  ) throws -> Outcome {
    let (stat, isOurs) = look(at: node.place, in: directory, for: staged)
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
    // It was written to, or the name is somebody else's now: what stood there goes back if it can,
    // and otherwise is looked at where it is.
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

  private func setAttributes(
    _ id: RecordID, _ expected: Node, _ attributes: Attributes
  ) throws -> Outcome {
    let (directory, path) = try directory(of: expected.place)
    let name = expected.place.name.bytes
    let full = path + [name]
    guard let row = try tree.row(id), let stat = try FileStat.at(directory, name),
      row.isSameInode(as: stat), expected.isDirectory || row.isUnchanged(stat),
      row.local?.node.kind == expected.kind
    else { return .changed([full]) }
    let trouble = set(attributes, of: name, stat, in: directory)
    if expected.isDirectory { forgetTime(of: full) }
    // Its time is another now, so that only these tell whether it is what was looked at.
    guard let now = try FileStat.at(directory, name), now.kind == stat.kind,
      now.inode == stat.inode, expected.isDirectory || now.size == stat.size
    else { return .changed([full]) }
    guard try shows(attributes, now, before: stat, trouble) else {
      if let trouble { throw trouble }
      return .changed([full])
    }
    var node = expected
    node.attributes = attributes
    try tree.note(.attributed(id, node, now))
    return .done
  }

  /// Sets the attributes, each for itself; says what failed first.
  private func set(
    _ attributes: Attributes, of name: FileNameBytes, _ stat: FileStat, in directory: Descriptor
  ) -> FolderError? {
    var trouble: FolderError?
    do throws(FolderError) {
      if stat.kind == .file, attributes.isExecutable != stat.isExecutable {
        let file = try directory.open([name], flags: O_RDONLY)
        let now = try FileStat.of(file).mode
        let mode = (now & 0o666) | (attributes.isExecutable ? (now & 0o444) >> 2 : 0)
        try file.setMode(mode, name)
      }
    } catch { trouble = error }
    do throws(FolderError) { try directory.setTime(of: name, attributes.modified) } catch {
      trouble = trouble ?? error
    }
    return trouble
  }

  /// Whether the disk shows the attributes, or what its file system can hold of them.
  private func shows(
    _ attributes: Attributes, _ now: FileStat, before: FileStat, _ trouble: FolderError?
  ) throws(FolderError) -> Bool {
    let hasTime = now.modified == attributes.modified
    if hasTime, now.kind != .file || now.isExecutable == attributes.isExecutable { return true }
    // A file system may keep times of files and none of symlinks.
    if now.kind == .symlink, let trouble, trouble.isRefusal {
      return now.modified == before.modified
    }
    return try Trial(staging).explains(now, before, for: attributes)
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
      return .changed([path + [place.name.bytes], old])
    }
    guard let now = lookAfterwards(place.name.bytes, in: directory), row.isSameInode(as: now) else {
      return try moveBack(id, row, to: place, directory, path, from: from, old, stat)
    }
    if let node = row.node(at: place, before: stat, after: now) {
      try tree.note(.moved(id, node, now))
    }
    return .done
  }

  /// After a move something else stands at the new name, or nothing, or nobody can look.
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
      // It had come to stand there between the look and the rename.
      return .changed(paths)
    }
    // Nobody else puts anything into the parked folder: it was moved, and something was done at its
    // new name since. So it was if nothing is there, or nobody can tell.
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

  /// Asks by a read lease whether anybody has the file open for writing. Where there is no answer,
  /// the swap and the later look at the displaced file must do.
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
  /// Whether the step may change what stands at a directory's path.
  fileprivate var concernsDirectories: Bool {
    switch self {
    case .install, .replace: false
    case .makeDirectory, .move, .park, .remove, .setAttributes: true
    }
  }
}
