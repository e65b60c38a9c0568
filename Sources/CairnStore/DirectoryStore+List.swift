import Glibc

extension DirectoryStore {
  /// See `ObjectStore`. Reads only folders that may contain an answer. Memory follows the largest
  /// folder and the answer. Symlinks and names that are no keys are skipped. A folder that somebody
  /// closed is skipped, and hides nothing else.
  public func list(
    _ prefix: String, after: ObjectKey?, limit: Int
  ) throws(StoreError) -> [ObjectKey] {
    precondition(limit >= 0, "A limit is a count.")
    let root = try openRoot()
    let folder = prefix.lastIndex(of: "/").map { String(prefix[..<$0]) } ?? ""
    guard folder.isEmpty || ObjectKey(folder) != nil, limit > 0 else { return [] }
    let raw = Descriptor.openBeneath(root.raw, folder, O_RDONLY | O_DIRECTORY)
    if raw == -ENOENT || raw == -ENOTDIR { return [] }
    guard raw >= 0 else { throw failure(-raw, "list \(prefix)", nil) }
    var walk = Walk(prefix: prefix, after: after?.description, limit: limit, root: self.root)
    try walk.visit(Descriptor(owning: raw), path: folder.isEmpty ? "" : folder + "/")
    return walk.keys
  }

  /// See `ObjectStore`. Symlinks and names that cannot be part of a key are skipped.
  public func folders(in prefix: String) throws(StoreError) -> [String] {
    let root = try openRoot()
    let folder = prefix.hasSuffix("/") ? String(prefix.dropLast()) : prefix
    guard folder.isEmpty || ObjectKey(folder) != nil else { return [] }
    let raw = Descriptor.openBeneath(root.raw, folder, O_RDONLY | O_DIRECTORY)
    if raw == -ENOENT || raw == -ENOTDIR { return [] }
    guard raw >= 0 else { throw failure(-raw, "list \(prefix)", nil) }
    let opened = Descriptor(owning: raw)
    var entries: [FolderEntry] = []
    let problem = FolderEntry.read(opened.raw, into: &entries)
    guard problem == 0 || problem == ENOENT else {
      throw failure(problem, "list \(prefix)", nil)
    }
    return entries.filter { $0.kind == .folder && ObjectKey.isComponent($0.name.utf8) }
      .map(\.name).sorted()
  }

  /// A walk in the order of keys: a folder sorts like its name with a "/".
  private struct Walk {
    let prefix: String
    let after: String?
    let limit: Int
    let root: String
    var keys: [ObjectKey] = []

    mutating func visit(_ folder: consuming Descriptor, path: String) throws(StoreError) {
      var entries: [FolderEntry] = []
      let problem = FolderEntry.read(folder.raw, into: &entries)
      // ENOENT: it was removed meanwhile.
      guard problem == 0 || problem == ENOENT else {
        throw .system(problem, "list \(path)", root: root)
      }
      for (text, kind) in wanted(entries, path: path) {
        if keys.count >= limit { return }
        guard kind == .folder else {
          if let key = ObjectKey(text) { keys.append(key) }
          continue
        }
        let name = String(text.dropFirst(path.count).dropLast())
        let raw = Descriptor.openBeneath(folder.raw, name, O_RDONLY | O_DIRECTORY)
        // EACCES: anybody may have created it, also in a folder for objects.
        if [-ENOENT, -ENOTDIR, -ELOOP, -EACCES].contains(raw) { continue }
        guard raw >= 0 else { throw .system(-raw, "list \(text)", root: root) }
        try visit(Descriptor(owning: raw), path: text)
      }
    }

    private func wanted(
      _ entries: [FolderEntry], path: String
    ) -> [(text: String, kind: FolderEntry.Kind)] {
      var found: [(text: String, kind: FolderEntry.Kind)] = []
      for entry in entries where ObjectKey.isComponent(entry.name.utf8) {
        guard ObjectKey(path + entry.name) != nil else { continue }
        let text = path + entry.name + (entry.kind == .folder ? "/" : "")
        guard text.hasPrefix(prefix), isAhead(text, entry.kind) else { continue }
        found.append((text, entry.kind))
      }
      return found.sorted { $0.text < $1.text }
    }

    private func isAhead(_ text: String, _ kind: FolderEntry.Kind) -> Bool {
      switch kind {
      case .other: return false
      case .file: return after.map { $0 < text } ?? true
      case .folder: return after.map { $0 < text || $0.hasPrefix(text) } ?? true
      }
    }
  }
}
