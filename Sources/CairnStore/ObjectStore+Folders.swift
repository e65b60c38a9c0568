extension ObjectStore {
  /// Does nothing: for stores with folders that are only names.
  public func claim(_ folder: String) throws(StoreError) {}

  /// Always nil, for stores without folders.
  public func obstacle(at folder: String) throws(StoreError) -> String? { nil }

  /// Does nothing, for stores without folders.
  public func reclaim(_ folder: String) throws(StoreError) {}

  /// Does nothing: for stores that notify followers, or whose followers check by themselves.
  public func agree(on tag: UInt32, for folder: String) {}

  /// The store itself.
  public func part(_ name: String) -> any ObjectStore { self }

  /// Lists folders with one call for each, for stores that can only list objects.
  public func folders(in prefix: String) throws(StoreError) -> [String] {
    var names: [String] = []
    var after: ObjectKey?
    while let key = try list(prefix, after: after, limit: 1).first {
      let rest = key.description.dropFirst(prefix.count)
      guard let slash = rest.firstIndex(of: "/") else {
        after = key
        continue
      }
      let name = String(rest[..<slash])
      if names.last != name { names.append(name) }
      // "0" directly follows "/", so everything in the folder sorts before it.
      after = ObjectKey(prefix + name + "0") ?? key
    }
    return names.sorted()
  }
}

extension DirectoryStore {
  /// See `ObjectStore`.
  public func claim(_ folder: String) throws(StoreError) {
    guard let key = ObjectKey(folder) else {
      throw StoreError(code: .unsupported, cause: "“\(folder)” is no folder of objects.")
    }
    let root = try openRoot(for: key)
    _ = try openFolder(folder, root, try SharedModes(of: root, path: self.root), for: key)
  }
}
