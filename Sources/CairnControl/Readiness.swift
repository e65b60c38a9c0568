import Glibc

/// The signal of a daemon to its launcher that the socket answers: one byte in a pipe (`cairnd
/// --ready-fd N`). A pipe that closes without it means that the daemon failed.
public struct Readiness: Sendable {
  private let descriptor: Int32

  /// Creates a signal with the inherited write end of the launcher's pipe.
  public init(descriptor: Int32) {
    self.descriptor = descriptor
    // Children of the daemon must not keep the launcher waiting.
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
  }

  /// Sends the signal once, and closes the pipe. A missing launcher is no error.
  public func announce() {
    var byte: UInt8 = 1
    while write(descriptor, &byte, 1) < 0 && errno == EINTR {}
    close(descriptor)
  }
}
