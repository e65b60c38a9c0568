import CairnSystem
import Glibc

extension DirectoryStore {
  /// See `ObjectStore`. Anybody who may write in the folder above can create a folder first, and
  /// close it for all others.
  public func obstacle(at folder: String) throws(StoreError) -> String? {
    guard let key = ObjectKey(folder) else { return nil }
    let root = try openRoot(for: key)
    let raw = Descriptor.openBeneath(root.raw, key.folder, O_RDONLY | O_DIRECTORY)
    guard raw >= 0 else { return nil }
    let above = Descriptor(owning: raw)
    var status = cairn_stat()
    guard cairn_stat_at(above.raw, key.name, &status) == 0 else { return nil }
    let owner = self.owner(of: key) ?? "somebody"
    guard status.mode & UInt32(S_IFMT) == UInt32(S_IFDIR) else {
      return "no folder, but an entry of \(owner)'s"
    }
    let isWritable = faccessat(above.raw, key.name, W_OK | X_OK, AT_EACCESS) == 0
    return isWritable ? nil : "a folder of \(owner)'s that you can't write to"
  }

  /// See `ObjectStore`. The right to write in the folder above is enough, if that isn't sticky or
  /// is this user's own.
  public func reclaim(_ folder: String) throws(StoreError) {
    guard let key = ObjectKey(folder), try obstacle(at: folder) != nil else { return }
    let root = try openRoot(for: key)
    let raw = Descriptor.openBeneath(root.raw, key.folder, O_RDONLY | O_DIRECTORY)
    guard raw >= 0 else { throw failure(-raw, "open \(key.folder)", key) }
    let above = Descriptor(owning: raw)
    var status = cairn_stat()
    let result = cairn_stat_at(above.raw, key.name, &status)
    guard result == 0 else { throw failure(-result, "look at \(key)", key) }
    let isFolder = status.mode & UInt32(S_IFMT) == UInt32(S_IFDIR)
    if unlinkat(above.raw, key.name, isFolder ? Int32(AT_REMOVEDIR) : 0) != 0 {
      // Its owner has put something into it.
      guard renameat(above.raw, key.name, above.raw, StagedObject.randomName()) == 0 else {
        throw failure(errno, "take \(key) away", key)
      }
    }
    forgetDurable()
    try claim(folder)
  }
}
