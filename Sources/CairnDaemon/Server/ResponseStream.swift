import CairnControl
import NIOCore
import NIOHTTP1
import Synchronization

/// The answer to one request, line by line, from any thread. No call blocks: a client that stops
/// reading is cut off when it is `unsentLimit` bytes behind, and loses only what it would have
/// seen. The work for it goes on.
public final class ResponseStream: Sendable {
  /// How many bytes may wait for a client that doesn't read.
  static let unsentLimit = 4 << 20
  /// Above so many unsent bytes, `progress` lines are left out.
  private static let unsentComfort = 64 << 10

  private struct State {
    var hasBegun = false
    var hasEnded = false
    var isGone = false
    var isLastOfConnection: Bool
    var whenGone: (@Sendable () -> Void)?
    var unsent = 0
  }

  private let channel: any Channel
  private let state: Mutex<State>

  init(channel: any Channel, keepAlive: Bool) {
    self.channel = channel
    state = Mutex(State(isLastOfConnection: !keepAlive))
  }

  /// Whether the last line has been given.
  var hasEnded: Bool { state.withLock { $0.hasEnded } }

  /// Calls `body` once when the client goes away before the answer is complete; at once if it has
  /// gone already. It runs on the server's only thread, so it must not block. A later call
  /// replaces `body`.
  public func onDisconnect(_ body: @escaping @Sendable () -> Void) {
    let isGone = state.withLock { state in
      if !state.isGone && !state.hasEnded { state.whenGone = body }
      return state.isGone
    }
    if isGone { body() }
  }

  /// Writes a `progress` line; left out when the client is behind with reading.
  public func progress(_ progress: Control.Progress) {
    guard state.withLock({ $0.unsent < Self.unsentComfort }) else { return }
    write(Control.Line<Control.PingReply>.update(.progress(progress)))
  }

  /// Writes an `event` line.
  public func event(_ event: Control.Event) {
    write(Control.Line<Control.PingReply>.update(.event(event)))
  }

  /// Writes the `reply` line, which ends the answer. Whatever comes after is dropped.
  public func finish<Reply: Codable & Sendable>(_ reply: Reply) {
    write(Control.Line<Reply>.reply(reply), isLast: true)
  }

  /// Writes the `error` line, which ends the answer. Whatever comes after is dropped.
  public func fail(_ error: ControlError) {
    fail(error, status: .ok)
  }

  /// As `fail`, with this HTTP status if nothing has been written yet.
  func fail(_ error: ControlError, status: HTTPResponseStatus) {
    write(Control.Line<Control.PingReply>.error(error), isLast: true, status: status)
  }

  /// Closes the connection after the answer: at once if it is complete.
  func closeAfterwards() {
    let isComplete = state.withLock { state in
      state.isLastOfConnection = true
      return state.hasEnded && state.unsent == 0
    }
    if isComplete { channel.close(promise: nil) }
  }

  /// The connection is closed.
  func disconnected() {
    let body = state.withLock { state -> (@Sendable () -> Void)? in
      guard !state.isGone else { return nil }
      state.isGone = true
      defer { state.whenGone = nil }
      return state.hasEnded ? nil : state.whenGone
    }
    body?()
  }
}

extension ResponseStream {
  private func write<Reply: Codable & Sendable>(
    _ line: Control.Line<Reply>, isLast: Bool = false, status: HTTPResponseStatus = .ok
  ) {
    let bytes: [UInt8]
    do {
      bytes = try ControlJSON.encode(line) + [UInt8(ascii: "\n")]
    } catch {
      // Only a number that JSON has no form for (NaN) can bring us here.
      preconditionFailure("A line of the control protocol can't be encoded: \(error)")
    }
    state.withLock { state in
      guard !state.hasEnded, !state.isGone else { return }
      state.unsent += bytes.count
      guard state.unsent <= Self.unsentLimit else {
        channel.close(promise: nil)
        return
      }
      let head = state.hasBegun ? nil : head(status, isLastOfConnection: state.isLastOfConnection)
      state.hasBegun = true
      state.hasEnded = isLast
      // Within the lock, so that lines of several threads reach the loop in the order of the head.
      channel.eventLoop.execute { self.send(head, bytes, isLast: isLast) }
    }
  }

  private func head(
    _ status: HTTPResponseStatus, isLastOfConnection: Bool
  ) -> HTTPResponseHead {
    var headers = HTTPHeaders([
      ("content-type", "application/x-ndjson"), ("transfer-encoding", "chunked"),
    ])
    if isLastOfConnection { headers.add(name: "connection", value: "close") }
    return HTTPResponseHead(version: .http1_1, status: status, headers: headers)
  }

  /// On the event loop.
  private func send(_ head: HTTPResponseHead?, _ bytes: [UInt8], isLast: Bool) {
    if let head { channel.write(HTTPServerResponsePart.head(head), promise: nil) }
    let written = channel.eventLoop.makePromise(of: Void.self)
    written.futureResult.whenComplete { _ in self.sent(bytes.count, isLast: isLast) }
    let body = HTTPServerResponsePart.body(.byteBuffer(ByteBuffer(bytes: bytes)))
    guard isLast else {
      channel.writeAndFlush(body, promise: written)
      return
    }
    channel.write(body, promise: nil)
    channel.writeAndFlush(HTTPServerResponsePart.end(nil), promise: written)
  }

  private func sent(_ count: Int, isLast: Bool) {
    let isOver = state.withLock { state in
      state.unsent -= count
      return isLast && state.isLastOfConnection
    }
    if isOver { channel.close(promise: nil) }
  }
}
