import CairnThreads
import NIOCore
import NIOHTTP1
import NIOPosix
import Synchronization

/// Accepts connections at one address and gives each a pipeline of HTTP behind a door, until it
/// ends. It knows neither the kind of address nor the operations.
final class ControlTransport: Sendable {
  /// The limits for connections of strangers: their number, and their time without a request.
  struct Limits: Sendable {
    var connections: Int
    var silence: TimeAmount
  }

  private let group: MultiThreadedEventLoopGroup
  private let door: any ControlDoor
  private let pool: BlockingPool
  private let limits: Limits?
  /// Identifies a client before a byte is read; fails for a stranger.
  private let look: @Sendable (any Channel) -> EventLoopFuture<Void>
  private let state = Mutex(State())

  private struct State {
    var listener: (any Channel)?
    var connections: [ObjectIdentifier: any Channel] = [:]
    /// The connections without an admitted operation, the oldest first.
    var strangers: [ObjectIdentifier] = []
    var isOver = false

    /// Adds a connection. If there are too many, the oldest stranger is returned and has to go; a
    /// silent stranger keeps nobody out.
    mutating func add(_ channel: any Channel, limit: Int) -> (isWelcome: Bool, gone: (any Channel)?)
    {
      let id = ObjectIdentifier(channel)
      connections[id] = channel
      guard limit < .max else { return (!isOver, nil) }
      strangers.append(id)
      guard connections.count > limit else { return (!isOver, nil) }
      let oldest = strangers.removeFirst()
      return (!isOver && oldest != id, oldest == id ? nil : connections[oldest])
    }

    mutating func remove(_ id: ObjectIdentifier) {
      connections[id] = nil
      strangers.removeAll { $0 == id }
    }
  }

  init(
    group: MultiThreadedEventLoopGroup, door: any ControlDoor, pool: BlockingPool,
    limits: Limits? = nil,
    look: @escaping @Sendable (any Channel) -> EventLoopFuture<Void>
  ) {
    self.group = group
    self.door = door
    self.pool = pool
    self.limits = limits
    self.look = look
  }

  /// Answers from here on at the address that `bind` binds. Not to be called on the event loop.
  /// - Returns: The address.
  func start(
    _ bind: (ServerBootstrap) -> EventLoopFuture<any Channel>
  ) throws -> SocketAddress? {
    let bootstrap = ServerBootstrap(group: group)
      .serverChannelOption(.backlog, value: 1_024)
      .childChannelInitializer { channel in self.welcome(channel) }
    let listener = try bind(bootstrap).wait()
    let isOver = state.withLock { state in
      state.listener = listener
      return state.isOver
    }
    if isOver { listener.close(promise: nil) }
    return listener.localAddress
  }

  /// Accepts no more connections and closes the existing ones in any state. Returns at once.
  func close() {
    let (listener, connections) = state.withLock { state in
      state.isOver = true
      return (state.listener, Array(state.connections.values))
    }
    listener?.close(promise: nil)
    for channel in connections { channel.close(promise: nil) }
  }

  /// Accepts no more connections, if no answer is in progress, and no request is being sent. Not to
  /// be called on the event loop.
  /// - Returns: True if it accepts no more.
  func closeIfUnused() -> Bool {
    do {
      // Everything on the loop that accepts connections: none comes in between.
      return try group.next().submit { [self] in
        let (listener, connections) = state.withLock { state in
          (state.isOver ? nil : state.listener, Array(state.connections.values))
        }
        let isUnused = connections.allSatisfy { Self.connection(of: $0)?.isAnswered ?? false }
        guard let listener, isUnused else { return false }
        listener.close(promise: nil)
        state.withLock { $0.listener = nil }
        return true
      }.wait()
    } catch {
      // The loop has ended.
      return false
    }
  }

  /// Accepts no more connections, tells clients whose answer is incomplete `interrupted`, and
  /// returns when every answer is sent or the client has had two seconds to read it. A second call
  /// does nothing. Not to be called on the event loop.
  func stop() {
    let (listener, isFirst) = state.withLock { state in
      defer { state.isOver = true }
      return (state.listener, !state.isOver)
    }
    guard isFirst else { return }
    waitForClosing(listener?.close())
    let connections = state.withLock { Array($0.connections.values) }
    for channel in connections {
      channel.eventLoop.execute { Self.end(channel) }
      channel.eventLoop.scheduleTask(in: .seconds(2)) { channel.close(promise: nil) }
    }
    for channel in connections { waitForClosing(channel.closeFuture) }
  }

  /// Waits for the end of a connection; it doesn't matter whether it closed well or was closed
  /// already.
  private func waitForClosing(_ closed: EventLoopFuture<Void>?) {
    guard let closed else { return }
    let done = Waiter<Void>()
    closed.whenComplete { _ in done.complete() }
    done.wait()
  }

  private static func end(_ channel: any Channel) {
    guard let context = context(of: channel), let connection = connection(of: channel) else {
      channel.close(promise: nil)
      return
    }
    connection.end(context: context)
  }

  /// Returns the context of a connection; nil for a stranger, and for one that isn't accepted yet.
  private static func context(of channel: any Channel) -> ChannelHandlerContext? {
    // It fails if there is no such part.
    try? channel.pipeline.syncOperations.context(handlerType: ControlConnection.self)
  }

  private static func connection(of channel: any Channel) -> ControlConnection? {
    context(of: channel)?.handler as? ControlConnection
  }

  /// Accepts a new connection, on the event loop.
  private func welcome(_ channel: any Channel) -> EventLoopFuture<Void> {
    let id = ObjectIdentifier(channel)
    let (isWelcome, gone) = state.withLock { state in
      state.add(channel, limit: limits?.connections ?? .max)
    }
    gone?.close(promise: nil)
    channel.closeFuture.whenComplete { _ in self.state.withLock { $0.remove(id) } }
    guard isWelcome else { return channel.close() }
    return look(channel).flatMapThrowing { [door, pool, limits] in
      let pipeline = channel.pipeline.syncOperations
      if let limits { try pipeline.addHandler(IdleStateHandler(allTimeout: limits.silence)) }
      // No pipelining assistance: it stops reading during an answer, and so would not notice that
      // the client goes away.
      try pipeline.configureHTTPServerPipeline(withPipeliningAssistance: false)
      let connection = ControlConnection(door: door, pool: pool) {
        self.state.withLock { state in state.strangers.removeAll { $0 == id } }
      }
      try pipeline.addHandler(connection)
    }
  }
}
