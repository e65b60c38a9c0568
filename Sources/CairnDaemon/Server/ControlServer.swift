import CairnControl
import CairnThreads
import Glibc
import NIOCore
import NIOPosix
import Synchronization

/// Listens on a home's Unix socket and hands each request to a responder: HTTP/1.1 with JSON, on
/// one event loop thread. Only the same user gets an answer. It knows no operation.
public final class ControlServer: Sendable {
  private let home: Home
  private let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
  private let transport: ControlTransport
  private let state = Mutex(State())

  private struct State {
    var isListening = false
    var isOver = false
  }

  /// Ready to `start`. Throws `internalError` if the system gives no thread.
  public init(home: Home, responder: any ControlResponder) throws(ControlError) {
    guard let pool = BlockingPool() else {
      throw ControlError(
        .internalError, "The system gives no more threads.",
        remedy: "Look at the user's limits (ulimit -u).")
    }
    self.home = home
    transport = ControlTransport(
      group: group, door: SocketDoor(responder: responder), responder: responder, pool: pool
    ) { channel in
      PeerCredentials.of(channel).flatMapThrowing { peer in
        guard peer.user == geteuid() else { throw ChannelError.inappropriateOperationForState }
      }
    }
  }

  /// Binds the socket, 0600, in place of one that an earlier daemon left, and answers from here
  /// on. The caller holds the `HomeLock`, so no living daemon loses its socket. Throws
  /// `permissionFailure` or `internalError` where the socket can't be had.
  public func start() throws(ControlError) {
    try home.makeRuntimeFolder()
    if unlink(home.socket) != 0 && errno != ENOENT { throw failure(errno) }
    do {
      _ = try transport.start { $0.bind(unixDomainSocketPath: home.socket) }
    } catch let error as IOError {
      throw failure(error.errnoCode)
    } catch {
      throw ControlError(
        .internalError, "The socket \(home.socket) can't be had: \(error)",
        path: .init(home.socket))
    }
    guard chmod(home.socket, 0o600) == 0 else { throw failure(errno) }
    state.withLock { $0.isListening = true }
  }

  /// Takes no more connections, tells clients whose answer is incomplete `interrupted`, removes
  /// the socket, and returns when every answer is out or the client has had two seconds to read
  /// it. A second call does nothing. Not to be called on the server's own thread.
  public func stop() {
    let (wasListening, isFirst) = state.withLock { state in
      defer { state.isOver = true }
      return (state.isListening, !state.isOver)
    }
    guard isFirst else { return }
    // Before the listener closes: a new daemon may bind the name as soon as the lock is free.
    if wasListening { unlink(home.socket) }
    transport.stop()
    group.shutdownGracefully { _ in }
  }

  private func failure(_ number: CInt) -> ControlError {
    let isForbidden = number == EACCES || number == EPERM || number == EROFS
    return ControlError(
      isForbidden ? .permissionFailure : .internalError,
      "The socket \(home.socket) can't be had: \(String(cString: strerror(number))).",
      remedy: "See that its folder is yours; `cairn status` names another daemon if one runs.",
      path: .init(home.socket))
  }
}
