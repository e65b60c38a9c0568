import Glibc

/// How a daemon tells whoever started it that its socket answers: one byte into a pipe
/// (`cairnd --ready-fd N`). A pipe that closes without it means that the daemon failed.
public struct Readiness: Sendable {
  private let descriptor: Int32

  /// For the write end of the launcher's pipe, as the daemon inherited it.
  public init(descriptor: Int32) {
    self.descriptor = descriptor
    // The programs that the daemon starts must not keep the launcher waiting.
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
  }

  /// Says so, once, and closes the pipe. A launcher that has gone away doesn't matter.
  public func announce() {
    var byte: UInt8 = 1
    while write(descriptor, &byte, 1) < 0 && errno == EINTR {}
    close(descriptor)
  }
}
