extension ObjectStore {
  /// Nothing: what a store does whose folders are only names.
  public func claim(_ folder: String) throws(StoreError) {}

  /// Nothing: what a store does that notifies its followers, or lets them look by themselves.
  public func agree(on tag: UInt32, for folder: String) {}

  /// The store itself.
  public func part(_ name: String) -> any ObjectStore { self }

  /// What a store does that can only list objects: one call for each folder.
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
      // "0" comes right behind "/": whatever the folder holds stands before it.
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
