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
    do throws(FolderError) { try directory.makeDirectory(place.name.bytes, mode: 0o777) } catch {
      if error.code == .exists { return .changed([path + [place.name.bytes]]) }
      throw FolderError(error.code, joined(path + [place.name.bytes]), error.reason)
    }
    guard let stat = try FileStat.at(directory, place.name.bytes) else {
      return .changed([path + [place.name.bytes]])
    }
    let attributes = Attributes(isExecutable: false, modified: stat.modified)
    try tree.recordMade(id, Node(place: place, kind: .directory, attributes: attributes), stat)
    return .done
  }

  private func install(_ id: RecordID, _ node: Node, _ staged: StagedFile) throws -> Outcome {
    let (directory, path) = try directory(of: node.place)
    do throws(FolderError) {
      try Rename.toFreeName(
        staging.incoming, staged.name, directory, node.place.name.bytes, aside: nil)
    } catch {
      discard(staged.name)
      guard error.code == .exists else { throw error }
      return .changed([path + [node.place.name.bytes]])
    }
    let (stat, isOurs) = try look(at: node.place, in: directory, for: staged.stat)
    try tree.recordMade(id, node, stat)
    return isOurs ? .done : .changed([path + [node.place.name.bytes]])
  }

  /// What was put at a place, as it looks there; as it was staged if a person renamed or wrote
  /// something there in the moment since. That is theirs, and the next look finds it.
  private func look(
    at place: Place, in directory: Descriptor, for staged: FileStat
  ) throws -> (stat: FileStat, isOurs: Bool) {
    guard let stat = try FileStat.at(directory, place.name.bytes), stat.isSameInode(as: staged),
      stat.size == staged.size, stat.modified == staged.modified
    else { return (staged, false) }
    return (stat, true)
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
    let writers = try writers(of: name, in: directory, stat)
    if writers == .some {
      discard(staged.name)
      return .busy
    }
    // The swap is made from the kept folder: if the daemon dies right after it, what was displaced
    // stands where the next start looks at it.
    let kept = try keep(id, staged.name, from: staging.incoming)
    guard try Rename.swap(staging.kept, kept, directory, name) else {
      let ours = StagedFile(name: kept, stat: staged.stat)
      return try replaceInTwoSteps(id, row, node, ours, directory, path)
    }
    guard let displaced = try FileStat.at(staging.kept, kept), row.isStill(displaced) else {
      // Something else came to stand there between the look and the swap: it goes back, and the
      // next plan sees both. What is displaced then is ours, or is looked at a second time.
      if try Rename.swap(staging.kept, kept, directory, name),
        try FileStat.at(staging.kept, kept)?.isSameInode(as: staged.stat) == true
      {
        try staging.kept.remove(kept)
      }
      return .changed([path + [name]])
    }
    note(kept, displaced, row, writers)
    return try recordReplaced(id, node, staged.stat, directory, path)
  }

  private func recordReplaced(
    _ id: RecordID, _ node: Node, _ staged: FileStat, _ directory: Descriptor,
    _ path: [FileNameBytes]
  ) throws -> Outcome {
    let (stat, isOurs) = try look(at: node.place, in: directory, for: staged)
    try tree.recordReplaced(id, node, stat)
    return isOurs ? .done : .changed([path + [node.place.name.bytes]])
  }

  /// For file systems without a swap: a reader may see a gap, but nothing is lost.
  private func replaceInTwoSteps(
    _ id: RecordID, _ row: NodeRow, _ node: Node, _ staged: StagedFile,
    _ directory: Descriptor, _ path: [FileNameBytes]
  ) throws -> Outcome {
    let name = node.place.name.bytes
    let kept = try keep(id, name, from: directory)
    guard let displaced = try FileStat.at(staging.kept, kept), row.isStill(displaced) else {
      try Rename.toFreeName(staging.kept, kept, directory, name, aside: nil)
      try staging.kept.remove(staged.name)
      return .changed([path + [name]])
    }
    try Rename.toFreeName(staging.kept, staged.name, directory, name, aside: nil)
    return try recordReplaced(id, node, staged.stat, directory, path)
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
    if case .file = expected.kind, attributes.isExecutable != stat.isExecutable {
      let file = try directory.open([name], flags: O_RDONLY)
      let now = try FileStat.of(file).mode
      let mode = (now & 0o666) | (attributes.isExecutable ? (now & 0o444) >> 2 : 0)
      try file.setMode(mode, joined(full))
    }
    try directory.setTime(of: name, attributes.modified)
    if expected.isDirectory { forgetTime(of: full) }
    // Its time is another now, so that only these tell whether it is what was looked at.
    guard let now = try FileStat.at(directory, name), now.kind == stat.kind,
      now.inode == stat.inode, expected.isDirectory || now.size == stat.size
    else { return .changed([full]) }
    var node = expected
    node.attributes = attributes
    try tree.record(id, node, now)
    return .done
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
        from, oldName, directory, place.name.bytes, aside: staging.kept)
    } catch {
      guard error.code == .exists else { throw error }
      return .changed([path + [place.name.bytes], old])
    }
    let now = try FileStat.at(directory, place.name.bytes)
    guard let now, row.isSameInode(as: now) else {
      if local.node.place.parent == .parked {
        // Nobody else puts anything into the parked folder: it was moved, and something was done at
        // its new name since.
        _ = try record(id, row.node(at: place, before: stat, after: stat), stat)
      } else if now != nil {
        // Something else came to stand there between the look and the rename.
        try Rename.toFreeName(
          directory, place.name.bytes, from, oldName, aside: staging.kept)
      }
      return .changed([old, path + [place.name.bytes]])
    }
    return try record(id, row.node(at: place, before: stat, after: now), now)
  }

  private func record(_ id: RecordID, _ node: Node?, _ stat: FileStat) throws -> Outcome {
    guard let node else { return .changed([]) }
    try tree.record(id, node, stat)
    return .done
  }

  private func park(_ id: RecordID, _ from: Place) throws -> Outcome {
    guard let row = try tree.row(id), row.local != nil else { return .changed([]) }
    let (directory, path) = try directory(of: from)
    guard let stat = try FileStat.at(directory, from.name.bytes), row.isSameInode(as: stat) else {
      return .changed([path + [from.name.bytes]])
    }
    let name = Staging.parkedName(id)
    try Rename.toFreeName(
      directory, from.name.bytes, staging.parked, name, aside: staging.kept)
    guard let now = try FileStat.at(staging.parked, name), row.isSameInode(as: now) else {
      try Rename.toFreeName(staging.parked, name, directory, from.name.bytes, aside: nil)
      return .changed([path + [from.name.bytes]])
    }
    let place = Place(parent: .parked, name: from.name)
    return try record(id, row.node(at: place, before: stat, after: now), now)
  }

  /// Asks by a read lease whether anybody has the file open for writing. Where there is no answer,
  /// the swap and the later look at the displaced file must do.
  func writers(
    of name: FileNameBytes, in directory: Descriptor, _ stat: FileStat
  ) throws -> Descriptor.Writers {
    guard stat.kind == .file else { return .none }
    do throws(FolderError) {
      return try directory.openFile([name]).writers
    } catch {
      guard error.code == .denied else { throw error }
      return .unknown
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
