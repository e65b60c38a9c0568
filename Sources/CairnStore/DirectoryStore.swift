import CairnSystem
import Glibc
import Synchronization

/// Objects as files beneath one folder that several people and machines may share. It owns the
/// access to that folder (relative to a descriptor, without following symlinks beneath the root)
/// and its `tmp` folder. It must not know the meaning of the objects.
///
/// The root is opened again for each call. So an unmounted file system is noticed, and never kept
/// busy.
public final class DirectoryStore: ObjectStore {
  /// The path of the container folder.
  public let root: String
  /// An object that the store always contains; nil if there is none.
  private let mark: ObjectKey?

  /// The number of useful concurrent requests, once it is known.
  private let room = Mutex<Int?>(nil)
  private let notifier = Mutex<FolderNotifier?>(nil)
  /// Folders with names that this process made durable, up to the root.
  let durableFolders = Mutex(DurableFolders())

  /// Creates a store in an existing folder. Removes this user's unfinished files in `tmp` that are
  /// older than a day: remains of a crash. A missing root shows at the first call. Pass false for
  /// `isTidied` if nothing may be written. If `mark` is given and missing, the store is
  /// unreachable: its file system is not mounted, and the folder below the mount point must not be
  /// written to.
  public init(root: String, isTidied: Bool = true, mark: ObjectKey? = nil) {
    self.root = root
    self.mark = mark
    if isTidied { removeStaleFiles() }
  }

  /// See `ObjectStore`.
  public func get(_ key: ObjectKey) throws(StoreError) -> [UInt8]? {
    try read(key, range: 0..<Int.max)
  }

  /// See `ObjectStore`.
  public func get(_ key: ObjectKey, range: Range<Int>) throws(StoreError) -> [UInt8]? {
    precondition(range.lowerBound >= 0, "A range of an object begins at 0 or later.")
    return try read(key, range: range)
  }

  /// See `ObjectStore`. A network file system needs a round trip for almost every call.
  public var flight: Int {
    if let known = room.withLock({ $0 }) { return known }
    do throws(StoreError) {
      let root = try openRoot()
      var type: UInt64 = 0
      let typed = cairn_statfs_type(root.raw, &type)
      let found = FileSystemName(magic: typed == 0 ? type : 0).flight
      room.withLock { $0 = found }
      return found
    } catch {
      // The request for an object will report the error.
      return 1
    }
  }

  /// See `ObjectStore`.
  public func size(of key: ObjectKey) throws(StoreError) -> Int? {
    guard let found = try openObject(key) else { return nil }
    return found.size
  }

  /// See `ObjectStore`.
  public func listed(
    _ prefix: String, after: ObjectKey?, limit: Int
  ) throws(StoreError) -> [ListedObject] {
    var found: [ListedObject] = []
    for key in try list(prefix, after: after, limit: limit) {
      do throws(StoreError) {
        guard let object = try openObject(key) else {
          // It was removed meanwhile.
          found.append(ListedObject(key: key, size: nil))
          continue
        }
        found.append(ListedObject(key: key, size: object.size, version: object.version))
      } catch {
        // An error about this object says nothing about the others.
        guard error.code == .corrupt || error.code == .denied else { throw error }
        found.append(ListedObject(key: key, size: nil))
      }
    }
    return found
  }

  /// See `ObjectStore`. Leaves the folders of the key.
  public func delete(_ key: ObjectKey) throws(StoreError) {
    let root = try openRoot(for: key)
    let raw = Descriptor.openBeneath(root.raw, key.folder, O_RDONLY | O_DIRECTORY)
    if raw == -ENOENT || raw == -ENOTDIR { return }
    guard raw >= 0 else { throw failure(-raw, "delete \(key)", key) }
    let folder = Descriptor(owning: raw)
    guard unlinkat(folder.raw, key.name, 0) != 0 else { return }
    let reason = errno
    // A folder with that name is no object: there is nothing to delete.
    if reason == ENOENT || reason == EISDIR { return }
    throw failure(reason, "delete \(key)", key)
  }

  /// See `ObjectStore`. One inotify instance and one thread serve all followers, and start with the
  /// first. Throws `.unreachable` if the root is missing, `.unsupported` if the system provides no
  /// more watches or `prefix` cannot be a folder of objects.
  public func follow(
    _ prefix: String, _ onHint: @escaping @Sendable () -> Void
  ) throws(StoreError) -> Subscription {
    let folder = try FolderPath(prefix)
    let shared = notifier.withLock { notifier -> Result<FolderNotifier, StoreError> in
      if let notifier { return .success(notifier) }
      do throws(StoreError) {
        let made = try FolderNotifier(root: root, mark: mark)
        notifier = made
        return .success(made)
      } catch {
        return .failure(error)
      }
    }
    return try shared.get().follow(folder, onHint)
  }

  // MARK: The way in

  func openRoot(for key: ObjectKey? = nil) throws(StoreError) -> Descriptor {
    let raw = open(root, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard raw >= 0 else { throw .rootFailure(errno, root: root, key: key) }
    let opened = Descriptor(owning: raw)
    try Self.check(mark, in: opened.raw, root, for: key)
    // Followers of a root that disappeared check again when it is back.
    notifier.withLock { $0 }?.lookAgainIfLost()
    return opened
  }

  /// Throws an error if the object that is always there is missing.
  static func check(
    _ mark: ObjectKey?, in folder: Int32, _ root: String, for key: ObjectKey?
  ) throws(StoreError) {
    guard let mark, faccessat(folder, mark.description, F_OK, 0) != 0, errno == ENOENT else {
      return
    }
    throw StoreError(
      code: .unreachable, key: key,
      cause: "The folder \(root) is there, but no container is in it. Its file system may not be "
        + "mounted; nothing is written to it, and it will be tried again.")
  }

  func failure(_ number: Int32, _ doing: String, _ key: ObjectKey?) -> StoreError {
    .system(number, doing, root: root, key: key)
  }

  private struct OpenObject: ~Copyable {
    let file: Descriptor
    let size: Int
    /// Different files have different versions, even with a reused inode number.
    let version: String
  }

  private func openObject(_ key: ObjectKey) throws(StoreError) -> OpenObject? {
    let root = try openRoot(for: key)
    // A FIFO in the container must not block this call.
    let flags = O_RDONLY | O_NONBLOCK | O_NOCTTY
    var raw = Descriptor.openBeneath(root.raw, key.description, flags)
    // NFS: a cached handle of a replaced file. The second attempt is fresh.
    if raw == -ESTALE { raw = Descriptor.openBeneath(root.raw, key.description, flags) }
    if raw == -ENOENT || raw == -ENOTDIR { return nil }
    var status = cairn_stat()
    guard raw >= 0 else {
      // A socket can't be opened, nor a device without a driver, nor a closed folder.
      if Self.look(key, in: root, &status) { try checkRegular(status, key) }
      throw failure(-raw, "read \(key)", key)
    }
    let file = Descriptor(owning: raw)
    let result = cairn_stat_fd(file.raw, &status)
    guard result == 0 else { throw failure(-result, "read \(key)", key) }
    try checkRegular(status, key)
    return OpenObject(
      file: file, size: Int(clamping: status.size), version: "\(status.ino) \(status.ctime_ns)")
  }

  /// Looks at the entry of a key without opening it. Returns false if that fails.
  private static func look(
    _ key: ObjectKey, in root: borrowing Descriptor, _ status: inout cairn_stat
  ) -> Bool {
    let raw = Descriptor.openBeneath(root.raw, key.folder, O_RDONLY | O_DIRECTORY)
    guard raw >= 0 else { return false }
    let folder = Descriptor(owning: raw)
    let result = cairn_stat_at(folder.raw, key.name, &status)
    return result == 0
  }

  /// Throws an error if an entry is no regular file, and so no object. Nothing can be put in its
  /// place, so it must not count as free.
  private func checkRegular(_ status: cairn_stat, _ key: ObjectKey) throws(StoreError) {
    let kind = status.mode & UInt32(S_IFMT)
    guard kind != UInt32(S_IFREG) else { return }
    throw StoreError(
      code: .corrupt, key: key,
      cause: "In the container folder \(root), \(key) is "
        + (kind == UInt32(S_IFDIR) ? "a folder" : "no regular file") + "; remove it.")
  }

  private func read(_ key: ObjectKey, range: Range<Int>) throws(StoreError) -> [UInt8]? {
    guard let found = try openObject(key) else { return nil }
    let wanted = range.clamped(to: 0..<found.size)
    let raw = found.file.raw
    var problem: Int32 = 0
    let bytes = [UInt8](unsafeUninitializedCapacity: wanted.count) { buffer, filled in
      while filled < wanted.count {
        let part = UnsafeMutableRawBufferPointer(
          rebasing: UnsafeMutableRawBufferPointer(buffer)[filled...])
        let count = pread(raw, part.baseAddress, part.count, off_t(wanted.lowerBound + filled))
        if count < 0 && errno == EINTR { continue }
        if count < 0 { problem = errno }
        if count <= 0 { return }
        filled += count
      }
    }
    guard problem == 0 else { throw failure(problem, "read \(key)", key) }
    guard bytes.count == wanted.count else {
      throw StoreError(
        code: .unreachable, key: key,
        cause: "\(key) ended early while it was read from \(root). It will be read again.")
    }
    return bytes
  }
}
