import CairnCloud
import CairnPlan
import CairnZone

extension MountEngine {
  /// Takes the folder away: files that still are exactly what was synced are removed; unsent edits,
  /// files that somebody has open for writing, ignored files, what was rescued before and whatever
  /// else stands there are moved, with their paths, to the folder at that absolute path. Then the
  /// directories, the mark and the root go. A folder that is gone already is none to clear.
  /// - Returns: what was moved; `report` has the problems.
  public func clear(into folder: [UInt8]) throws -> [MovedAway] {
    if root == nil {
      do { try attach() } catch let error as FolderError {
        guard error.code == .notFound || error.code == .detached else { throw error }
        // A failure that has passed by now: it wasn't gone.
        if let there = try openRootIfThere(),
          try Self.marker(in: there, stagingName) == Array(part.description.utf8)
        {
          throw error
        }
        if error.code == .detached { try removeRemains() }
        return []
      }
    }
    guard let root, let staging, let scanner, let identity, try !isRootGone() else { return [] }
    try finishPortion()
    // The folder around a single file is the person's own, and the file with it.
    guard scope.only == nil else { return [] }
    let rescue = RescueFolder(path: folder, on: disk)
    let displaced = try displacedFiles(staging)
    let (moved, problems) = try index.read(mount) { tree in
      let clearing = Clearing(
        root: root, device: identity.device, tree: tree, rescue: rescue,
        offLimits: scanner.offLimits)
      for (name, place) in displaced { try clearing.move(name, from: staging.kept, place) }
      try clearing.clear(.parked, at: Staging.parkedPath)
      try clearing.moveAll(in: staging.rescue)
      try clearing.clear(.root, at: [])
      return (clearing.moved, clearing.problems)
    }
    report.add(problems)
    try removeRoot(staging)
    return moved
  }

  /// The displaced files whose bytes the zone doesn't have, with the paths that they belong to; the
  /// others are removed.
  private func displacedFiles(
    _ staging: Staging
  ) throws -> [(FileNameBytes, [FileNameBytes])] {
    var found: [(FileNameBytes, [FileNameBytes])] = []
    for name in try DirectoryListing.names(of: staging.kept) {
      guard let stat = try FileStat.at(staging.kept, name) else { continue }
      let id = Staging.record(of: name) ?? .root
      if try stat.kind != .file || isKnown(name, stat, id, staging) {
        try Clearing.remove(name, in: staging.kept)
        continue
      }
      let path = try index.read(mount) { try $0.path(of: id) }
      found.append((name, path.map { $0.isEmpty ? [name] : $0 } ?? [name]))
    }
    return found
  }

  private func isKnown(
    _ name: FileNameBytes, _ stat: FileStat, _ id: RecordID, _ staging: Staging
  ) throws -> Bool {
    guard stat.size > 0 else { return true }
    let file = try staging.kept.openFile([name])
    let content = try zone.contentID { try Self.fill($0, from: file) }
    return try zone.read { view in
      try view.hadContent(content, record: id) || view.hasContent(content)
    }
  }

  /// Takes away what an interrupted clearing left: the folder itself without its mark, and folders
  /// of ours in it. Only what is empty goes.
  private func removeRemains() throws {
    // The clearing had come to its end but for what is noted of it, or the person took it away.
    guard let root = try openRootIfThere() else { return }
    guard try Self.marker(in: root, stagingName) == nil,
      try index.isRoot(of: part, FileStat.of(root))
    else { return }
    do throws(FolderError) {
      try Self.takeOwnFolders(from: root, folder: stagingName)
    } catch {
      guard error.code == .notFound else { throw error }
    }
    try Self.expectGone(disk.removeDirectory(at: path), path)
  }

  private func removeRoot(_ staging: Staging) throws {
    try staging.sweep()
    let left = try rescuedFiles(staging)
    try RescueNotes(in: staging.notes).sweep(keeping: left.map(\.path))
    let now = try openRootIfThere().map { try FileStat.of($0) }
    let isOurs = if let now, let identity { now.isSameInode(as: identity) } else { false }
    try detach()
    // Another folder at the path isn't ours to remove; what couldn't be moved keeps the root.
    if isOurs { try Self.expectGone(disk.removeDirectory(at: path), path) }
  }

  /// The folder at the path; nil if there is none.
  func openRootIfThere() throws(FolderError) -> Descriptor? {
    do throws(FolderError) { return try Descriptor.openRoot(path, on: disk) } catch {
      guard error.code == .notFound else { throw error }
      return nil
    }
  }
}
