import CairnSystem
import Glibc

extension ObjectStore {
  /// Does nothing: keys of this store need no folders.
  public func prune(_ prefix: String) throws(StoreError) {}
}

extension DirectoryStore {
  /// See `ObjectStore`. Objects that others put meanwhile stay, with their folders.
  public func prune(_ prefix: String) throws(StoreError) {
    let path = try FolderPath(prefix)
    guard let name = path.components.last else { return }
    let root = try openRoot()
    let above = path.path(depth: path.components.count - 1)
    let raw = Descriptor.openBeneath(root.raw, above, O_RDONLY | O_DIRECTORY)
    if raw == -ENOENT || raw == -ENOTDIR { return }
    guard raw >= 0 else { throw failure(-raw, "tidy \(prefix)", nil) }
    forgetDurable()
    Self.removeEmpty(name, in: Descriptor(owning: raw))
  }

  private static func removeEmpty(_ name: String, in folder: borrowing Descriptor) {
    let raw = Descriptor.openBeneath(folder.raw, name, O_RDONLY | O_DIRECTORY)
    guard raw >= 0 else { return }
    let inner = Descriptor(owning: raw)
    var entries: [FolderEntry] = []
    // An unreadable folder may have contents; then the removal below fails, too.
    _ = FolderEntry.read(inner.raw, into: &entries)
    for entry in entries where entry.kind == .folder { removeEmpty(entry.name, in: inner) }
    _ = unlinkat(folder.raw, name, AT_REMOVEDIR)
  }
}
