import Glibc

/// A small file that is replaced completely or not at all, and that only its owner can read.
public enum DurableFile {
  /// A failed system call.
  public struct Failure: Error, CustomStringConvertible {
    /// The file, or its folder.
    public let path: String
    /// The name of the call.
    public let call: String
    /// The error number.
    public let errno: Int32

    /// The call, its file and the reason.
    public var description: String {
      "\(call) of \(path) failed: \(String(cString: strerror(errno)))"
    }
  }

  /// Writes a file. It is durable when this returns. The folder must exist.
  /// - Parameters:
  ///   - path: The path of the file. A file with that name is replaced.
  ///   - bytes: The contents.
  /// - Throws: `Failure`. If the folder can't be synced, the new file is in place, but may not be
  ///   durable. After another failure, the earlier file is unchanged.
  public static func replace(_ path: String, with bytes: [UInt8]) throws(Failure) {
    let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
    let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { throw Failure(path: folder, call: "open", errno: Glibc.errno) }
    defer { _ = close(descriptor) }
    let unfinished = "\(path).\(Crypto.random(8).reduce(into: "") { $0 += String($1, radix: 36) })"
    do throws(Failure) {
      try write(bytes, to: unfinished)
      guard rename(unfinished, path) == 0 else {
        throw Failure(path: path, call: "rename", errno: Glibc.errno)
      }
    } catch {
      unlink(unfinished)
      throw error
    }
    guard fsync(descriptor) == 0 else {
      throw Failure(path: folder, call: "fsync", errno: Glibc.errno)
    }
  }

  private static func write(_ bytes: [UInt8], to path: String) throws(Failure) {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { throw Failure(path: path, call: "open", errno: Glibc.errno) }
    defer { _ = close(descriptor) }
    // The umask may have removed bits of the owner, too.
    guard fchmod(descriptor, 0o600) == 0 else {
      throw Failure(path: path, call: "fchmod", errno: Glibc.errno)
    }
    var written = 0
    while written < bytes.count {
      let count = bytes.withUnsafeBytes {
        Glibc.write(descriptor, $0.baseAddress?.advanced(by: written), $0.count - written)
      }
      if count < 0, Glibc.errno == EINTR { continue }
      guard count > 0 else { throw Failure(path: path, call: "write", errno: Glibc.errno) }
      written += count
    }
    guard fsync(descriptor) == 0 else {
      throw Failure(path: path, call: "fsync", errno: Glibc.errno)
    }
  }
}
