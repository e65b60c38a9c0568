import CairnControl
import CairnThreads
import NIOCore
import NIOHTTP1

/// One connection of a client: it collects a request that its door admits, gives it to the
/// responder that the door names, on a thread that may block, and tells the stream when the client
/// goes away. It runs on the event loop.
final class ControlConnection: ChannelInboundHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias OutboundOut = HTTPServerResponsePart

  private let door: any ControlDoor
  private let pool: BlockingPool
  /// Is called when an operation is admitted here.
  private let whenAdmitted: @Sendable () -> Void
  private var head: HTTPRequestHead?
  private var admission: Admission?
  private var body: [UInt8] = []
  private var isTooLong = false
  private var stream: ResponseStream?
  private var isEnding = false
  private var isWaiting = false
  private var isFollowing = false

  init(
    door: any ControlDoor, pool: BlockingPool, whenAdmitted: @escaping @Sendable () -> Void = {}
  ) {
    self.whenAdmitted = whenAdmitted
    self.door = door
    self.pool = pool
  }

  /// A Boolean value that indicates whether the requests here are answered, and none is being sent.
  /// A client that only follows changes begins again by itself.
  var isAnswered: Bool { head == nil && (isFollowing || stream?.hasEnded ?? false) }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    switch unwrapInboundIn(data) {
    case .head(let head):
      // One request at a time: the next one may only come after the answer.
      guard stream?.hasEnded ?? true, !isEnding else {
        context.close(promise: nil)
        return
      }
      self.head = head
      admission = door.admit(head)
      body.removeAll()
      isTooLong = false
    case .body(let part):
      guard head != nil else { return }
      let limit = admission?.bodyLimit ?? Control.bodyLimit
      // A request that is too long is still read to its end: a client that is writing wouldn't see
      // the answer.
      isTooLong = isTooLong || body.count + part.readableBytes > limit
      if isTooLong || admission?.isRefusal ?? true {
        body.removeAll()
      } else {
        body.append(contentsOf: part.readableBytesView)
      }
    case .end:
      guard let head, let admission else { return }
      (self.head, self.admission) = (nil, nil)
      answer(admission, head, context)
    }
  }

  func channelInactive(context: ChannelHandlerContext) {
    stream?.disconnected()
    stream = nil
    context.fireChannelInactive()
  }

  /// Closes an idle connection; only a transport that strangers reach requests that.
  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if event is IdleStateHandler.IdleStateEvent, stream?.hasEnded ?? true {
      context.close(promise: nil)
    }
    context.fireUserInboundEventTriggered(event)
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    context.close(promise: nil)
  }

  /// Ends the connection because the server ends: the client is told, unless its answer is
  /// complete.
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
        remedy: "Work continues when the daemon starts again; then try again."))
  }

  private func answer(
    _ admission: Admission, _ head: HTTPRequestHead, _ context: ChannelHandlerContext
  ) {
    let stream = ResponseStream(
      channel: context.channel, keepAlive: head.isKeepAlive, headers: door.headers,
      whenOver: admission.isUse ? door.begin() : nil)
    self.stream = stream
    guard !isTooLong else {
      stream.fail(
        ControlError(
          .limitExceeded, "The request is longer than \(admission.bodyLimit) bytes.",
          remedy: "Ask for less at once."), status: .payloadTooLarge)
      return
    }
    let body = body
    self.body = []
    isWaiting = false
    switch admission {
    case .refusal(let error, let status): stream.fail(error, status: status)
    case .own(let respond): pool.submitShort { respond(body, stream) }
    case .operation(let operation, let work, let responder):
      let respond = { @Sendable in responder.respond(to: operation, body: body, stream: stream) }
      whenAdmitted()
      isWaiting = work == .waiting
      isFollowing = operation == Control.ProgramFollow.name
      switch work {
      case .short: pool.submitShort(respond)
      case .waiting: wait(for: respond, stream)
      }
    }
  }

  private func wait(for respond: @escaping @Sendable () -> Void, _ stream: ResponseStream) {
    guard !pool.submitWaiting(respond) else { return }
    stream.fail(
      ControlError(
        .requestRateLimited, "The daemon already serves \(pool.waitingLimit) long requests.",
        remedy: "End some of them, as `cairn events --follow` or `cairn wait`, and try again."),
      status: .serviceUnavailable)
  }
}
