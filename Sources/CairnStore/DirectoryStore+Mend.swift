import Glibc

extension ObjectStore {
  /// Deletes the damaged object and puts the whole one. A store that can do both at once should.
  public func mend(_ key: ObjectKey, _ bytes: [UInt8]) throws(StoreError) {
    try delete(key)
    _ = try put(key, bytes)
  }
}

extension DirectoryStore {
  /// See `ObjectStore`. A reader sees the damaged object or the whole one, never a part or none.
  public func mend(_ key: ObjectKey, _ bytes: [UInt8]) throws(StoreError) {
    let root = try openRoot(for: key)
    let modes = try SharedModes(of: root, path: self.root)
    let folder = try openFolder(key.folder, root, modes, for: key)
    var problem: Int32 = 0
    let staged = StagedObject.write(
      bytes, in: try openStaging(root, modes, for: key), mode: modes.object, problem: &problem)
    guard let staged else { throw failure(problem, "mend \(key)", key) }
    guard renameat(staged.folder.raw, staged.name, folder.raw, key.name) == 0 else {
      throw failure(errno, "mend \(key)", key)
    }
    problem = Self.syncFolder(folder.raw)
    guard problem == 0 else { throw failure(problem, "make \(key) durable", key) }
  }
}
