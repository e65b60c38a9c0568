import CairnPlan
import CairnZone

/// A new directory in the staging folder, with all of its files under their final names.
struct AsideDirectory {
  /// A file in it.
  struct File {
    var id: RecordID
    var node: Node
    var staged: StagedFile
  }

  /// Its name in the staging folder.
  var name: FileNameBytes
  /// Its place in the folder.
  var place: Place
  /// The record in the zone, if its attributes are to be set with it.
  var record: Node?
  /// The directories in it.
  var inner: [RecordID] = []
  /// The files in it: nothing else is there.
  var files: [File] = []
}

/// Directories that are built in the staging folder, where nobody else sees them, and put into the
/// folder by one rename. Nobody ever sees a part of their files, and the folder sends one event.
extension Applier {
  /// The state of a directory and its files before it is moved in.
  private struct Contents {
    /// The effects of the move, those of the directory first.
    var changes: [TreeChange] = []
    /// The records of everything in the directory.
    var ids: [RecordID] = []
    /// The names of the directories in the staging folder.
    var names: [FileNameBytes] = []
    /// The state of the directory in the staging folder.
    var stat: FileStat
  }

  /// Puts a directory into the folder, with everything in it.
  /// - Returns: Nil if that is impossible here. Then nothing is changed, and the directory and its
  ///   files are put there one by one.
  func moveIn(_ id: RecordID, _ place: Place) throws -> Outcome? {
    guard let ready = aside[id] else { return nil }
    let (directory, path) = try directory(of: place)
    let full = path + [place.name.bytes]
    // A directory that is created here would get other attributes than one in the staging folder.
    guard try traits(of: directory).areNone, var contents = try contents(of: ready, id, place)
    else { return nil }
    do throws(FolderError) {
      let isMoved = try Rename.directoryToFreeName(
        staging.incoming, ready.name, directory, place.name.bytes, contents.stat)
      guard isMoved else { return nil }
    } catch {
      guard error.code == .exists else { throw error }
      return .changed([full])
    }
    arrived.formUnion(contents.ids)
    movedIn.formUnion(contents.names)
    // As for a file: any other state is a change by a person, which the next scan finds.
    let now = lookAfterwards(place.name.bytes, in: directory)
    let isOurs =
      now.map { $0.isSameInode(as: contents.stat) && $0.modified == contents.stat.modified }
      ?? false
    if isOurs, let now { contents.changes[0] = made(id, place, ready, now) }
    // All at once: they are in the folder, whatever happens to the index.
    try tree.note(contents.changes)
    return isOurs ? .done : .changed([full])
  }

  /// Gives the files of a directory the attributes that they get in the folder.
  /// - Returns: Nil if that failed for one of them, or the directory needs other attributes itself.
  private func contents(
    of ready: AsideDirectory, _ id: RecordID, _ place: Place
  ) throws -> Contents? {
    do {
      guard try directoryMode(id, at: place) == 0o777,
        let stat = try FileStat.at(staging.incoming, ready.name), stat.kind == .directory
      else { return nil }
      var found = Contents(changes: [made(id, place, ready, stat)], names: [ready.name], stat: stat)
      for var file in ready.files {
        try dress(&file.staged, of: file.id, at: file.node.place, with: DirectoryTraits())
        found.changes.append(.made(file.id, file.node, file.staged.stat))
        found.ids.append(file.id)
      }
      for id in ready.inner {
        guard let inner = aside[id], let more = try contents(of: inner, id, inner.place)
        else { return nil }
        found.changes += more.changes
        found.ids += [id] + more.ids
        found.names += more.names
      }
      return found
    } catch is FolderError {
      return nil
    }
  }

  /// The effect of a move on the index, for a directory that looks like this.
  private func made(
    _ id: RecordID, _ place: Place, _ ready: AsideDirectory, _ stat: FileStat
  ) -> TreeChange {
    var node = Node(
      place: place, kind: .directory,
      attributes: Attributes(isExecutable: false, modified: stat.modified))
    if let attributes = ready.record?.attributes, attributes.modified == stat.modified {
      node.attributes = attributes
    }
    return .made(id, node, stat)
  }
}
