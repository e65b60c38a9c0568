import CairnPlan
import CairnZone

extension Scanner {
  /// Turns hints into looks. A path with unknown directories becomes a look at the first of these.
  /// The path's present directory and the intended directory may differ, if directories exchanged
  /// their names; then the scanner looks at both.
  func looks(at hints: [FolderHint]) throws -> [Look] {
    if let only {
      return hints.contains { $0.path == only.name.bytes }
        ? [.entry(parent: .root, path: [], name: only.name)] : []
    }
    guard !hints.isEmpty else { return [] }
    return try index.read(mount) { tree in
      var looks: Set<Look> = []
      // Most hints of one moment are about few directories.
      var folders: [ArraySlice<UInt8>: RecordID] = [:]
      var meant: [UInt64: [Look]] = [:]
      for hint in hints {
        guard let look = try self.look(at: hint.path, in: tree, &folders) else { continue }
        if joined(look.path + [look.name?.bytes ?? []]) != hint.path {
          unresolved.insert(Unresolved(hint.path, look))
        }
        for look in try [look] + self.meant(by: hint, in: tree, &meant) {
          looks.insert(look)
          // The rules changed: an ignored entry may be mirrored now.
          let isLocal = look.name?.bytes == LocalRules.fileName
          if isLocal || look.name?.bytes == Array(IgnoreMatcher.fileName.utf8) {
            looks.formUnion(try Self.everything(from: look.directory, look.path, in: tree))
          }
        }
      }
      return Array(looks)
    }
  }

  /// Returns looks at the entry in the directories that had the hint's inode when last seen, and
  /// thus at their present paths. `lists` has them by that inode.
  private func meant(
    by hint: FolderHint, in tree: FolderTree, _ lists: inout [UInt64: [Look]]
  ) throws -> [Look] {
    guard let last = hint.path.split(separator: UInt8(ascii: "/")).last,
      let name = FileName(Array(last))
    else { return [] }
    let found = try lists[hint.directory] ?? directories(hint.directory, in: tree)
    lists[hint.directory] = found
    return found.map { .entry(parent: $0.directory, path: $0.path, name: name) }
  }

  /// Returns lists of the directories that have this inode; 0 belongs to none.
  private func directories(_ inode: UInt64, in tree: FolderTree) throws -> [Look] {
    guard inode != 0 else { return [] }
    return try tree.nodes(inode: inode).compactMap { row in
      guard row.local?.node.isDirectory == true else { return nil }
      return try tree.path(of: row.id).map { .list(row.id, path: $0) }
    }
  }

  /// Returns full lists of the directories that the hints mean, and of all below, if they are known
  /// at other paths than those of the hints.
  func lists(of hints: Set<FolderHint>) throws -> [Look] {
    guard only == nil, !hints.isEmpty else { return [] }
    return try index.read(mount) { tree in
      try hints.flatMap { hint in
        try directories(hint.directory, in: tree).flatMap { directory in
          joined(directory.path) == hint.path
            ? [] : try Self.everything(from: directory.directory, directory.path, in: tree)
        }
      }
    }
  }

  /// Returns a full list of the directory at `path` and of all below; of the whole folder for "".
  /// The watch program just began to watch them: it reports nothing that came before that, and
  /// after the last look.
  func lists(at path: [UInt8]) throws -> [Look] {
    if only != nil { return path.isEmpty ? try everything() : try looks(at: [FolderHint(path)]) }
    return try index.read(mount) { tree in
      guard !path.isEmpty else { return try Self.everything(from: .root, [], in: tree) }
      guard let look = try self.look(at: path, in: tree) else { return [] }
      guard case .entry(let parent, let names, let name) = look,
        let row = try tree.directory(at: Place(parent: parent, name: name))
      else {
        unresolved.insert(Unresolved(path, look, isList: true))
        return [look]
      }
      return try [look] + Self.everything(from: row.id, names + [name.bytes], in: tree)
    }
  }

  /// Returns looks at the directory at `path` and at every known directory below it.
  func everything(below path: [UInt8]) throws -> [Look] {
    guard only == nil else { return [] }
    return try index.read(mount) { tree in
      guard case .entry(let parent, let names, let name)? = try self.look(at: path, in: tree),
        let row = try tree.directory(at: Place(parent: parent, name: name))
      else { return [] }
      return try Self.everything(from: row.id, names + [name.bytes], in: tree)
    }
  }

  /// Returns looks at every known directory, and thus at the whole folder.
  func everything() throws -> [Look] {
    if let only { return [.entry(parent: .root, path: [], name: only.name)] }
    return try index.read(mount) { try Self.everything(from: .root, [], in: $0) }
  }

  /// Returns looks at a directory and at every known directory below it.
  static func everything(
    from top: RecordID, _ path: [FileNameBytes], in tree: FolderTree
  ) throws -> [Look] {
    var looks: [Look] = []
    var stack = [(top, path)]
    while let (id, path) = stack.popLast() {
      looks.append(.list(id, path: path))
      for directory in try tree.directories(in: id) {
        stack.append((directory.id, path + [directory.name]))
      }
    }
    return looks
  }

  /// Returns whether the index has no row with this id any more.
  func isForgotten(_ id: RecordID) throws -> Bool {
    try id != .root && index.read(mount) { try $0.node(id) } == nil
  }

  /// Returns looks at the same names whose directory is found by its path.
  func looksByPath(instead look: Look) throws -> [Look] {
    guard let name = look.name else { return try lists(at: joined(look.path)) }
    return try looks(at: [FolderHint(joined(look.path + [name.bytes]))])
  }

  private func look(at path: [UInt8], in tree: FolderTree) throws -> Look? {
    var folders: [ArraySlice<UInt8>: RecordID] = [:]
    return try look(at: path, in: tree, &folders)
  }

  /// Returns the look for a path. `folders` has the directories that were found on the way, by
  /// path.
  private func look(
    at path: [UInt8], in tree: FolderTree, _ folders: inout [ArraySlice<UInt8>: RecordID]
  ) throws -> Look? {
    let names = path.split(separator: UInt8(ascii: "/")).map { Array($0) }
    guard names.first != Staging.folder, let last = names.last else { return nil }
    // The deepest known directory on the way: that of the entry, or that above it, for most hints.
    var depth = names.count - 1
    var above = path.dropLast(last.count + 1)
    while depth > 0, folders[above] == nil {
      depth -= 1
      above = above.dropLast(names[depth].count + 1)
    }
    var parent = folders[above] ?? .root
    while depth < names.count - 1 {
      guard let name = FileName(names[depth]) else { return nil }
      guard let known = try tree.directory(at: Place(parent: parent, name: name)) else {
        return .entry(parent: parent, path: Array(names.prefix(depth)), name: name)
      }
      above = path[..<(above.endIndex + (depth > 0 ? 1 : 0) + names[depth].count)]
      depth += 1
      parent = known.id
      folders[above] = parent
    }
    return FileName(last).map { .entry(parent: parent, path: names.dropLast(), name: $0) }
  }
}
