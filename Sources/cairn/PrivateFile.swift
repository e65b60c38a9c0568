import CairnControl
import Glibc

/// A file of the caller's that only they can read, written in one go and durably.
enum PrivateFile {
  /// Writes text into a file with mode 0600, and replaces its content.
  /// - Parameters:
  ///   - text: The new content.
  ///   - path: The file. A file that exists loses the permissions of group and others; a device or
  ///     a pipe keeps its mode.
  ///   - isNew: Whether the file must not exist yet.
  /// - Throws: `invalidArguments` if the file can't be created or written.
  static func write(
    _ text: String, to path: Control.Path, isNew: Bool = false
  ) throws(ControlError) {
    let flags = O_WRONLY | O_CREAT | O_CLOEXEC | (isNew ? O_EXCL : O_TRUNC)
    let descriptor = (path.bytes + [0]).withUnsafeBufferPointer { bytes in
      bytes.withMemoryRebound(to: CChar.self) { name in
        name.baseAddress.map { open($0, flags, 0o600) } ?? -1
      }
    }
    guard descriptor >= 0 else { throw failure(path) }
    defer { close(descriptor) }
    try makePrivate(descriptor, path)
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else { throw failure(path) }
      rest = rest.dropFirst(count)
    }
    // A pipe or a device can't be made durable.
    guard fsync(descriptor) == 0 || errno == EINVAL || errno == EROFS else { throw failure(path) }
  }

  private static func makePrivate(
    _ descriptor: CInt, _ path: Control.Path
  ) throws(ControlError) {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw failure(path) }
    guard status.st_mode & S_IFMT == S_IFREG, status.st_mode & 0o077 != 0 else { return }
    guard fchmod(descriptor, 0o600) == 0 else { throw failure(path) }
  }

  private static func failure(_ path: Control.Path) -> ControlError {
    ControlError(
      .invalidArguments,
      "\(path.printable) can't be written: \(String(cString: strerror(errno))).",
      remedy: "Name another file.", path: path)
  }
}
