import CairnCloud
import CairnPlan
import CairnZone

/// Whether the folder is the one that is mirrored. Where it isn't, or isn't there, nothing in it is
/// taken for deleted and nothing is written: the mount is detached until it is back.
extension MountEngine {
  /// Finds the folder, or finds it again.
  func findRoot() throws {
    guard folder.isLost else { return try checkRoot() }
    do { try checkRoot() } catch let trouble as FolderError {
      // Another one with the right mark: the same on a disk that was mounted anew, or a copy.
      do { try attach() } catch is FolderError { throw trouble }
    }
    folder.find()
    // Nobody knows what happened to it meanwhile.
    hintEverything()
  }

  /// Whether the folder at the path still is the one that was attached, with its mark.
  func checkRoot() throws {
    guard let identity else { throw detached("the folder isn't attached") }
    do {
      let root = try openRoot()
      let now = try FileStat.of(root)
      guard now.device == identity.device else {
        throw detached("another file system is mounted at this path now")
      }
      try checkMark(root)
      guard now.isSameInode(as: identity) else {
        throw detached("another folder stands at this path now")
      }
    } catch {
      folder.lose()
      throw error
    }
  }

  /// Opens the folder, or says why it can't be.
  func openRoot() throws(FolderError) -> Descriptor {
    do throws(FolderError) { return try Descriptor.openRoot(path, on: disk) } catch {
      switch error.code {
      case .notFound:
        throw detached(
          "the folder isn't there: it was moved or deleted, or the disk that it is on isn't mounted"
        )
      case .denied, .failed: throw detached("the folder can't be read now (\(error.reason))")
      default: throw error
      }
    }
  }

  /// Whether an open folder carries this mount's mark.
  func checkMark(_ root: Descriptor) throws {
    let name = String(decoding: stagingName, as: UTF8.self) + "/zone"
    guard let marker = try Self.marker(in: root, stagingName) else {
      let isEmpty = try DirectoryListing.names(of: root).isEmpty
      throw detached(
        isEmpty
          ? "the folder is empty and without its mark \(name): most likely the disk that it is on "
            + "isn't mounted"
          : "the folder isn't the one that was mirrored: its mark \(name) is missing")
    }
    guard marker == Array(part.description.utf8) else {
      throw detached("the folder mirrors something else now, by its mark \(name)")
    }
  }

  private func detached(_ reason: String) -> FolderError {
    FolderError(.detached, path, reason)
  }

  /// The number of this mount in the index. A folder with the right mark that isn't the one of the
  /// last run is a copy of it, from a backup or on another disk: it is noted as this mount's folder
  /// when it was looked at.
  func register(_ stat: FileStat) throws -> (mount: Int64, isCopy: Bool) {
    if let last = try index.root(of: part), last.inode != stat.inode || last.birth != stat.birth,
      let number = try index.number(of: part)
    {
      return (number, true)
    }
    return (try index.register(part, stat), false)
  }

  /// What isn't in a copy of the folder was never deleted from it: it comes back from the zone.
  /// What is older in it isn't an edit. Of what couldn't be read nothing is known.
  func takeCopy(without unreadable: Set<[UInt8]>) throws {
    guard let identity, folder.attached?.isCopy == true else { return }
    folder.note { ($0.isCompared, $0.began) = (false, nil) }
    exchange.needsPull = true
    try index.write(mount) { tree in
      try tree.setCompared(false)
      try tree.setBegan(nil)
      for path in unreadable {
        let names = path.split(separator: UInt8(ascii: "/")).map { Array($0) }
        guard let id = try tree.record(at: names) else { continue }
        for child in try tree.childIDs(of: id) { try tree.vanish(child) }
      }
      for deletion in try tree.deletions(includingReplaced: true) {
        guard var row = try tree.node(deletion.id) else { continue }
        row.synced = nil
        try tree.put(row)
        try tree.markDirty(row.id, .remote)
      }
    }
    _ = try index.register(part, identity)
    folder.note { $0.isCopy = false }
  }

  // MARK: Before deletions leave

  /// Looks once more at where the plan wants nothing to be before it deletes in the zone: whether
  /// the root still is the folder, the directories can be read and are the ones that were looked
  /// at, and the names are gone.
  /// - Returns: false if something is different, and has to be looked at and planned again.
  func isStillGone(_ groups: [[ZoneChange]]) throws -> Bool {
    let deletions = groups.joined().filter { $0.act == .delete }
    guard !deletions.isEmpty else { return true }
    try checkRoot()
    guard let root, let identity else { return false }
    let places = deletions.compactMap { change in change.goneFrom.map { (change.id, $0) } }
    var isSame = true
    for (parent, group) in Dictionary(grouping: places, by: \.1.parent) {
      let (row, path) = try index.read(mount) { (try $0.node(parent), try $0.path(of: parent)) }
      // A directory that went itself is looked at by its own name, in the one above it.
      guard let path else { continue }
      do {
        let directory = try root.openDirectory(path)
        let stat = try FileStat.of(directory)
        guard stat.isBeside(identity), parent == .root || row?.isSameInode(as: stat) == true else {
          throw FolderError(.busy, joined(path), "another directory stands there now")
        }
        // What one more look doesn't find isn't mirrored: an ignored name, for instance.
        for (id, place) in group where try isBack(place, in: directory) {
          guard agenda.needsAnotherLook(id) else { continue }
          hint(changed: [joined(path + [place.name.bytes])])
          isSame = false
        }
      } catch let error as FolderError {
        isSame = false
        hint(changed: [joined(path)])
        for (id, _) in group { postpone(id, .blocked, error.reason) }
      }
    }
    if isSame { agenda.areGone(deletions.map(\.id)) }
    return isSame
  }

  /// Whether something stands at a place where the index knows nothing.
  private func isBack(_ place: Place, in directory: Descriptor) throws -> Bool {
    guard let stat = try FileStat.at(directory, place.name.bytes), stat.kind != .other else {
      return false
    }
    if scanner?.leftOut.contains(place) == true { return false }
    return try index.read(mount) { try $0.child(at: place) } == nil
      && scanner?.strangers.values.contains { $0.place == place } != true
  }
}
