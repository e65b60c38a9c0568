import Glibc
import Synchronization

/// The lock that makes a process the only user of a folder of index files. Two processes with the
/// same index files would each replay entries that the other one has replayed already. The kernel
/// releases the lock however the process ends. All values of one process for one folder share the
/// lock.
public final class IndexFolderLock: Sendable {
  /// A folder, whatever its path.
  private struct Identity: Hashable {
    let device: UInt64
    let inode: UInt64
  }

  private struct Held {
    let descriptor: CInt
    var users: Int
  }

  private static let mostTries = 5_000
  private static let held = Mutex<[Identity: Held]>([:])
  private let identity: Identity

  /// Locks a folder, which must exist. A process that is ending keeps its lock until the kernel has
  /// closed all its files, so this waits for it.
  /// - Parameter folder: The path of the folder.
  /// - Throws: `IndexFolderInUse` if another process has the lock; `IndexFailure` if there can't be
  ///   a lock.
  public convenience init(_ folder: String) throws {
    try self.init(folder, isEnding: Self.isEnding)
  }

  /// Locks a folder. As long as another process has the lock and `isEnding` returns true for its
  /// id, this tries again, for a limited time.
  init(_ folder: String, isEnding: (Int32) -> Bool) throws {
    let path = folder + "/lock"
    let file = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard file >= 0 else { throw IndexFailure(.unusable, path: path, errno: errno) }
    var status = stat()
    guard fstat(file, &status) == 0 else {
      let number = errno
      close(file)
      throw IndexFailure(.unusable, path: path, errno: number)
    }
    let identity = Identity(device: UInt64(status.st_dev), inode: UInt64(status.st_ino))
    self.identity = identity
    try Self.held.withLock { held in
      if held[identity] != nil {
        held[identity]?.users += 1
        close(file)
        return
      }
      var tries = 0
      while flock(file, LOCK_EX | LOCK_NB) != 0 {
        let number = errno
        let holder = Self.processID(in: file)
        tries += 1
        if number == EWOULDBLOCK, tries < Self.mostTries, let holder, isEnding(holder) {
          usleep(2_000)
          continue
        }
        close(file)
        guard number == EWOULDBLOCK else {
          throw IndexFailure(.unusable, path: path, errno: number)
        }
        throw IndexFolderInUse(folder: folder, process: holder)
      }
      // The id only helps people. Without it the lock holds as well.
      let text = Array("\(getpid())\n".utf8)
      if ftruncate(file, 0) == 0 { _ = pwrite(file, text, text.count, 0) }
      held[identity] = Held(descriptor: file, users: 1)
    }
  }

  deinit {
    Self.held.withLock { held in
      guard var lock = held.removeValue(forKey: identity) else { return }
      lock.users -= 1
      if lock.users > 0 { held[identity] = lock } else { close(lock.descriptor) }
    }
  }

  /// Returns whether a process has ended, or closes its files now (proc_pid_stat(5)). A child that
  /// has not yet become another program keeps the lock of an ended process for a moment, too.
  static func isEnding(_ process: Int32) -> Bool {
    if kill(process, 0) != 0 { return errno == ESRCH }
    let file = open("/proc/\(process)/stat", O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return false }
    defer { close(file) }
    var bytes = [UInt8](repeating: 0, count: 512)
    let text = String(decoding: bytes[..<max(0, read(file, &bytes, bytes.count))], as: UTF8.self)
    // The name before the parenthesis may contain anything.
    guard let end = text.lastIndex(of: ")") else { return false }
    let fields = text[end...].split(separator: " ")
    guard fields.count > 7, let flags = UInt32(fields[7]) else { return false }
    // Z and X are ended processes whose threads may still hold files; 4 is the kernel's PF_EXITING.
    return ["Z", "X"].contains(fields[1]) || flags & 4 != 0
  }

  private static func processID(in file: CInt) -> Int32? {
    var bytes = [UInt8](repeating: 0, count: 32)
    let count = max(0, pread(file, &bytes, bytes.count, 0))
    return Int32(
      String(decoding: bytes[..<count].prefix { (0x30...0x39).contains($0) }, as: UTF8.self))
  }
}

/// The error for a folder of index files that another process uses.
public struct IndexFolderInUse: Error, Hashable, CustomStringConvertible {
  /// The folder.
  public let folder: String
  /// The other process, if it is known.
  public let process: Int32?

  /// A sentence for people.
  public var description: String {
    "the index folder \(folder) is in use by another program"
      + (process.map { ", process \($0)" } ?? "")
  }
}
