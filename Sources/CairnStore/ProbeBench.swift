import CairnSystem
import CairnThreads
import Glibc
import Synchronization

/// A new folder in which `StoreProbe` tries the primitives. It owns the descriptor and contents of
/// the folder, and only reports whether they work.
final class ProbeBench: Sendable {
  /// The two ways to give a finished file its name if that is free.
  enum Primitive: Sendable {
    case link, renameNoReplace
  }

  private let folder: Descriptor

  init(folder: Int32) {
    self.folder = Descriptor(owning: folder)
  }

  /// Removes everything in the folder.
  func clear() {
    guard lseek(folder.raw, 0, SEEK_SET) == 0 else { return }
    var entries: [FolderEntry] = []
    guard FolderEntry.read(folder.raw, into: &entries) == 0 else { return }
    for entry in entries { unlinkat(folder.raw, entry.name, 0) }
  }

  /// Returns whether files and folders can be made durable. Throws if nothing can be written at
  /// all.
  func syncs(root: String) throws(StoreError) -> Bool {
    let raw = openat(folder.raw, "sync", O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard raw >= 0 else { throw .system(errno, "write", root: root) }
    let file = Descriptor(owning: raw)
    guard write(file.raw, "cairn", 5) == 5 else { throw .system(errno, "write", root: root) }
    return fsync(file.raw) == 0 && fsync(folder.raw) == 0
  }

  /// Returns whether exactly one writer wins each key, and the key has its bytes.
  func race(writers: Int, keys: Int, by primitive: Primitive) -> Bool {
    let winners = Mutex<[[Int]]>(Array(repeating: [], count: keys))
    let started = PosixThread.race(writers) { [self] writer in
      for key in 0..<keys where enter(writer, key, by: primitive) {
        winners.withLock { $0[key].append(writer) }
      }
    }
    guard started > 1 else { return false }
    return winners.withLock { $0 }.enumerated().allSatisfy { key, winners in
      winners.count == 1 && holder(of: target(key, primitive)) == winners.first
    }
  }

  private func target(_ key: Int, _ primitive: Primitive) -> String {
    "\(primitive)-\(key)"
  }

  private func enter(_ writer: Int, _ key: Int, by primitive: Primitive) -> Bool {
    let name = StagedObject.randomName()
    let raw = openat(folder.raw, name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard raw >= 0 else { return false }
    let file = Descriptor(owning: raw)
    defer { unlinkat(folder.raw, name, 0) }
    var byte = UInt8(truncatingIfNeeded: writer)
    guard write(file.raw, &byte, 1) == 1, fsync(file.raw) == 0 else { return false }
    let target = target(key, primitive)
    switch primitive {
    case .link: return linkat(folder.raw, name, folder.raw, target, 0) == 0
    case .renameNoReplace:
      return cairn_rename_noreplace(folder.raw, name, folder.raw, target) == 0
    }
  }

  private func holder(of name: String) -> Int? {
    let raw = openat(folder.raw, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC)
    guard raw >= 0 else { return nil }
    let file = Descriptor(owning: raw)
    var byte: UInt8 = 0
    return Glibc.read(file.raw, &byte, 1) == 1 ? Int(byte) : nil
  }

  /// Returns whether inotify reports a link in the folder. Waits at most two seconds.
  func notices() -> Bool {
    let raw = cairn_inotify_open()
    guard raw >= 0 else { return false }
    let inotify = Descriptor(owning: raw)
    guard cairn_inotify_watch_folder(inotify.raw, folder.raw) >= 0,
      linkat(folder.raw, "sync", folder.raw, "notice", 0) == 0
        || cairn_rename(folder.raw, "sync", folder.raw, "notice") == 0
    else { return false }
    var waiting = pollfd(fd: inotify.raw, events: Int16(POLLIN), revents: 0)
    return poll(&waiting, 1, 2000) == 1
  }
}
