import CairnIdentity
import CairnPlan
import CairnZone

/// Clears a mirrored folder whose person has lost access to its zone: files that equal the zone are
/// deleted, all others are moved to a rescue folder. It must not know the reason.
final class Clearing {
  let root: Descriptor
  let device: UInt64
  let tree: FolderTree
  let rescue: RescueFolder
  /// The places that stay.
  let offLimits: OffLimits
  /// True if files that the zone has are moved, too, and nothing is removed.
  let keepsFiles: Bool
  /// The moved files.
  private(set) var moved: [MovedAway] = []
  /// The entries that could be neither removed nor moved.
  private(set) var problems: [PathProblem] = []
  private var directories: [[FileNameBytes]] = []
  /// Directories with contents that are not ours to remove.
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

  /// Clears everything at or below the place of a directory's nodes, and then the directories.
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

  /// Returns whether it is a directory of the zone, whose contents are checked individually.
  private func isKnownDirectory(_ row: NodeRow, _ stat: FileStat) -> Bool {
    stat.kind == .directory && stat.device == device && row.synced?.isDirectory == true
      && row.isSameInode(as: stat)
  }

  /// Returns whether a folder mirrors another zone with a mount of its own, or is never mirrored:
  /// it stays.
  private func isOtherMount(
    _ name: FileNameBytes, in directory: Descriptor, _ stat: FileStat?
  ) throws -> Bool {
    guard let stat, stat.kind == .directory else { return false }
    if try offLimits.reason(of: name, stat, in: directory) != nil { return true }
    return try MountMark.marker(in: directory.openDirectory([name])) != nil
  }

  /// Moves the remaining contents of a directory; false if something must stay in it.
  private func moveRest(of path: [FileNameBytes], in directory: Descriptor) throws -> Bool {
    var isEmpty = true
    for name in try DirectoryListing.names(of: directory)
    where !(path.isEmpty && name == Staging.folder) {
      let stat = try FileStat.at(directory, name)
      // The remaining directories stay because of their contents.
      if try isOtherMount(name, in: directory, stat) || stays.contains(path + [name]) {
        stays.insert(path)
        isEmpty = false
      } else {
        try move(name, from: directory, path + [name])
      }
    }
    return isEmpty
  }

  /// Returns whether the entry is in the synced state, and nobody is about to change it.
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

  /// Removes directories, the deepest first, without the topmost. Files that appeared meanwhile are
  /// moved, too.
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
    // Files that arrived while the rest was removed.
    try attempt(top) { _ = try moveRest(of: top, in: root.openDirectory(top)) }
  }

  /// One thing in trouble stops one thing; a missing file needs nothing.
  @discardableResult
  private func attempt<Result>(
    _ path: [FileNameBytes], _ body: () throws -> Result
  ) throws -> Result? {
    do { return try body() } catch let error as FolderError {
      if error.code != .notFound {
        problems.append(
          PathProblem(
            path: joined(path), code: .permissionFailure, message: error.reason,
            remedy: "it stays where it is; move it yourself"))
      }
      return nil
    }
  }
}
