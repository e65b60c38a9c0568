import CairnControl
import Glibc

/// The listening Unix socket of a home. It owns the descriptor, so that waiting connections stay in
/// its queue while no program answers: one that takes the daemon's place finds them.
final class ControlSocket: Sendable {
  /// The largest number of waiting connections.
  private static let queue: CInt = 1_024

  let descriptor: CInt

  /// Binds it, 0600, instead of one that an earlier daemon left.
  /// - Throws: `permissionFailure` or `internalError` if it is unavailable.
  init(_ home: Home) throws(ControlError) {
    if unlink(home.socket) != 0 && errno != ENOENT { throw Self.failure(home, errno) }
    let kind = CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue)
    let descriptor = socket(AF_UNIX, kind, 0)
    guard descriptor >= 0 else { throw Self.failure(home, errno) }
    let isBound = Self.with(home.socket) { bind(descriptor, $0, $1) == 0 }
    guard isBound, chmod(home.socket, 0o600) == 0, listen(descriptor, Self.queue) == 0 else {
      let number = errno
      close(descriptor)
      throw Self.failure(home, number)
    }
    self.descriptor = descriptor
  }

  /// Takes over the one that this process had before it became another program. Nil, and closed, if
  /// it isn't the home's, or clients don't find it any more.
  init?(_ home: Home, takingOver descriptor: CInt) {
    var status = stat()
    let isThere = lstat(home.socket, &status) == 0 && status.st_mode & S_IFMT == S_IFSOCK
    guard isThere, Self.name(of: descriptor) == home.socket,
      fcntl(descriptor, F_SETFD, FD_CLOEXEC) == 0, listen(descriptor, Self.queue) == 0
    else {
      close(descriptor)
      return nil
    }
    self.descriptor = descriptor
  }

  deinit { close(descriptor) }

  /// Returns another descriptor of it, for the listener, which closes it.
  func copied() -> CInt { fcntl(descriptor, F_DUPFD_CLOEXEC, 3) }

  private static func with(
    _ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Bool
  ) -> Bool {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    // One byte stays, for the NUL.
    let isShort = withUnsafeMutableBytes(of: &address.sun_path) { place in
      guard path.utf8.count < place.count else { return false }
      place.copyBytes(from: path.utf8)
      return true
    }
    guard isShort else {
      errno = ENAMETOOLONG
      return false
    }
    return withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
  }

  /// Returns the path to which a socket is bound.
  private static func name(of descriptor: CInt) -> String? {
    var address = sockaddr_un()
    var length = socklen_t(MemoryLayout<sockaddr_un>.size)
    let result = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        getsockname(descriptor, $0, &length)
      }
    }
    guard result == 0, address.sun_family == sa_family_t(AF_UNIX) else { return nil }
    let bytes = withUnsafeBytes(of: &address.sun_path) { Array($0.prefix { $0 != 0 }) }
    return String(validating: bytes, as: UTF8.self)
  }

  private static func failure(_ home: Home, _ number: CInt) -> ControlError {
    let isForbidden = number == EACCES || number == EPERM || number == EROFS
    return ControlError(
      isForbidden ? .permissionFailure : .internalError,
      "The socket \(home.socket) can't be had: \(String(cString: strerror(number))).",
      remedy: "See that its folder is yours; `cairn status` names another daemon if one runs.",
      path: .init(home.socket))
  }
}
