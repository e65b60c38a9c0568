import CairnControl
import CairnThreads
import NIOCore
import NIOHTTP1

/// The answer to one request, line by line, from any thread. Events go to a client that reads:
/// these calls never block, and a client that stops reading is cut off when it is `unsentLimit`
/// bytes behind; its work continues. A requested list waits for its reader: `items` blocks.
public final class ResponseStream: Sendable {
  /// The number of unsent bytes above which no other line is written.
  static let unsentLimit = 4 << 20
  /// The number of unsent bytes above which a list waits.
  private static let listComfort = 256 << 10
  /// The number of elements of a list that are sent together.
  static let portion = 256
  /// The number of unsent bytes above which `progress` lines are left out.
  private static let unsentComfort = 64 << 10

  private struct State: Sendable {
    var hasBegun = false
    var hasEnded = false
    var isGone = false
    /// A Boolean value that indicates whether the client was too far behind; the connection is
    /// closing.
    var isCutOff = false
    var isLastOfConnection: Bool
    var whenGone: (@Sendable () -> Void)?
    /// Called once, when the answer is complete or its client has gone.
    var whenOver: (@Sendable () -> Void)?
    var unsent = 0
    /// The headers of an answer other than lines of JSON.
    var plain: HTTPHeaders?
    /// The container that the answer names; nil in a home with one.
    var container: String?
  }

  private let channel: any Channel
  /// The headers of every answer.
  private let headers: HTTPHeaders
  private let state: Monitor<State>

  init(
    channel: any Channel, keepAlive: Bool, headers: HTTPHeaders = HTTPHeaders(),
    whenOver: (@Sendable () -> Void)? = nil
  ) {
    self.channel = channel
    self.headers = headers
    state = Monitor(State(isLastOfConnection: !keepAlive, whenOver: whenOver))
  }

  /// Adds the name of the container to the reply and to each status.
  func name(_ container: String) { state.change { $0.container = container } }

  /// A Boolean value that indicates whether the last line was written.
  var hasEnded: Bool { state.change { $0.hasEnded } }

  /// Returns when the answer is complete, or its client has gone.
  func waitForEnd() {
    _ = state.wait(until: nil) { $0.hasEnded || $0.isGone ? true : nil }
  }

  /// Calls `body` once when the client goes away before the answer is complete; at once if it has
  /// gone already. It runs on the server's only thread, so it must not block. A later call replaces
  /// `body`.
  public func onDisconnect(_ body: @escaping @Sendable () -> Void) {
    let isGone = state.change { state in
      if !state.isGone && !state.hasEnded { state.whenGone = body }
      return state.isGone
    }
    if isGone { body() }
  }

  /// Writes a `progress` line; left out when the client is behind with reading.
  public func progress(_ progress: Control.Progress) {
    guard state.change({ $0.unsent < Self.unsentComfort }) else { return }
    write(Control.Line<Control.PingReply>.update(.progress(progress)))
  }

  /// Writes a `problem` line.
  public func problem(_ problem: Control.Problem) {
    write(Control.Line<Control.PingReply>.update(.problem(problem)))
  }

  /// Writes an `event` line about an event before the request, as `items` does.
  /// - Throws: `operationCancelled` if the client has gone away, or the answer has ended.
  public func remembered(_ event: Control.Event) throws(ControlError) {
    try awaitReader()
    self.event(event)
  }

  /// Writes an `event` line.
  public func event(_ event: Control.Event) {
    write(Control.Line<Control.PingReply>.update(.event(event)))
  }

  /// Writes a `status` line, as `remembered` does: a slow reader gets fewer.
  /// - Throws: `operationCancelled` if the client has gone away, or the answer has ended.
  public func status(_ status: Control.StatusReply) throws(ControlError) {
    try awaitReader()
    write(Control.Line<Control.PingReply>.update(.status(status)))
  }

  /// Writes portions of the reply's list, and returns when most of it is sent: a slow reader is
  /// waited for. Only for an operation with a thread of its own.
  /// - Throws: `operationCancelled` if the client has gone away, or the answer has ended.
  public func items(_ items: some Collection<some Encodable>) throws(ControlError) {
    var rest = items[...]
    while !rest.isEmpty {
      try awaitReader()
      write(
        Array("{\"items\":".utf8) + Self.json(Array(rest.prefix(Self.portion)))
          + Array("}\n".utf8))
      rest = rest.dropFirst(Self.portion)
    }
  }

  /// Returns when the client has read most of the unsent bytes.
  private func awaitReader() throws(ControlError) {
    let isGone = state.wait(until: nil) { state -> Bool? in
      if state.isGone || state.hasEnded || state.isCutOff { return true }
      return state.unsent < Self.listComfort ? false : nil
    }
    guard isGone == false else {
      throw ControlError(.operationCancelled, "Nobody reads the answer any more.")
    }
  }

  /// Writes the `reply` line, which ends the answer; a list goes before it as with `items`. Later
  /// lines are dropped.
  public func finish<Reply: Codable & Sendable>(_ reply: Reply) {
    guard let list = reply as? any ControlListReply else {
      write(Control.Line<Reply>.reply(reply), isLast: true)
      return
    }
    finish(list: list)
  }

  private func finish<Reply: ControlListReply>(list reply: Reply) {
    do {
      try items(reply.items)
    } catch {
      return
    }
    var rest = reply
    rest.items = []
    write(Control.Line<Reply>.reply(rest), isLast: true)
  }

  /// Writes the `error` line, which ends the answer. Later lines are dropped.
  public func fail(_ error: ControlError) {
    fail(error, status: .ok)
  }

  /// The same as `fail`, with this HTTP status if nothing was written yet.
  func fail(_ error: ControlError, status: HTTPResponseStatus) {
    write(Control.Line<Control.PingReply>.error(error), isLast: true, status: status)
  }

  /// Answers with bytes of this type instead of lines of JSON, all at once.
  func finish(_ bytes: [UInt8], type: String) {
    state.change { state in
      guard !state.hasBegun else { return }
      state.plain = HTTPHeaders([
        ("content-type", type), ("content-length", String(bytes.count)),
      ])
    }
    write(bytes, isLast: true)
  }

  /// Closes the connection after the answer: at once if it is complete.
  func closeAfterwards() {
    let isComplete = state.change { state in
      state.isLastOfConnection = true
      return state.hasEnded && state.unsent == 0
    }
    if isComplete { channel.close(promise: nil) }
  }

  /// Notes that the connection is closed.
  func disconnected() {
    let (body, over) = state.change { state -> ((@Sendable () -> Void)?, (@Sendable () -> Void)?) in
      guard !state.isGone else { return (nil, nil) }
      state.isGone = true
      defer { (state.whenGone, state.whenOver) = (nil, nil) }
      return (state.hasEnded ? nil : state.whenGone, state.whenOver)
    }
    body?()
    over?()
  }
}

extension ResponseStream {
  private func write<Reply: Codable & Sendable>(
    _ line: Control.Line<Reply>, isLast: Bool = false, status: HTTPResponseStatus = .ok
  ) {
    var json = Self.json(line)
    switch line {
    case .reply, .update(.status): addContainer(to: &json)
    case .update, .error: break
    }
    write(json + [UInt8(ascii: "\n")], isLast: isLast, status: status)
  }

  /// Adds the name of the container as the first member of the object in `{"word":{…}}`.
  private func addContainer(to json: inout [UInt8]) {
    guard let name = state.change({ $0.container }),
      let start = json.dropFirst().firstIndex(of: UInt8(ascii: "{"))
    else { return }
    let isEmpty = json[start + 1] == UInt8(ascii: "}")
    let member = Array("\"containerName\":".utf8) + Self.json(name)
    json.insert(contentsOf: member + (isEmpty ? [] : [UInt8(ascii: ",")]), at: start + 1)
  }

  private static func json(_ value: some Encodable) -> [UInt8] {
    do {
      return try ControlJSON.encode(value)
    } catch {
      // Only a number without a form in JSON (NaN) can lead here.
      preconditionFailure("A line of the control protocol can't be encoded: \(error)")
    }
  }

  private func write(
    _ bytes: [UInt8], isLast: Bool = false, status: HTTPResponseStatus = .ok
  ) {
    state.change { state in
      guard !state.hasEnded, !state.isGone, !state.isCutOff else { return }
      // A line of any length is accepted: only a client that hasn't read the earlier ones is too
      // far behind. The last line may follow one of any length, in the same answer.
      guard isLast || state.unsent <= Self.unsentLimit else {
        state.isCutOff = true
        channel.close(promise: nil)
        return
      }
      state.unsent += bytes.count
      let head = state.hasBegun ? nil : head(status, state)
      state.hasBegun = true
      state.hasEnded = isLast
      // Within the lock, so that lines of several threads reach the loop in the order of the head.
      channel.eventLoop.execute { self.send(head, bytes, isLast: isLast) }
    }
  }

  private func head(_ status: HTTPResponseStatus, _ state: State) -> HTTPResponseHead {
    var headers =
      state.plain
      ?? HTTPHeaders([
        ("content-type", "application/x-ndjson"), ("transfer-encoding", "chunked"),
      ])
    headers.add(contentsOf: self.headers)
    if state.isLastOfConnection { headers.add(name: "connection", value: "close") }
    return HTTPResponseHead(version: .http1_1, status: status, headers: headers)
  }

  /// Sends bytes, on the event loop.
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
    let (isOver, over) = state.change { state -> (Bool, (@Sendable () -> Void)?) in
      state.unsent -= count
      defer { if isLast { state.whenOver = nil } }
      return (isLast && state.isLastOfConnection, isLast ? state.whenOver : nil)
    }
    over?()
    if isOver { channel.close(promise: nil) }
  }
}
