import CairnPlan
import CairnReplica
import CairnZone

/// The directories that were moved aside as a whole. Each file is moved out of its directory before
/// it is checked like any replaced file: a program whose working directory is in there can still
/// change the names.
///
/// It uses these parts of the state: `clock`, `displaced`, `scope`, `zone`.
struct MovedDirectories {
  let state: MountState

  init(_ state: MountState) { self.state = state }

  /// Moves the files out of a directory, and removes it. An entry that nobody knows appeared after
  /// the move, and goes to the rescue folder.
  /// - Returns: The files that are to be checked now.
  func takeApart(
    _ entry: DisplacedFiles.Entry, _ staging: Staging
  ) throws -> [DisplacedFiles.Entry] {
    let top = try staging.displaced.openDirectory([entry.name])
    let own = try FileStat.of(top)
    let (former, known) = entry.directory
    var files: [DisplacedFiles.Entry] = []
    var directories: [[FileNameBytes]] = []
    var stack: [(path: [FileNameBytes], id: RecordID?)] = [([], Staging.record(of: entry.name))]
    while let (path, id) = stack.popLast() {
      directories.append(path)
      let directory = path.isEmpty ? top : try top.openDirectory(path)
      for name in try DirectoryListing.names(of: directory) {
        guard let stat = try FileStat.at(directory, name) else { continue }
        let inner = path + [name]
        let inside = known[joined(inner)]
        if stat.kind == .directory {
          guard stat.isBeside(own) else {
            throw FolderError(.busy, joined(inner), "another file system is mounted there")
          }
          stack.append((inner, try record(name, .directory, in: id)))
          continue
        }
        guard let record = try record(name, stat, inside, directory, in: id) else {
          try RescueShelf(state).setAside(
            name, from: directory, former + inner, id ?? .root,
            because: "it was written while the folder that it was in was deleted")
          continue
        }
        let fresh = staging.freshName(for: record)
        try Rename.toFreeName(directory, name, staging.displaced, fresh, via: staging.displaced)
        files.append(Self.entry(fresh, inside, stat))
      }
    }
    for path in directories.reversed() {
      let parent = path.isEmpty ? staging.displaced : try top.openDirectory(Array(path.dropLast()))
      do throws(FolderError) { try parent.removeDirectory(path.last ?? entry.name) } catch {
        guard error.code == .notEmpty else { throw error }
        state.displaced.lookAgain(at: entry.name, state.clock.now)
        break
      }
    }
    return files
  }

  /// Returns the file as it was when it was moved out; its content is known if it was unchanged.
  private static func entry(
    _ name: FileNameBytes, _ inside: DisplacedFiles.Inside?, _ stat: FileStat
  ) -> DisplacedFiles.Entry {
    var entry = DisplacedFiles.Entry(name: name, due: 0, movedKind: stat.kind)
    if let inside, let content = inside.content, inside.stat == stat {
      entry.seen = .file(stat, content)
    }
    return entry
  }

  /// Returns the record of a file, whose bytes are checked later, or of an unchanged symlink.
  private func record(
    _ name: FileNameBytes, _ stat: FileStat, _ inside: DisplacedFiles.Inside?,
    _ directory: Descriptor, in id: RecordID?
  ) throws -> RecordID? {
    switch stat.kind {
    case .file: return try inside?.id ?? record(name, .file(nil), in: id)
    case .symlink:
      if let inside, inside.stat == stat { return inside.id }
      return try record(
        name, .symlink(DirectoryListing.target(in: directory, name)), in: id)
    case .directory, .other: return nil
    }
  }

  /// Returns the record that is or was last at a place in the zone, if it is of this kind. After a
  /// restart, the records of a directory are unknown here.
  private func record(
    _ name: FileNameBytes, _ kind: Node.Kind, in directory: RecordID?
  ) throws -> RecordID? {
    guard let directory, let name = FileName(name) else { return nil }
    return try state.zone.read { view in
      let records = ScopedRecords(view, state.scope)
      let place = Place(parent: directory, name: name)
      let zonePlace = Place(parent: records.zoneID(directory), name: name)
      let id = try records.child(at: place) ?? view.lastVersion(thatLeft: zonePlace)?.record.id
      guard let id else { return nil }
      let record = try view.record(id) ?? view.lastVersion(thatLeft: zonePlace)?.record
      switch (record.flatMap { Node($0) }?.kind, kind) {
      case (.file, .file), (.directory, .directory): return id
      case (.symlink(let old), .symlink(let new)): return old == new ? id : nil
      default: return nil
      }
    }
  }
}

extension DisplacedFiles.Entry {
  /// The former path of a directory, and the known entries in it.
  fileprivate var directory: (path: [FileNameBytes], [FileNameBytes: DisplacedFiles.Inside]) {
    guard case .directory(let path, let inside)? = seen else { return ([], [:]) }
    return (path, inside)
  }
}
