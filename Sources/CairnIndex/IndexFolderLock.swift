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

  private static let held = Mutex<[Identity: Held]>([:])
  private let identity: Identity

  /// Locks a folder, which must exist.
  /// - Parameter folder: The path of the folder.
  /// - Throws: `IndexFolderInUse` if another process has the lock; `IndexFailure` if there can't be
  ///   a lock.
  public init(_ folder: String) throws {
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
      guard flock(file, LOCK_EX | LOCK_NB) == 0 else {
        let number = errno
        let holder = Self.processID(in: file)
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
