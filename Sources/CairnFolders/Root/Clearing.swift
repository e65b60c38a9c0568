import CairnPlan
import CairnZone

/// Takes a mirrored folder away whose person has no business in its zone any more: what still is
/// exactly what the zone has goes, all else is moved to a rescue folder. It must not know why.
final class Clearing {
  let root: Descriptor
  let device: UInt64
  let tree: FolderTree
  let rescue: RescueFolder
  /// What stays where it is.
  let offLimits: OffLimits
  /// True if files that the zone has are moved, too, and nothing is removed.
  let keepsFiles: Bool
  /// What was moved.
  private(set) var moved: [MovedAway] = []
  /// What could be neither removed nor moved.
  private(set) var problems: [Problem] = []
  private var directories: [[FileNameBytes]] = []
  /// Directories with something in them that isn't ours to take away.
  private var stays: Set<[FileNameBytes]> = []

  init(
    root: Descriptor, device: UInt64, tree: FolderTree, rescue: RescueFolder, offLimits: OffLimits,
    keepsFiles: Bool
  ) {
    self.keepsFiles = keepsFiles
    self.offLimits = offLimits
    self.root = root
    self.device = device
    self.tree = tree
    self.rescue = rescue
  }

  /// Clears everything at or below the place where the nodes of a directory stand, and then the
  /// directories.
  func clear(_ top: RecordID, at path: [FileNameBytes]) throws {
    var stack = [(top, path)]
    while let (id, path) = stack.popLast() {
      directories.append(path)
      let isParked = id == .parked
      var known: [FileNameBytes: NodeRow] = [:]
      for row in try tree.children(of: id) {
        guard let name = row.local?.node.place.name.bytes else { continue }
        known[isParked ? Staging.parkedName(row.id) : name] = row
      }
      guard let directory = try attempt(path, { try root.openDirectory(path) }),
        let names = try attempt(path, { try DirectoryListing.names(of: directory) })
      else { continue }
      for name in names where !(path.isEmpty && name == Staging.folder) {
        let full = path + [name]
        try attempt(full) {
          guard let stat = try FileStat.at(directory, name) else { return }
          let row = known[name]
          if let row, isKnownDirectory(row, stat) {
            stack.append((row.id, full))
          } else if !keepsFiles, let row, try isMirrored(row, stat, directory, name) {
            try Self.remove(name, in: directory)
          } else if try !isOtherMount(name, in: directory, stat) {
            let place = isParked ? [row?.local?.node.place.name.bytes ?? name] : full
            try move(name, from: directory, place)
          }
        }
      }
    }
    try removeDirectories(below: path)
  }

  /// Moves everything in a folder of Cairn's own.
  func moveAll(in folder: Descriptor) throws {
    for name in try DirectoryListing.names(of: folder) {
      try attempt([name]) { try move(name, from: folder, [name]) }
    }
  }

  /// Moves one entry to the rescue folder, under that path.
  func move(
    _ name: FileNameBytes, from directory: Descriptor, _ place: [FileNameBytes]
  ) throws {
    let path = try rescue.take(name, from: directory, as: place)
    moved.append(MovedAway(of: joined(place), path: path))
  }

  static func remove(_ name: FileNameBytes, in directory: Descriptor) throws(FolderError) {
    do throws(FolderError) { try directory.remove(name) } catch {
      guard error.code == .notFound else { throw error }
    }
  }

  /// A directory that the zone has: what is in it is looked at one by one.
  private func isKnownDirectory(_ row: NodeRow, _ stat: FileStat) -> Bool {
    stat.kind == .directory && stat.device == device && row.synced?.isDirectory == true
      && row.isSameInode(as: stat)
  }

  /// A folder that mirrors something else, and has a mount of its own, or that is never mirrored:
  /// it stays.
  private func isOtherMount(
    _ name: FileNameBytes, in directory: Descriptor, _ stat: FileStat?
  ) throws -> Bool {
    guard let stat, stat.kind == .directory else { return false }
    if try offLimits.reason(of: name, stat, in: directory) != nil { return true }
    return try MountMark.marker(in: directory.openDirectory([name])) != nil
  }

  /// Moves what still stands in a directory; false if something has to stay in it.
  private func moveRest(of path: [FileNameBytes], in directory: Descriptor) throws -> Bool {
    var isEmpty = true
    for name in try DirectoryListing.names(of: directory)
    where !(path.isEmpty && name == Staging.folder) {
      let stat = try FileStat.at(directory, name)
      // Directories stand here only because something in them stays.
      if try isOtherMount(name, in: directory, stat) || stays.contains(path + [name]) {
        stays.insert(path)
        isEmpty = false
      } else {
        try move(name, from: directory, path + [name])
      }
    }
    return isEmpty
  }

  /// Whether the entry is what both sides agreed on, and nobody is about to change it.
  private func isMirrored(
    _ row: NodeRow, _ stat: FileStat, _ directory: Descriptor, _ name: FileNameBytes
  ) throws -> Bool {
    guard let local = row.local, local.node.kind == row.synced?.kind else { return false }
    switch local.node.kind {
    case .directory, .file(nil): return false
    case .symlink(let target):
      return try stat.kind == .symlink
        && DirectoryListing.target(in: directory, name) == target
    case .file:
      guard row.isUnchanged(stat) else { return false }
      do throws(FolderError) {
        let file = try directory.openFile([name])
        return !file.isOpenForWriting
      } catch {
        guard error.code == .denied else { throw error }
        return true
      }
    }
  }

  /// The deepest first, and not the topmost itself. What appeared in one meanwhile is moved, too.
  private func removeDirectories(below top: [FileNameBytes]) throws {
    for path in directories.reversed() where path != top {
      guard let name = path.last else { continue }
      try attempt(path) {
        let parent = try root.openDirectory(Array(path.dropLast()))
        for _ in 0..<3 {
          do throws(FolderError) { return try parent.removeDirectory(name) } catch {
            guard error.code == .notEmpty else { throw error }
          }
          guard try moveRest(of: path, in: parent.openDirectory([name])) else { return }
        }
      }
    }
    directories = []
    // Whatever came while the rest went.
    try attempt(top) { _ = try moveRest(of: top, in: root.openDirectory(top)) }
  }

  /// One thing in trouble stops one thing; what is gone needs nothing.
  @discardableResult
  private func attempt<Result>(
    _ path: [FileNameBytes], _ body: () throws -> Result
  ) throws -> Result? {
    do { return try body() } catch let error as FolderError {
      if error.code != .notFound {
        problems.append(
          Problem(
            path: joined(path), code: "permissionFailure", message: error.reason,
            remedy: "it stays where it is; move it yourself"))
      }
      return nil
    }
  }
}
