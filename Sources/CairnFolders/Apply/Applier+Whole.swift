import CairnPlan
import CairnZone

extension Applier {
  /// Finds the directories that can be moved aside as a whole. Called before the first step.
  func findWholeDirectories(_ steps: [FolderStep]) throws {
    whole = try WholeDirectories(steps, tree.children)
  }

  /// Returns whether a node is in the folder of replaced files, because its directory was moved
  /// there as a whole. The first node of such a directory moves it.
  func isAside(_ id: RecordID) throws -> Bool {
    guard let directory = whole.takeDirectory(with: id) else { return whole.isAside(id) }
    guard try moveAside(directory) else { return false }
    whole.noteAside(directory)
    return true
  }

  /// Moves a directory to the folder of replaced files, if it has exactly what the index has, and
  /// nobody writes to a file in it.
  /// - Returns: False if nothing was done: then its nodes are removed one by one.
  private func moveAside(_ directory: WholeDirectories.Directory) throws -> Bool {
    guard let row = try tree.row(directory.id), let place = row.local?.node.place,
      place.parent != .parked
    else { return false }
    let name = place.name.bytes
    let kept = staging.freshName(for: directory.id)
    do {
      let (parent, path) = try self.directory(of: place)
      let open = try parent.openDirectory([name])
      guard row.isSameInode(as: try FileStat.of(open)),
        var found = try contents(of: directory, in: open, asksWriters: true)
      else { return false }
      hasDisplaced = true
      try Rename.toFreeName(parent, name, staging.displaced, kept, via: nil)
      if try !isStill(row, directory, kept, &found) {
        // It goes back, unless its name is taken by now.
        if put(kept, from: staging.displaced, at: name, in: parent) { return false }
        for key in found.keys { found[key]?.content = nil }
      }
      displaced[kept] = .directory(path: path + [name], found)
    } catch is FolderError {
      return false
    } catch is AnotherDirectory {
      return false
    }
    for id in directory.nodes {
      forgetTime(of: id)
      try tree.note(.gone(id))
    }
    return true
  }

  /// Returns whether a directory in the folder of replaced files is still what it was before. The
  /// content of a file stays known only if its next change must show in its times.
  private func isStill(
    _ row: NodeRow, _ directory: WholeDirectories.Directory, _ kept: FileNameBytes,
    _ found: inout [FileNameBytes: DisplacedFiles.Inside]
  ) throws -> Bool {
    do {
      let moved = try staging.displaced.openDirectory([kept])
      let stat = try FileStat.of(moved)
      guard row.isSameInode(as: stat),
        let now = try contents(of: directory, in: moved, asksWriters: false)
      else { return false }
      for key in found.keys {
        // As for a single file: writes within one tick of the system's clock leave the same times.
        let isSettled = (now[key]?.stat.modified ?? .max) < stat.changed - 2 * .second
        if found[key]?.stat != now[key]?.stat || !isSettled { found[key]?.content = nil }
      }
      return true
    } catch is FolderError {
      return false
    }
  }

  /// Returns the files and symlinks in a directory, by their paths in it; nil unless they are the
  /// unchanged ones of the index, and nothing else is there.
  private func contents(
    of whole: WholeDirectories.Directory, in top: Descriptor, asksWriters: Bool
  ) throws -> [FileNameBytes: DisplacedFiles.Inside]? {
    let own = try FileStat.of(top)
    var found: [FileNameBytes: DisplacedFiles.Inside] = [:]
    var stack: [(id: RecordID, path: [FileNameBytes])] = [(whole.id, [])]
    while let (id, path) = stack.popLast() {
      let directory = path.isEmpty ? top : try top.openDirectory(path)
      var names = Set(try DirectoryListing.names(of: directory))
      for child in whole.contents[id] ?? [] {
        guard let row = try tree.row(child), let node = row.local?.node,
          node.kind == self.whole.expected(child)?.kind,
          names.remove(node.place.name.bytes) != nil,
          let stat = try FileStat.at(directory, node.place.name.bytes)
        else { return nil }
        let inner = path + [node.place.name.bytes]
        if stat.kind == .directory {
          guard row.isSameInode(as: stat), stat.isBeside(own) else { return nil }
          stack.append((child, inner))
          continue
        }
        guard row.isUnchanged(stat) else { return nil }
        var inside = DisplacedFiles.Inside(id: child, stat: stat)
        if asksWriters {
          let writers = try writers(of: node.place.name.bytes, in: directory, stat)
          if writers == .some { return nil }
          if writers == .none, case .file(let content) = node.kind { inside.content = content }
        }
        found[joined(inner)] = inside
      }
      guard names.isEmpty else { return nil }
    }
    return found
  }
}
