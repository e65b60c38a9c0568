import CairnControl
import CairnThreads
import Glibc
import NIOCore
import NIOHTTP1
import NIOPosix
import Synchronization

/// Listens on a home's Unix socket and hands each request to a responder: HTTP/1.1 with JSON, on
/// one event loop thread. Only the same user gets an answer. It knows no operation.
public final class ControlServer: Sendable {
  private let home: Home
  private let responder: any ControlResponder
  private let pool: BlockingPool
  private let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
  private let state = Mutex(State())

  private struct State {
    var listener: (any Channel)?
    var connections: [ObjectIdentifier: any Channel] = [:]
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
    self.responder = responder
    self.pool = pool
  }

  /// Binds the socket, 0600, in place of one that an earlier daemon left, and answers from here
  /// on. The caller holds the `HomeLock`, so no living daemon loses its socket. Throws
  /// `permissionFailure` or `internalError` where the socket can't be had.
  public func start() throws(ControlError) {
    try home.makeRuntimeFolder()
    if unlink(home.socket) != 0 && errno != ENOENT { throw failure(errno) }
    let bootstrap = ServerBootstrap(group: group)
      .serverChannelOption(.backlog, value: 1_024)
      .childChannelInitializer { channel in self.welcome(channel) }
    let listener: any Channel
    do {
      listener = try bootstrap.bind(unixDomainSocketPath: home.socket).wait()
    } catch let error as IOError {
      throw failure(error.errnoCode)
    } catch {
      throw ControlError(
        .internalError, "The socket \(home.socket) can't be had: \(error)",
        path: .init(home.socket))
    }
    guard chmod(home.socket, 0o600) == 0 else { throw failure(errno) }
    state.withLock { $0.listener = listener }
  }

  /// Takes no more connections, tells clients whose answer is incomplete `interrupted`, removes
  /// the socket, and returns when every answer is out or the client has had two seconds to read
  /// it. A second call does nothing. Not to be called on the server's own thread.
  public func stop() {
    let (listener, isFirst) = state.withLock { state in
      defer { state.isOver = true }
      return (state.listener, !state.isOver)
    }
    guard isFirst else { return }
    // Before the listener closes: a new daemon may bind the name as soon as the lock is free.
    if listener != nil { unlink(home.socket) }
    waitForClosing(listener?.close())
    let connections = state.withLock { Array($0.connections.values) }
    for channel in connections {
      channel.eventLoop.execute { Self.end(channel) }
      channel.eventLoop.scheduleTask(in: .seconds(2)) { channel.close(promise: nil) }
    }
    for channel in connections { waitForClosing(channel.closeFuture) }
    group.shutdownGracefully { _ in }
  }

  /// Whether it closed well or was closed already makes no difference to an end.
  private func waitForClosing(_ closed: EventLoopFuture<Void>?) {
    guard let closed else { return }
    let done = Waiter<Void>()
    closed.whenComplete { _ in done.complete() }
    done.wait()
  }

  private static func end(_ channel: any Channel) {
    // Without that part it is a stranger, or hasn't been welcomed yet.
    guard
      let context = try? channel.pipeline.syncOperations.context(
        handlerType: ControlConnection.self),
      let connection = context.handler as? ControlConnection
    else {
      channel.close(promise: nil)
      return
    }
    connection.end(context: context)
  }

  /// A new connection, on the event loop: looks who it is before it reads a byte.
  private func welcome(_ channel: any Channel) -> EventLoopFuture<Void> {
    let isOver = state.withLock { state in
      state.connections[ObjectIdentifier(channel)] = channel
      return state.isOver
    }
    channel.closeFuture.whenComplete { _ in
      self.state.withLock { $0.connections[ObjectIdentifier(channel)] = nil }
    }
    guard !isOver else { return channel.close() }
    let responder = responder
    let pool = pool
    return PeerCredentials.of(channel).flatMapThrowing { peer in
      guard peer.user == geteuid() else { throw ChannelError.inappropriateOperationForState }
      let pipeline = channel.pipeline.syncOperations
      // No pipelining assistance: it stops reading during an answer, and so wouldn't see the
      // client go away.
      try pipeline.configureHTTPServerPipeline(withPipeliningAssistance: false)
      try pipeline.addHandler(ControlConnection(responder: responder, pool: pool))
    }
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
