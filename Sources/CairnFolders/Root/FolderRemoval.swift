import CairnPlan
import CairnReplica
import CairnZone

/// Removes the mirrored folder of an ended mount, without any loss.
///
/// It uses these parts of the state: `clock`, `disk`, `identity`, `index`, `part`, `path`, `read`,
/// `report`, `root`, `scanner`, `scope`, `staging`, `stagingName`, `transfers`, `zone`.
struct FolderRemoval {
  let state: MountState

  init(_ state: MountState) { self.state = state }

  /// Removes the folder. Files that equal the last agreed state are deleted. All other files are
  /// moved, with their paths, to the folder at that absolute path: unsent edits, files open for
  /// writing, ignored files, rescued files and anything else. Then the directories, the mark and
  /// the root are deleted. With `keepingFiles`, synced files are moved there, too. If the folder is
  /// already gone, nothing is done.
  /// - Returns: The moved files; `report` has the problems.
  func clear(into folder: [UInt8], keepingFiles: Bool = false) throws -> [MovedAway] {
    state.transfers.cancelAll()
    if state.root == nil {
      do { try Attachment(state).attach() } catch let error as FolderError {
        guard error.code == .notFound || error.code == .detached else { throw error }
        // A temporary failure: it was not deleted.
        if let there = try RootCheck(state).openRootIfThere(),
          try MountMark.marker(in: there, state.stagingName) == Array(state.part.description.utf8)
        {
          throw error
        }
        if error.code == .detached { try removeRemains() }
        return []
      }
    }
    guard let root = state.root, let staging = try state.staging, let scanner = state.scanner,
      let identity = state.identity, try !DepartureCheck(state).isRootGone()
    else { return [] }
    try FolderSteps(state).finishPortion()
    // The folder around a single file is the person's own, and so is the file.
    guard state.scope.only == nil else { return [] }
    let rescue = RescueFolder(path: folder, on: state.disk)
    let displaced = try displacedFiles(staging)
    let (moved, problems) = try state.read { tree in
      let clearing = Clearing(
        root: root, device: identity.device, tree: tree, rescue: rescue,
        offLimits: scanner.offLimits, keepsFiles: keepingFiles)
      for (name, place) in displaced { try clearing.move(name, from: staging.displaced, place) }
      try clearing.clear(.parked, at: Staging.parkedPath)
      try clearing.moveAll(in: staging.rescue)
      try clearing.clear(.root, at: [])
      return (clearing.moved, clearing.problems)
    }
    state.report.add(problems)
    try removeRoot(staging)
    return moved
  }

  /// The replaced files whose bytes the zone lacks, with their paths; the others are removed.
  private func displacedFiles(
    _ staging: Staging
  ) throws -> [(FileNameBytes, [FileNameBytes])] {
    var found: [(FileNameBytes, [FileNameBytes])] = []
    for name in try DirectoryListing.names(of: staging.displaced)
    where try FileStat.at(staging.displaced, name)?.kind == .directory {
      let directory = DisplacedFiles.Entry(name: name, due: state.clock.now)
      _ = try MovedDirectories(state).takeApart(directory, staging)
    }
    for name in try DirectoryListing.names(of: staging.displaced) {
      guard let stat = try FileStat.at(staging.displaced, name) else { continue }
      let id = Staging.record(of: name) ?? .root
      if stat.kind == .directory {
        found.append((name, [name]))
        continue
      }
      if try stat.kind != .file || isKnown(name, stat, id, staging) {
        try Clearing.remove(name, in: staging.displaced)
        continue
      }
      let path = try state.read { try $0.path(of: id) }
      found.append((name, path.map { $0.isEmpty ? [name] : $0 } ?? [name]))
    }
    return found
  }

  private func isKnown(
    _ name: FileNameBytes, _ stat: FileStat, _ id: RecordID, _ staging: Staging
  ) throws -> Bool {
    guard stat.size > 0 else { return true }
    let file = try staging.displaced.openFile([name])
    let content = try state.zone.contentID { try file.read(into: $0) }
    return try state.zone.read { view in
      try view.hadContent(content, record: id) || view.hasContent(content)
    }
  }

  /// Removes the remains of an interrupted clearing: the folder without its mark, and our folders
  /// in it. Only empty ones are removed.
  private func removeRemains() throws {
    // The clearing was complete except for its notes, or the person removed the folder.
    guard let root = try RootCheck(state).openRootIfThere() else { return }
    guard try MountMark.marker(in: root, state.stagingName) == nil,
      try state.index.isRoot(of: state.part, FileStat.of(root))
    else { return }
    do throws(FolderError) {
      try MountMark.takeOwnFolders(from: root, folder: state.stagingName)
    } catch {
      guard error.code == .notFound else { throw error }
    }
    try MountMark.expectGone(state.disk.removeDirectory(at: state.path), state.path)
  }

  private func removeRoot(_ staging: Staging) throws {
    try staging.sweep()
    let left = try RescueShelf(state).rescuedFiles(staging)
    try RescueNotes(in: staging.notes).sweep(keeping: left.map(\.path))
    let now = try RootCheck(state).openRootIfThere().map { try FileStat.of($0) }
    let isOurs =
      if let now, let identity = state.identity { now.isSameInode(as: identity) } else { false }
    try Attachment(state).detach()
    // Another folder at the path is not ours to remove; files that could not be moved keep the
    // root.
    if isOurs { try MountMark.expectGone(state.disk.removeDirectory(at: state.path), state.path) }
  }
}
