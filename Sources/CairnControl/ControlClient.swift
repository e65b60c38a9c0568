import Glibc
import NIOCore
import NIOHTTP1
import NIOPosix

/// A client for the daemon of one home, over its Unix socket. Each call has a connection of its
/// own, and blocks until the answer is complete. Disconnecting cancels the wait, not the operation.
/// Before it sends anything, it verifies that the daemon belongs to this user, because requests
/// contain secrets of links.
public struct ControlClient: Sendable {
  /// The home of the daemon.
  public let home: Home
  /// The user that must run the daemon.
  private let user: UInt32
  /// Called with the daemon's version if it differs from this program's.
  private let onOtherVersion: @Sendable (String) -> Void

  /// Creates a client without connecting. `onOtherVersion` is called on the calling thread, before
  /// any other part of an answer, if the daemon's version differs.
  public init(home: Home, onOtherVersion: @escaping @Sendable (String) -> Void = { _ in }) {
    self.init(home: home, user: geteuid(), onOtherVersion: onOtherVersion)
  }

  init(
    home: Home, user: UInt32, onOtherVersion: @escaping @Sendable (String) -> Void = { _ in }
  ) {
    self.home = home
    self.user = user
    self.onOtherVersion = onOtherVersion
  }

  /// Sends an operation and waits for its reply. Passes each earlier line to `onUpdate` on the
  /// calling thread, and reads no further meanwhile. The list of a `ControlListReply` arrives that
  /// way, and is empty in the reply. Throws the error of `onUpdate` or of the daemon; `notRunning`
  /// without a listener; `permissionFailure` for another user's listener; `serviceUnavailable` if
  /// too many clients ask at once; `interrupted` if the connection ends early. Must not be called
  /// on an event loop.
  public func call<Operation: ControlOperation>(
    _ operation: Operation, onUpdate: (ControlUpdate) throws(ControlError) -> Void = { _ in }
  ) throws(ControlError) -> ControlAnswer<Operation.Reply> {
    let body: [UInt8]
    do {
      body = try ControlJSON.encode(operation)
    } catch {
      throw ControlError(.invalidArguments, "The request \(Operation.name) has no form in JSON.")
    }
    let lines = ResponseLines()
    let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    // The loop's thread ends by itself; there is nothing to wait for.
    defer { group.shutdownGracefully { _ in } }
    let socket = HomeLock.socket(of: home) ?? home.socket
    try home.checkFolder(of: socket)
    let channel = try connect(to: socket, on: group, lines: lines)
    defer { channel.close(promise: nil) }
    try checkPeer(of: channel, at: socket)
    lines.whenRoom { channel.eventLoop.execute { channel.read() } }
    channel.read()
    send(body, to: Control.pathPrefix + Operation.name, over: channel)
    var isFirst = true
    return try ControlAnswer.read(
      from: { () throws(ControlError) in
        let line = try lines.next()
        if isFirst, let version = lines.version, version != Control.version {
          onOtherVersion(version)
        }
        isFirst = false
        return line
      },
      whatEnded: "The connection to the daemon ended",
      onUpdate: onUpdate)
  }

  private func connect(
    to socket: String, on group: MultiThreadedEventLoopGroup, lines: ResponseLines
  ) throws(ControlError) -> any Channel {
    do {
      return try ClientBootstrap(group: group)
        .channelOption(.autoRead, value: false)
        .channelInitializer { channel in
          channel.eventLoop.makeCompletedFuture {
            let pipeline = channel.pipeline.syncOperations
            try pipeline.addHTTPClientHandlers(leftOverBytesStrategy: .dropBytes)
            try pipeline.addHandler(ResponseReceiver(lines))
          }
        }
        .connect(unixDomainSocketPath: socket).wait()
    } catch let error as IOError where error.errnoCode == EAGAIN {
      // A listener exists, but its queue of connections is full.
      throw ControlError(
        .serviceUnavailable, "The cairnd at \(socket) is too busy to answer.",
        remedy: "Try again in a moment.", path: .init(socket))
    } catch {
      throw ControlError(
        .notRunning, "No cairnd answers at \(socket).",
        remedy: "Start it with `cairn start`.", path: .init(socket))
    }
  }

  /// Refuses a daemon of another user.
  private func checkPeer(of channel: any Channel, at socket: String) throws(ControlError) {
    let peer: PeerCredentials
    do { peer = try PeerCredentials.of(channel).wait() } catch {
      throw ControlError(
        .notRunning, "The cairnd at \(socket) has gone.",
        remedy: "Start it with `cairn start`.", path: .init(socket))
    }
    guard peer.user != user else { return }
    throw ControlError(
      .permissionFailure,
      "Another user (user \(peer.user)) listens at \(socket). Nothing was sent.",
      remedy: "Look whose folder that is, and set CAIRN_HOME to one of yours.",
      path: .init(socket))
  }

  private func send(_ body: [UInt8], to uri: String, over channel: any Channel) {
    let headers = HTTPHeaders([
      ("host", "cairnd"), ("content-type", "application/json"),
      ("content-length", String(body.count)), ("connection", "close"),
    ])
    let head = HTTPRequestHead(version: .http1_1, method: .POST, uri: uri, headers: headers)
    channel.write(HTTPClientRequestPart.head(head), promise: nil)
    channel.write(
      HTTPClientRequestPart.body(.byteBuffer(ByteBuffer(bytes: body))), promise: nil)
    channel.writeAndFlush(HTTPClientRequestPart.end(nil), promise: nil)
  }
}

/// Passes the bytes of one response's body to the waiting caller. It runs on the event loop.
private final class ResponseReceiver: ChannelInboundHandler {
  typealias InboundIn = HTTPClientResponsePart

  private let lines: ResponseLines

  init(_ lines: ResponseLines) {
    self.lines = lines
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    switch unwrapInboundIn(data) {
    case .head(let head): lines.begin(version: head.headers.first(name: Control.versionHeader))
    case .body(let part): lines.append(part.readableBytesView)
    case .end: lines.end()
    }
  }

  func channelReadComplete(context: ChannelHandlerContext) {
    if !lines.pauseIfFull() { context.read() }
    context.fireChannelReadComplete()
  }

  func channelInactive(context: ChannelHandlerContext) {
    lines.end()
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    lines.end(
      ControlError(
        .interrupted, "The connection to the daemon broke: \(error)",
        remedy: "Work continues in the background. Try again when the daemon is running."))
    context.close(promise: nil)
  }
}
