import Glibc
import Synchronization

/// The connection of one call to a daemon. Another thread may cancel the call.
public final class ControlCall: Sendable {
  private struct State {
    var descriptor: CInt = -1
    var isCancelled = false
  }

  private let state = Mutex(State())

  /// Creates a call that has no connection yet.
  public init() {}

  deinit { close() }

  /// Ends the wait for the answer: the call throws `operationCancelled`. The daemon continues its
  /// work. Does nothing after the end of the call.
  public func cancel() {
    state.withLock { state in
      state.isCancelled = true
      if state.descriptor >= 0 { shutdown(state.descriptor, CInt(SHUT_RDWR)) }
    }
  }

  /// A Boolean value that indicates whether the call was cancelled.
  public var isCancelled: Bool { state.withLock { $0.isCancelled } }

  /// Connects to the socket at a path.
  /// - Throws: `serviceUnavailable` if the queue of the listener is full; `notRunning` without a
  ///   listener; `operationCancelled`.
  func connect(to path: String) throws(ControlError) {
    let kind = CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
    let descriptor = socket(AF_UNIX, kind, 0)
    guard descriptor >= 0 else { throw Self.absent(path) }
    // Without O_NONBLOCK, the call would wait for a place in the queue.
    guard Self.connect(descriptor, to: path) == 0, fcntl(descriptor, F_SETFL, 0) == 0 else {
      let number = errno
      Glibc.close(descriptor)
      guard number == EAGAIN else { throw Self.absent(path) }
      throw ControlError(
        .serviceUnavailable, "The cairnd at \(path) is too busy to answer.",
        remedy: "Try again in a moment.", path: .init(path))
    }
    let isCancelled = state.withLock { state in
      state.descriptor = descriptor
      return state.isCancelled
    }
    if isCancelled { throw Self.cancelled }
  }

  /// The user at the other end; nil if that is unknown.
  var peer: UInt32? {
    var (peer, length) = (PeerCredentials(), socklen_t(MemoryLayout<PeerCredentials>.size))
    let result = getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &peer, &length)
    return result == 0 ? peer.user : nil
  }

  /// Sends all bytes.
  /// - Throws: `interrupted` if the other side has closed the connection.
  func send(_ bytes: [UInt8]) throws(ControlError) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes {
        Glibc.send(descriptor, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL))
      }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw isCancelled ? Self.cancelled : Self.broken(errno) }
      rest = rest.dropFirst(count)
    }
  }

  /// Reads received bytes, and blocks until there are some.
  /// - Returns: Their number; 0 at the end.
  func receive(into buffer: inout [UInt8]) throws(ControlError) -> Int {
    while true {
      let count = read(descriptor, &buffer, buffer.count)
      if count > 0 { return count }
      if isCancelled { throw Self.cancelled }
      if count == 0 || errno == ECONNRESET { return 0 }
      guard errno == EINTR else { throw Self.broken(errno) }
    }
  }

  /// Closes the connection.
  func close() {
    state.withLock { state in
      if state.descriptor >= 0 { Glibc.close(state.descriptor) }
      state.descriptor = -1
    }
  }

  private var descriptor: CInt { state.withLock { $0.descriptor } }

  private static func connect(_ descriptor: CInt, to path: String) -> CInt {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    // One byte remains for the NUL.
    let isShort = withUnsafeMutableBytes(of: &address.sun_path) { place in
      guard path.utf8.count < place.count else { return false }
      place.copyBytes(from: path.utf8)
      return true
    }
    guard isShort else { return -1 }
    return withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
  }

  private static let cancelled = ControlError(
    .operationCancelled, "The wait for the daemon was cancelled.")

  private static func absent(_ path: String) -> ControlError {
    ControlError(
      .notRunning, "No cairnd answers at \(path).", remedy: "Start it with `cairn start`.",
      path: .init(path))
  }

  private static func broken(_ number: CInt) -> ControlError {
    ControlError(
      .interrupted, "The connection to the daemon broke: \(String(cString: strerror(number))).",
      remedy: "Work continues in the background. Try again when the daemon is running.")
  }
}
