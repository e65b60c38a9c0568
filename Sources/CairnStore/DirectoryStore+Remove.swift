import CairnSystem
import Glibc

extension ObjectStore {
  /// Compares, then removes. A store that can do both at once should.
  public func remove(
    _ key: ObjectKey, ifIts bytes: [UInt8]?, upTo limit: Int
  ) throws(StoreError) {
    guard let bytes else { return try delete(key) }
    if try get(key, range: 0..<limit + 1) == bytes { try delete(key) }
  }
}

extension DirectoryStore {
  /// See `ObjectStore`. The object is first moved aside and compared there. An object that somebody
  /// else put under the key meanwhile is put back.
  public func remove(
    _ key: ObjectKey, ifIts bytes: [UInt8]?, upTo limit: Int
  ) throws(StoreError) {
    let root = try openRoot(for: key)
    let modes = try SharedModes(of: root, path: self.root)
    let folder = try openFolder(key.folder, root, modes, for: key)
    let staging = try openStaging(root, modes, for: key)
    let name = StagedObject.randomName()
    guard renameat(folder.raw, key.name, staging.raw, name) == 0 else {
      if errno == ENOENT { return }
      throw failure(errno, "take \(key) away", key)
    }
    let isMeant: Bool
    do throws(StoreError) {
      isMeant = try Self.holds(bytes, limit, name, in: staging, self.root, key)
    } catch {
      _ = cairn_rename_noreplace(staging.raw, name, folder.raw, key.name)
      throw error
    }
    if isMeant {
      // A folder stays in `tmp`, and is removed with the files of crashes.
      unlinkat(staging.raw, name, 0)
    } else {
      _ = cairn_rename_noreplace(staging.raw, name, folder.raw, key.name)
    }
    let problem = Self.syncFolder(folder.raw)
    guard problem == 0 else { throw failure(problem, "make \(key) durable", key) }
  }

  /// A Boolean value that indicates whether a file has exactly these bytes, or more than `limit`
  /// bytes and begins with these. Without bytes: whether it is not a regular file.
  private static func holds(
    _ bytes: [UInt8]?, _ limit: Int, _ name: String, in folder: borrowing Descriptor,
    _ root: String, _ key: ObjectKey
  ) throws(StoreError) -> Bool {
    let raw = openat(folder.raw, name, O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC)
    let problem = errno
    var entry = cairn_stat()
    // A link, a socket, a device or a closed folder.
    if raw < 0, cairn_stat_at(folder.raw, name, &entry) == 0,
      entry.mode & UInt32(S_IFMT) != UInt32(S_IFREG)
    {
      return bytes == nil
    }
    guard raw >= 0 else {
      throw StoreError.system(problem, "read \(key)", root: root, key: key)
    }
    let file = Descriptor(owning: raw)
    var status = stat()
    guard fstat(file.raw, &status) == 0 else {
      throw StoreError.system(errno, "read \(key)", root: root, key: key)
    }
    let isRegular = status.st_mode & S_IFMT == S_IFREG
    guard let bytes, isRegular else { return bytes == nil && !isRegular }
    // A file above the size limit is identified by its beginning.
    guard min(Int(status.st_size), limit + 1) == bytes.count else { return false }
    var found = [UInt8](repeating: 0, count: bytes.count)
    var filled = 0
    while filled < found.count {
      let count = found.withUnsafeMutableBytes {
        pread(file.raw, $0.baseAddress?.advanced(by: filled), $0.count - filled, off_t(filled))
      }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return false }
      filled += count
    }
    return found == bytes
  }
}
