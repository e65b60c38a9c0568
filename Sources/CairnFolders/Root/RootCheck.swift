import CairnPlan
import CairnZone

/// The check whether the folder is the mirrored one. If it is missing or another one, nothing in it
/// counts as deleted and nothing is written: the mount is detached until it is back.
///
/// It uses these parts of the state: `disk`, `folder`, `hintEverything`, `identity`, `index`,
/// `part`, `path`, `stagingName`, `write`, `zoneSync`.
struct RootCheck {
  let state: MountState

  init(_ state: MountState) { self.state = state }

  /// Finds the folder, or finds it again.
  func findRoot() throws {
    guard state.folder.isLost else { return try checkRoot() }
    do { try checkRoot() } catch let trouble as FolderError {
      // Another folder with the right mark: the same one on a remounted disk, or a copy.
      do { try Attachment(state).attach() } catch is FolderError { throw trouble }
    }
    state.folder.find()
    // Nobody knows its changes meanwhile.
    state.hintEverything()
  }

  /// Checks that the folder at the path is still the attached one, with its mark.
  func checkRoot() throws {
    guard let identity = state.identity else { throw detached("the folder isn't attached") }
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
      state.folder.lose()
      throw error
    }
  }

  /// Opens the folder, or throws the reason why it cannot be opened.
  func openRoot() throws(FolderError) -> Descriptor {
    do throws(FolderError) { return try Descriptor.openRoot(state.path, on: state.disk) } catch {
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

  /// Checks that an open folder has this mount's mark.
  func checkMark(_ root: Descriptor) throws {
    let name = String(decoding: state.stagingName, as: UTF8.self) + "/zone"
    guard let marker = try MountMark.marker(in: root, state.stagingName) else {
      let isEmpty = try DirectoryListing.names(of: root).isEmpty
      throw detached(
        isEmpty
          ? "the folder is empty and without its mark \(name): most likely the disk that it is on "
            + "isn't mounted"
          : "the folder isn't the one that was mirrored: its mark \(name) is missing")
    }
    guard marker == Array(state.part.description.utf8) else {
      throw detached("the folder mirrors something else now, by its mark \(name)")
    }
  }

  private func detached(_ reason: String) -> FolderError {
    FolderError(.detached, state.path, reason)
  }

  /// The number of this mount in the index. A folder with the right mark that is not the last run's
  /// is a copy of it, from a backup or on another disk. It is noted as this mount's folder after
  /// its scan.
  func register(_ stat: FileStat) throws -> (mount: Int64, isCopy: Bool) {
    if let last = try state.index.root(of: state.part),
      last.inode != stat.inode || last.birth != stat.birth,
      let number = try state.index.number(of: state.part)
    {
      return (number, true)
    }
    return (try state.index.register(state.part, stat), false)
  }

  /// Handles a copy of the folder. Files that it lacks were never deleted from it, so they return
  /// from the zone, and its older versions are no edits. Unreadable parts are unknown.
  func takeCopy(without unreadable: Set<[UInt8]>) throws {
    guard let identity = state.identity, state.folder.attached?.isCopy == true else { return }
    state.folder.note { ($0.isCompared, $0.startsAfter) = (false, nil) }
    state.zoneSync.needsPull = true
    try state.write { tree in
      try tree.setCompared(false)
      try tree.setStartsAfter(nil)
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
    _ = try state.index.register(state.part, identity)
    state.folder.note { $0.isCopy = false }
  }

  /// Opens the folder at the path; nil if there is none.
  func openRootIfThere() throws(FolderError) -> Descriptor? {
    do throws(FolderError) { return try Descriptor.openRoot(state.path, on: state.disk) } catch {
      guard error.code == .notFound else { throw error }
      return nil
    }
  }
}
