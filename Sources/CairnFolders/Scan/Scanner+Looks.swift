import CairnPlan
import CairnZone

extension Scanner {
  /// Turns the paths of hints into looks; a path whose directories aren't known yet becomes a look
  /// at the first unknown one.
  func looks(at paths: [[UInt8]]) throws -> [Look] {
    if let only {
      return paths.contains(only.name.bytes)
        ? [.entry(parent: .root, path: [], name: only.name)] : []
    }
    return try index.read(mount) { tree in
      var looks: Set<Look> = []
      // Most hints of a moment are about few directories.
      var folders: [ArraySlice<UInt8>: RecordID] = [:]
      for path in paths {
        guard let look = try self.look(at: path, in: tree, &folders) else { continue }
        looks.insert(look)
        guard case .entry(let parent, let names, let name) = look else { continue }
        if joined(names + [name.bytes]) != path { unresolved.insert(Unresolved(path, look)) }
        // Other rules: what was ignored may be mirrored now.
        if name.bytes == Array(IgnoreMatcher.fileName.utf8) {
          looks.formUnion(try everything(from: parent, names, in: tree))
        }
      }
      return Array(looks)
    }
  }

  /// A full list of the directory at `path` and of all below; of the whole folder for "". Who
  /// watches them began with all of them just now: what came into one before that, but after it
  /// was last looked at, nobody else says.
  func lists(at path: [UInt8]) throws -> [Look] {
    if only != nil { return path.isEmpty ? try everything() : try looks(at: [path]) }
    return try index.read(mount) { tree in
      guard !path.isEmpty else { return try everything(from: .root, [], in: tree) }
      guard let look = try self.look(at: path, in: tree) else { return [] }
      guard case .entry(let parent, let names, let name) = look,
        let row = try tree.directory(at: Place(parent: parent, name: name))
      else {
        unresolved.insert(Unresolved(path, look, isList: true))
        return [look]
      }
      return try [look] + everything(from: row.id, names + [name.bytes], in: tree)
    }
  }

  /// Looks at the directory at `path` and at every one below it that the index knows.
  func everything(below path: [UInt8]) throws -> [Look] {
    guard only == nil else { return [] }
    return try index.read(mount) { tree in
      guard case .entry(let parent, let names, let name)? = try self.look(at: path, in: tree),
        let row = try tree.directory(at: Place(parent: parent, name: name))
      else { return [] }
      return try everything(from: row.id, names + [name.bytes], in: tree)
    }
  }

  /// Looks at every directory that the index knows, and so at the whole folder.
  func everything() throws -> [Look] {
    if let only { return [.entry(parent: .root, path: [], name: only.name)] }
    return try index.read(mount) { try everything(from: .root, [], in: $0) }
  }

  private func everything(
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

  private func look(at path: [UInt8], in tree: FolderTree) throws -> Look? {
    var folders: [ArraySlice<UInt8>: RecordID] = [:]
    return try look(at: path, in: tree, &folders)
  }

  /// `folders` are the directories that were found on the way, by their paths.
  private func look(
    at path: [UInt8], in tree: FolderTree, _ folders: inout [ArraySlice<UInt8>: RecordID]
  ) throws -> Look? {
    let names = path.split(separator: UInt8(ascii: "/")).map { Array($0) }
    guard names.first != Staging.folder, let last = names.last else { return nil }
    let above = path.dropLast(last.count + 1)
    if let parent = folders[above], let name = FileName(last) {
      return .entry(parent: parent, path: names.dropLast(), name: name)
    }
    var parent = RecordID.root
    for (depth, bytes) in names.enumerated() {
      guard let name = FileName(bytes) else { return nil }
      guard depth < names.count - 1 else {
        folders[above] = parent
        return .entry(parent: parent, path: names.dropLast(), name: name)
      }
      guard let known = try tree.directory(at: Place(parent: parent, name: name)) else {
        return .entry(parent: parent, path: Array(names.prefix(depth)), name: name)
      }
      parent = known.id
    }
    return nil
  }
}
