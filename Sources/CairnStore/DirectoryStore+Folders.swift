import CairnSystem
import Glibc
import Synchronization

extension DirectoryStore {
  private static let stagingName = "tmp"
  private static let asFolder = O_RDONLY | O_DIRECTORY

  /// Opens the folder of a key. Creates it if needed, and makes its name durable.
  func openFolder(
    _ path: String, _ root: borrowing Descriptor, _ modes: SharedModes, for key: ObjectKey
  ) throws(StoreError) -> Descriptor {
    if path.isEmpty || isDurable(path) {
      let raw = Descriptor.openBeneath(root.raw, path, Self.asFolder)
      if raw >= 0 { return Descriptor(owning: raw) }
      guard raw == -ENOENT else { throw failure(-raw, "open \(path)", key) }
      forgetDurable()
    }
    var current = try opened(
      Descriptor.openBeneath(root.raw, "", Self.asFolder), "open the root", key)
    var above = ""
    for component in path.split(separator: "/").map(String.init) {
      let folder = above + component
      above = folder + "/"
      var raw = Descriptor.openBeneath(current.raw, component, Self.asFolder)
      let isNew = raw == -ENOENT
      if isNew {
        let problem = try makeFolder(component, in: current, root, modes, for: key)
        guard problem == 0 else { throw failure(problem, "make the folder \(path)", key) }
        raw = Descriptor.openBeneath(current.raw, component, Self.asFolder)
      }
      let next = try opened(raw, "open \(path)", key)
      // Also for an existing folder: its creator may have crashed before this sync.
      if isNew || !isDurable(folder) {
        let problem = Self.syncFolder(current.raw)
        guard problem == 0 else { throw failure(problem, "make \(path) durable", key) }
        durableFolders.withLock { $0.note(folder) }
      }
      current = next
    }
    return current
  }

  private func isDurable(_ path: String) -> Bool {
    durableFolders.withLock { $0.contains(path) }
  }

  /// Forgets which folders are durable, because another process removed one.
  func forgetDurable() { durableFolders.withLock { $0.forgetAll() } }

  func openStaging(
    _ root: borrowing Descriptor, _ modes: SharedModes, for key: ObjectKey?
  ) throws(StoreError) -> Descriptor {
    let raw = Descriptor.openBeneath(root.raw, Self.stagingName, Self.asFolder)
    if raw != -ENOENT { return try opened(raw, "open tmp", key) }
    let problem = Self.makePlainFolder(Self.stagingName, in: root.raw, modes)
    guard problem == 0 else { throw failure(problem, "make tmp", key) }
    return try opened(
      Descriptor.openBeneath(root.raw, Self.stagingName, Self.asFolder), "open tmp", key)
  }

  private func opened(
    _ raw: Int32, _ doing: String, _ key: ObjectKey?
  ) throws(StoreError) -> Descriptor {
    guard raw >= 0 else { throw failure(-raw, doing, key) }
    return Descriptor(owning: raw)
  }

  /// Creates a folder that has its permissions from the start, whatever the umask: another user's
  /// writer may come at any moment. If the file system cannot rename without replacing, the
  /// permissions follow at once.
  private func makeFolder(
    _ name: String, in folder: borrowing Descriptor, _ root: borrowing Descriptor,
    _ modes: SharedModes, for key: ObjectKey
  ) throws(StoreError) -> Int32 {
    let staging = try openStaging(root, modes, for: key)
    let staged = StagedObject.randomName()
    let problem = Self.makePlainFolder(staged, in: staging.raw, modes)
    guard problem == 0 else { return problem }
    let renamed = -cairn_rename_noreplace(staging.raw, staged, folder.raw, name)
    if renamed == 0 { return 0 }
    unlinkat(staging.raw, staged, Int32(AT_REMOVEDIR))
    if renamed == EEXIST { return 0 }
    return Self.makePlainFolder(name, in: folder.raw, modes)
  }

  /// Calls mkdir and chmod. Returns 0 or errno. An existing folder is no error.
  private static func makePlainFolder(
    _ name: String, in folder: Int32, _ modes: SharedModes
  ) -> Int32 {
    guard mkdirat(folder, name, modes.folder & 0o777) == 0 else {
      return errno == EEXIST ? 0 : errno
    }
    let raw = Descriptor.openBeneath(folder, name, asFolder)
    guard raw >= 0 else { return -raw }
    let made = Descriptor(owning: raw)
    // File systems without Unix modes refuse this and do not need it.
    _ = fchmod(made.raw, modes.folder)
    return 0
  }

  // MARK: What crashed writers left

  /// Best effort: a file that cannot be removed is harmless, and the next start tries again.
  func removeStaleFiles() {
    let raw = open(root, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard raw >= 0 else { return }
    let rootFolder = Descriptor(owning: raw)
    let stagingRaw = Descriptor.openBeneath(rootFolder.raw, Self.stagingName, Self.asFolder)
    guard stagingRaw >= 0 else { return }
    let staging = Descriptor(owning: stagingRaw)
    var entries: [FolderEntry] = []
    guard FolderEntry.read(staging.raw, into: &entries) == 0 else { return }
    let ours = entries.map(\.name).filter(StagedObject.isName)
    // The clock that wrote the times decides, and it may be another machine's.
    guard !ours.isEmpty, let now = Self.clock(of: staging) else { return }
    for name in ours {
      var status = cairn_stat()
      guard cairn_stat_at(staging.raw, name, &status) == 0, status.uid == geteuid(),
        now - status.mtime_ns > 86_400 * 1_000_000_000
      else { continue }
      let isFolder = status.mode & UInt32(S_IFMT) == UInt32(S_IFDIR)
      unlinkat(staging.raw, name, isFolder ? Int32(AT_REMOVEDIR) : 0)
    }
  }

  /// The current time of the file system in nanoseconds, taken from a new file.
  private static func clock(of staging: borrowing Descriptor) -> Int64? {
    let name = StagedObject.randomName()
    let raw = openat(staging.raw, name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard raw >= 0 else { return nil }
    let file = Descriptor(owning: raw)
    unlinkat(staging.raw, name, 0)
    var status = cairn_stat()
    return cairn_stat_fd(file.raw, &status) == 0 ? status.mtime_ns : nil
  }
}
