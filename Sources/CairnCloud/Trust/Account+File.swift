import CSodium
import Glibc

extension Account {
  /// Why an account can't be loaded or stored.
  public enum FileFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// Others than the owner may read or change the file; the octal mode is told.
    case exposed(path: String, mode: UInt32)
    /// Not a regular file of ours.
    case foreign(path: String)
    /// A call of the system failed.
    case system(path: String, call: String, errno: Int32)
    /// Damaged.
    case unreadable(path: String, FormatError)

    /// A sentence for people.
    public var description: String {
      switch self {
      case .exposed(let path, let mode):
        "The keys in \(path) aren't secret: others than you may use the file (mode "
          + "\(String(mode, radix: 8))). If nobody did, run `chmod 600 \(path)` and start again."
      case .foreign(let path):
        "\(path) isn't a regular file of yours, so no keys are read from it."
      case .system(let path, let call, let number):
        "\(call) of the account file \(path) failed: \(String(cString: strerror(number)))."
      case .unreadable(let path, let error):
        "\(error) The file is \(path); restore it from a backup."
      }
    }
  }

  /// Reads the account file, unless others may read it too.
  public static func load(_ path: String) throws(FileFailure) -> Account {
    let descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    guard descriptor >= 0 else { throw .system(path: path, call: "open", errno: errno) }
    defer { _ = close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else {
      throw .system(path: path, call: "fstat", errno: errno)
    }
    guard status.st_mode & S_IFMT == S_IFREG, status.st_uid == geteuid() else {
      throw .foreign(path: path)
    }
    guard status.st_mode & 0o077 == 0 else {
      throw .exposed(path: path, mode: status.st_mode & 0o7777)
    }
    var bytes = [UInt8](repeating: 0, count: AccountFile.limit + 1)
    defer { sodium_memzero(&bytes, bytes.count) }
    var filled = 0
    while filled < bytes.count {
      let count = bytes.withUnsafeMutableBytes {
        read(descriptor, $0.baseAddress?.advanced(by: filled), $0.count - filled)
      }
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw .system(path: path, call: "read", errno: errno) }
      if count == 0 { break }
      filled += count
    }
    do {
      return try AccountFile.decode(Array(bytes[..<filled]))
    } catch {
      throw .unreadable(path: path, error)
    }
  }

  /// Writes the account file, whole or not at all, readable by its owner only, and durable when
  /// this returns. The folder must be there; a file of that name is replaced.
  public func store(_ path: String) throws(FileFailure) {
    var bytes = AccountFile.encode(self)
    defer { sodium_memzero(&bytes, bytes.count) }
    let unfinished = "\(path).\(Crypto.random(8).reduce(into: "") { $0 += String($1, radix: 36) })"
    do throws(FileFailure) {
      try Self.write(bytes, to: unfinished)
      guard rename(unfinished, path) == 0 else {
        throw FileFailure.system(path: path, call: "rename", errno: errno)
      }
    } catch {
      unlink(unfinished)
      throw error
    }
    let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
    let descriptor = Glibc.open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { throw .system(path: folder, call: "open", errno: errno) }
    defer { _ = close(descriptor) }
    guard fsync(descriptor) == 0 else { throw .system(path: folder, call: "fsync", errno: errno) }
  }

  private static func write(_ bytes: [UInt8], to path: String) throws(FileFailure) {
    let descriptor = Glibc.open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { throw .system(path: path, call: "open", errno: errno) }
    defer { _ = close(descriptor) }
    // The umask may have taken bits of the owner's, too.
    guard fchmod(descriptor, 0o600) == 0 else {
      throw .system(path: path, call: "fchmod", errno: errno)
    }
    var written = 0
    while written < bytes.count {
      let count = bytes.withUnsafeBytes {
        Glibc.write(descriptor, $0.baseAddress?.advanced(by: written), $0.count - written)
      }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw .system(path: path, call: "write", errno: errno) }
      written += count
    }
    guard fsync(descriptor) == 0 else { throw .system(path: path, call: "fsync", errno: errno) }
  }
}
