import CairnSystem
import Glibc

extension DirectoryStore {
  /// See `ObjectStore`. Writes a file in `tmp`, makes it durable, and links it under its key. The
  /// result decides, not errno: sshfs reports a lost race as EPERM, and NFS may lose the answer to
  /// a successful link. Throws `.unsupported` if the file system has neither `link` nor
  /// `RENAME_NOREPLACE`, and `.full` without space.
  public func put(_ key: ObjectKey, _ bytes: [UInt8]) throws(StoreError) -> PutOutcome {
    // Repeats if another process removed the folder or the unfinished file.
    for attempt in 1...3 {
      if let outcome = try putOnce(key, bytes, isLast: attempt == 3) { return outcome }
    }
    throw failure(ENOENT, "store \(key)", key)
  }

  private func putOnce(
    _ key: ObjectKey, _ bytes: [UInt8], isLast: Bool
  ) throws(StoreError) -> PutOutcome? {
    let root = try openRoot(for: key)
    let modes = try SharedModes(of: root, path: self.root)
    let folder = try openFolder(key.folder, root, modes, for: key)
    var problem: Int32 = 0
    let staged = StagedObject.write(
      bytes, in: try openStaging(root, modes, for: key), mode: modes.object, problem: &problem)
    guard let staged else { throw failure(problem, "store \(key)", key) }
    guard let outcome = try publish(staged, in: folder, key, bytes, isLast) else {
      forgetDurable()
      return nil
    }
    // Also if another writer won: changes that depend on its object must not outlive it in a crash.
    problem = Self.syncFolder(folder.raw)
    guard problem == 0 else { throw failure(problem, "make \(key) durable", key) }
    return outcome
  }

  private enum Slot {
    case ours, taken, absent
  }

  private func publish(
    _ staged: borrowing StagedObject, in folder: borrowing Descriptor, _ key: ObjectKey,
    _ bytes: [UInt8], _ isLast: Bool
  ) throws(StoreError) -> PutOutcome? {
    let name = key.name
    let linked = linkat(staged.folder.raw, staged.name, folder.raw, name, 0) == 0 ? 0 : errno
    var status = cairn_stat()
    if cairn_stat_fd(staged.file.raw, &status) == 0 && status.nlink >= 2 { return .stored }
    if linked == ENOENT { return nil }
    switch try slot(name, in: folder, key, bytes, mayBeOurs: linked != EEXIST) {
    case .ours: return .stored
    case .taken: return .exists
    case .absent: break
    }
    switch linked {
    // It was stored, and its recipient removed it before this check, like messages in an inbox.
    case 0: return .stored
    // Another writer's object was removed between the two checks.
    case EEXIST where !isLast: return nil
    case EEXIST:
      throw StoreError(
        code: .unreachable, key: key,
        cause: "The file system of \(root) says that \(key) is there, and does not show it. "
          + "It will be tried again.")
    case EPERM, EOPNOTSUPP, ENOSYS, EINVAL, EMLINK:
      return try publishByRename(staged, in: folder, key, bytes)
    default:
      throw failure(linked, "store \(key)", key)
    }
  }

  /// For file systems without hard links (SMB, exFAT in the kernel).
  private func publishByRename(
    _ staged: borrowing StagedObject, in folder: borrowing Descriptor, _ key: ObjectKey,
    _ bytes: [UInt8]
  ) throws(StoreError) -> PutOutcome? {
    let renamed = -cairn_rename_noreplace(staged.folder.raw, staged.name, folder.raw, key.name)
    if renamed == 0 { return .stored }
    switch try slot(key.name, in: folder, key, bytes, mayBeOurs: renamed != EEXIST) {
    case .ours: return .stored
    case .taken: return .exists
    case .absent: break
    }
    switch renamed {
    case ENOENT, EEXIST: return nil
    case EINVAL, ENOSYS, EOPNOTSUPP, EPERM:
      throw StoreError(
        code: .unsupported, key: key,
        cause: "The file system of \(root) offers neither hard links nor RENAME_NOREPLACE, so "
          + "several writers cannot share it safely. Use another folder for the container.")
    default: throw failure(renamed, "store \(key)", key)
    }
  }

  /// The file that now has the name.
  private func slot(
    _ name: String, in folder: borrowing Descriptor, _ key: ObjectKey, _ bytes: [UInt8],
    mayBeOurs: Bool
  ) throws(StoreError) -> Slot {
    var status = cairn_stat()
    let result = cairn_stat_at(folder.raw, name, &status)
    if result == -ENOENT { return .absent }
    guard result == 0 else { throw failure(-result, "look at \(key)", key) }
    guard status.mode & UInt32(S_IFMT) == UInt32(S_IFREG) else {
      let isFolder = status.mode & UInt32(S_IFMT) == UInt32(S_IFDIR)
      throw StoreError(
        code: isFolder ? .unsupported : .corrupt, key: key,
        cause: "\(key) cannot be stored in \(root): "
          + (isFolder ? "a folder of that name is in its way." : "no regular file stands there."))
    }
    guard mayBeOurs, status.size == UInt64(bytes.count) else { return .taken }
    return try get(key) == bytes ? .ours : .taken
  }

  /// Syncs a folder. Returns 0 or errno. If a file system cannot sync, nothing more is possible,
  /// and `StoreProbe` has reported it.
  static func syncFolder(_ raw: Int32) -> Int32 {
    guard fsync(raw) != 0 else { return 0 }
    switch errno {
    case EINVAL, EOPNOTSUPP, ENOSYS, EBADF: return 0
    default: return errno
    }
  }
}
