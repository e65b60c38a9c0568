import CairnControl
import CairnThreads
import NIOCore
import NIOHTTP1

/// One connection of a client: collects a request, gives it to the responder on a thread that may
/// block, and tells the stream when the client goes away. It lives on the event loop.
final class ControlConnection: ChannelInboundHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias OutboundOut = HTTPServerResponsePart

  private let responder: any ControlResponder
  private let pool: BlockingPool
  private var head: HTTPRequestHead?
  private var body: [UInt8] = []
  private var isTooLong = false
  private var stream: ResponseStream?
  private var isEnding = false
  private var isWaiting = false

  init(responder: any ControlResponder, pool: BlockingPool) {
    self.responder = responder
    self.pool = pool
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    switch unwrapInboundIn(data) {
    case .head(let head):
      // One request at a time: the next one may only come after the answer.
      guard stream?.hasEnded ?? true, !isEnding else {
        context.close(promise: nil)
        return
      }
      self.head = head
      body.removeAll()
      isTooLong = false
    case .body(let part):
      guard head != nil else { return }
      // What is too long is read to its end all the same: a client that still writes wouldn't see
      // the answer.
      isTooLong = isTooLong || body.count + part.readableBytes > Control.bodyLimit
      if isTooLong { body.removeAll() } else { body.append(contentsOf: part.readableBytesView) }
    case .end:
      guard let head else { return }
      self.head = nil
      answer(head, context)
    }
  }

  func channelInactive(context: ChannelHandlerContext) {
    stream?.disconnected()
    stream = nil
    context.fireChannelInactive()
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    context.close(promise: nil)
  }

  /// The server ends: the client is told, unless its answer is complete.
  func end(context: ChannelHandlerContext) {
    isEnding = true
    guard let stream else {
      context.close(promise: nil)
      return
    }
    stream.closeAfterwards()
    // Short work is about to answer by itself, `stop` first of all.
    guard isWaiting else { return }
    stream.fail(
      ControlError(
        .interrupted, "The daemon ended before the answer was complete.",
        remedy: "What was begun goes on when it starts again; then ask once more."))
  }

  private func answer(_ head: HTTPRequestHead, _ context: ChannelHandlerContext) {
    let stream = ResponseStream(channel: context.channel, keepAlive: head.isKeepAlive)
    self.stream = stream
    guard !isTooLong else {
      stream.fail(
        ControlError(
          .limitExceeded, "The request is longer than \(Control.bodyLimit) bytes.",
          remedy: "Ask for less at once."), status: .payloadTooLarge)
      return
    }
    let path = head.uri.prefix { $0 != "?" }
    guard path.hasPrefix(Control.pathPrefix) else {
      refuse(stream, "There is nothing at \(path).", .notFound)
      return
    }
    let operation = String(path.dropFirst(Control.pathPrefix.count))
    guard let work = responder.work(for: operation) else {
      refuse(stream, "The daemon knows no operation called \(operation).", .notFound)
      return
    }
    guard head.method == .POST else {
      refuse(stream, "\(operation) is asked for by POST, not \(head.method).", .methodNotAllowed)
      return
    }
    let body = body
    self.body = []
    let responder = responder
    let respond = { @Sendable in responder.respond(to: operation, body: body, stream: stream) }
    isWaiting = work == .waiting
    switch work {
    case .short: pool.submitShort(respond)
    case .waiting:
      guard pool.submitWaiting(respond) else {
        stream.fail(
          ControlError(
            .requestRateLimited, "The daemon already serves \(pool.waitingLimit) long requests.",
            remedy: "End some of them, as `cairn events --follow` or `cairn wait`, and try again."),
          status: .serviceUnavailable)
        return
      }
    }
  }

  private func refuse(_ stream: ResponseStream, _ message: String, _ status: HTTPResponseStatus) {
    stream.fail(
      ControlError(
        .invalidArguments, message,
        remedy: "Operations are asked for by POST to \(Control.pathPrefix)NAME; see cairnd(8)."),
      status: status)
  }
}
