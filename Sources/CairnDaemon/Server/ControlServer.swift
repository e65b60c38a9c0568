import CairnControl
import CairnThreads
import Glibc
import NIOCore
import NIOPosix
import Synchronization

/// Listens on a home's Unix socket and gives each request to a responder: HTTP/1.1 with JSON, on
/// one event loop thread. Only the same user gets an answer. It knows no operation.
public final class ControlServer: Sendable {
  private let home: Home
  private let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
  private let transport: ControlTransport
  private let state = Mutex(State())

  private struct State {
    var socket: ControlSocket?
    var isHandedOver = false
    var isOver = false
  }

  /// Creates a server that can be started. Throws `internalError` if the system gives no thread.
  public convenience init(home: Home, responder: any ControlResponder) throws(ControlError) {
    try self.init(home: home, responder: responder, version: Control.version)
  }

  /// The same for a daemon of a given version.
  init(home: Home, responder: any ControlResponder, version: String) throws(ControlError) {
    guard let pool = BlockingPool() else {
      throw ControlError(
        .internalError, "The system gives no more threads.",
        remedy: "Look at the user's limits (ulimit -u).")
    }
    self.home = home
    transport = ControlTransport(
      group: group, door: SocketDoor(responder: responder, version: version), pool: pool
    ) { channel in
      PeerCredentials.of(channel).flatMapThrowing { peer in
        guard peer.user == geteuid() else { throw ChannelError.inappropriateOperationForState }
      }
    }
  }

  /// Binds the socket, 0600, instead of one that an earlier daemon left, and answers from here on.
  /// The caller has the `HomeLock`, so no running daemon loses its socket.
  /// - Parameter descriptor: The home's socket, if another program left it to this one; its queue
  ///   is answered first.
  /// - Throws: `permissionFailure` or `internalError` if the socket is unavailable.
  public func start(takingOver descriptor: CInt? = nil) throws(ControlError) {
    try home.makeRuntimeFolder()
    let known = descriptor.flatMap { ControlSocket(home, takingOver: $0) }
    let socket: ControlSocket
    if let known { socket = known } else { socket = try ControlSocket(home) }
    state.withLock { $0.socket = socket }
    try listen(socket)
  }

  private func listen(_ socket: ControlSocket) throws(ControlError) {
    do {
      let descriptor = socket.copied()
      guard descriptor >= 0 else { throw IOError(errnoCode: errno, reason: "dup") }
      _ = try transport.start { $0.withBoundSocket(descriptor) }
    } catch {
      throw ControlError(
        .internalError, "The socket \(home.socket) can't be listened to: \(error)",
        path: .init(home.socket))
    }
  }

  /// Leaves the socket to another program, unless an answer is in progress: later connections wait
  /// for that program. To be followed by `stop`, which then doesn't remove the socket.
  /// - Returns: Its descriptor; nil if an answer is in progress.
  func handOver() -> CInt? {
    guard let socket = state.withLock({ $0.isOver ? nil : $0.socket }), transport.closeIfUnused()
    else { return nil }
    state.withLock { $0.isHandedOver = true }
    return socket.descriptor
  }

  /// Stops accepting connections, and ends incomplete answers with the error `interrupted`. Removes
  /// the socket. Returns when every answer is sent, or its client has had two seconds to read it. A
  /// second call does nothing. Must not be called on the server's own thread.
  public func stop() {
    let (isOurs, isFirst) = state.withLock { state in
      defer { state.isOver = true }
      return (state.socket != nil && !state.isHandedOver, !state.isOver)
    }
    guard isFirst else { return }
    // Before the listener closes: a new daemon may bind the name as soon as the lock is free.
    if isOurs { unlink(home.socket) }
    transport.stop()
    if isOurs { state.withLock { $0.socket = nil } }
    group.shutdownGracefully { _ in }
  }
}
