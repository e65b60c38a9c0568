import CairnIdentity
import CairnPlan
import CairnZone

/// The entries that rules keep out. Those that this device's own rules hide may be in the index:
/// then it forgets them. A hidden file is neither an edit nor a deletion, and the zone's record of
/// it isn't selected.
extension Scanner {
  /// The largest number of names in hidden directories that are compared with missing entries.
  private static let mostNames = 200_000

  /// Returns whether an entry isn't mirrored: because of a rule, because it is on another file
  /// system, or because its path is too long.
  func isLeftOut(
    _ stat: FileStat, at place: Place, _ path: [FileNameBytes], isKnown: Bool,
    _ report: inout Report
  ) throws -> Bool {
    let name = place.name
    // Rules apply to entries that aren't mirrored yet: a new rule must not look like a deletion.
    if isKnown, stat.kind != .other {
      // A rule of this device's own applies at once, and deletes nothing for others.
      if ignores.hides(path, name, stat), try !isAboveOther(place, stat) {
        ignored.see(name, try ignores.rule(ignoring: name, in: path, stat))
        ignored.newlyHidden.insert(place)
        return true
      }
    } else if try ignores.isIgnored(path, name, stat) {
      ignored.see(name, try ignores.rule(ignoring: name, in: path, stat))
      return true
    }
    if stat.kind == .other {
      report.problems.append(
        PathProblem(
          path: joined(path + [name.bytes]), code: nil,
          message: "sockets, FIFOs and devices aren't mirrored", remedy: "nothing to do"))
    } else if !stat.isBeside(rootStat) {
      report.problems.append(
        PathProblem(
          path: joined(path + [name.bytes]), code: nil,
          message: "another file system is mounted here; it isn't mirrored",
          remedy: "mirror it with `cairn add` as a folder of its own"))
      return true
    } else if !isKnown, stat.kind == .directory,
      path.reduce(name.bytes.count + 1, { $0 + $1.count + 1 }) > longestPath
    {
      report.problems.append(
        PathProblem(
          path: joined(path + [name.bytes]), code: .constraintViolation,
          message: "its path is so long that programs can't open files in it; it isn't mirrored",
          remedy: "move it up, or shorten the names of the folders around it"))
      return true
    }
    return false
  }

  /// Finds the directories that lead to the folders of other mounts.
  func findAboveOthers() throws {
    ignored.aboveOthers = []
    guard ignores.local != nil, !leftOut.isEmpty else { return }
    try index.read(mount) { tree in
      for place in leftOut {
        var next: RecordID? = place.parent
        while let id = next, id != .root, ignored.aboveOthers.insert(id).inserted {
          next = try tree.node(id)?.local?.node.place.parent
        }
      }
    }
  }

  /// Returns whether an entry of the index is a directory that leads to another mount's folder.
  func isAboveOther(_ place: Place, _ stat: FileStat) throws -> Bool {
    guard stat.kind == .directory, !ignored.aboveOthers.isEmpty else { return false }
    return try index.read(mount) { tree in
      try tree.nodes(at: place).contains { ignored.aboveOthers.contains($0.id) }
    }
  }

  /// Has the index forget the entries that were seen to be hidden now.
  func hide(in tree: FolderTree) throws {
    for place in ignored.newlyHidden {
      for row in try tree.nodes(at: place) { try tree.lose(row.id) }
    }
    ignored.newlyHidden = []
  }

  /// Returns those missing entries that their person renamed to a hidden name, or moved into a
  /// hidden directory: they come again under their former names, and nobody deleted them.
  func hidden(
    of missing: Set<RecordID>, in root: Descriptor, _ tree: FolderTree
  ) throws -> Set<RecordID> {
    guard ignores.local != nil else { return [] }
    var wanted: [UInt64: NodeRow] = [:]
    for id in missing {
      if let row = try tree.node(id), let local = row.local, local.inode != 0 {
        wanted[local.inode] = row
      }
    }
    var found: Set<RecordID> = []
    var budget = Self.mostNames
    var stack: [[FileNameBytes]] = []
    func look(_ name: FileNameBytes, in directory: Descriptor, _ path: [FileNameBytes]) throws {
      guard let stat = try FileStat.at(directory, name) else { return }
      if let row = wanted[stat.inode], row.isSameInode(as: stat) { found.insert(row.id) }
      if stat.kind == .directory { stack.append(path + [name]) }
    }
    var places = try tree.ignored.places(hiddenBy: LocalRules.fileName)
    if let own = FileName(LocalRules.fileName) { places.append(Place(parent: .root, name: own)) }
    for place in places where !wanted.isEmpty {
      guard let path = try tree.path(of: place.parent) else { continue }
      try unlessGone { try look(place.name.bytes, in: root.openDirectory(path), path) }
    }
    while let path = stack.popLast(), budget > 0, found.count < wanted.count {
      try unlessGone {
        let directory = try root.openDirectory(path)
        for name in try DirectoryListing.names(of: directory) where budget > 0 {
          budget -= 1
          try look(name, in: directory, path)
        }
      }
    }
    return found
  }

  /// Calls `body`. What can't be read has nothing that is known to be hidden.
  private func unlessGone(_ body: () throws -> Void) throws {
    do { try body() } catch is FolderError {}
  }
}
