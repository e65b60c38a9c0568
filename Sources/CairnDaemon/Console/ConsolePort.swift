import CairnConsole
import CairnControl
import CairnThreads
import NIOCore
import NIOHTTP1
import NIOPosix
import Synchronization

/// One opening of the console: a port on the loopback interface, its admitted pages, and its end.
/// It is the door of that port: every request must be addressed to it (`Host`), and a request for
/// an operation must come from its own page (`Origin`) and carry a token.
final class ConsolePort: ControlDoor {
  private let responder: any ControlResponder
  private let loop: any EventLoop
  private let idle: TimeAmount
  private let clock: @Sendable () -> Control.Time
  private let state = Mutex(State())

  private struct State {
    var port: UInt16 = 0
    var keys = ConsoleKeys()
    /// The number of answers in progress.
    var uses = 0
    var ending: Scheduled<Void>?
    var transport: ControlTransport?
    var isOver = false
  }

  /// Creates a port that isn't open yet.
  /// - Parameters:
  ///   - responder: The operations for pages.
  ///   - loop: The event loop for requests and times.
  ///   - idle: The time that it stays open without a request.
  ///   - clock: The clock for the age of a secret.
  init(
    responder: any ControlResponder, loop: any EventLoop, idle: TimeAmount,
    clock: @escaping @Sendable () -> Control.Time = { .now() }
  ) {
    self.responder = responder
    self.loop = loop
    self.idle = idle
    self.clock = clock
  }

  // MARK: Life

  /// Listens on a free port.
  func open(on group: MultiThreadedEventLoopGroup, _ pool: BlockingPool) throws {
    let transport = ControlTransport(
      group: group, door: self, pool: pool,
      limits: ControlTransport.Limits(connections: 64, silence: .seconds(60))
    ) { $0.eventLoop.makeSucceededVoidFuture() }
    let address = try transport.start { $0.bind(host: "127.0.0.1", port: 0) }
    state.withLock { state in
      state.port = UInt16(address?.port ?? 0)
      state.transport = transport
    }
  }

  /// A Boolean value that indicates whether pages may still come.
  var isOpen: Bool { state.withLock { !$0.isOver } }

  /// Makes a secret that admits one page; nil if the port is closed.
  func invite() -> Control.ConsoleReply? {
    let expires = Control.Time(nanoseconds: clock().nanoseconds + idle.nanoseconds)
    return state.withLock { state in
      guard !state.isOver else { return nil }
      let secret = state.keys.makeSecret(until: expires)
      if state.uses == 0 { waitForUse(&state) }
      return Control.ConsoleReply(
        url: "http://127.0.0.1:\(state.port)/#\(secret)", port: state.port, expires: expires)
    }
  }

  /// Closes it and everything begun there: the daemon ends.
  func stop() {
    let transport = state.withLock { state in
      state.isOver = true
      state.ending?.cancel()
      return state.transport
    }
    transport?.stop()
  }

  /// Notes the start of an answer to a page; the port stays open until its end, and some time more.
  func begin() -> (@Sendable () -> Void)? {
    state.withLock { state in
      state.uses += 1
      state.ending?.cancel()
      state.ending = nil
    }
    return { [self] in
      state.withLock { state in
        state.uses -= 1
        if state.uses == 0, !state.isOver { waitForUse(&state) }
      }
    }
  }

  private func waitForUse(_ state: inout State) {
    state.ending?.cancel()
    state.ending = loop.scheduleTask(in: idle) { [self] in endIfIdle() }
  }

  private func endIfIdle() {
    let transport = self.state.withLock { state -> ControlTransport? in
      guard state.uses == 0 else { return nil }
      state.isOver = true
      return state.transport
    }
    transport?.close()
  }

  // MARK: The door

  /// The page loads nothing from elsewhere, runs only its own scripts, isn't framed, guessed at or
  /// cached, and sends no referrer.
  let headers = HTTPHeaders([
    (
      "content-security-policy",
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; "
        + "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
        + "require-trusted-types-for 'script'; trusted-types 'none'"
    ),
    ("x-content-type-options", "nosniff"), ("referrer-policy", "no-referrer"),
    ("cross-origin-opener-policy", "same-origin"),
    ("cross-origin-resource-policy", "same-origin"), ("x-frame-options", "DENY"),
    ("permissions-policy", "camera=(), geolocation=(), microphone=(), payment=(), usb=()"),
    ("cache-control", "no-store"),
  ])

  func admit(_ head: HTTPRequestHead) -> Admission {
    let host = "127.0.0.1:\(state.withLock(\.port))"
    guard head.headers["host"] == [host] else {
      return Self.refusal("This is the console of \(host), and nothing else.", .misdirectedRequest)
    }
    let origins = head.headers["origin"]
    guard origins.isEmpty || origins == ["http://" + host] else {
      return Self.refusal("Another page asked the console.", .forbidden)
    }
    let path = head.uri.prefix { $0 != "?" }
    if head.method == .GET, let file = ConsolePage.file(String(path.dropFirst())) {
      return .own { _, stream in stream.finish(file.bytes, type: file.type) }
    }
    // A program that measures has a token, and isn't a page.
    if head.method == .GET, hasToken(head), let give = responder.document(at: String(path)) {
      return .own { _, stream in give(stream) }
    }
    // A client that isn't a page of this origin doesn't even learn which operations exist.
    guard head.method == .POST, origins.count == 1 else {
      return Self.refusal("There is nothing at \(path) to look at.", .notFound)
    }
    if path == "/enter" { return .own { [self] in enter($0, $1) } }
    guard hasToken(head) else {
      return Self.refusal("The console doesn't know this page, or not any more.", .unauthorized)
    }
    return .route(head, path, responder)
  }

  private func hasToken(_ head: HTTPRequestHead) -> Bool {
    let words = head.headers["authorization"].map { $0.split(separator: " ") }
    guard words.count == 1, words[0].count == 2, words[0][0] == "Bearer" else { return false }
    return state.withLock { $0.keys.isToken(words[0][1]) }
  }

  private static func refusal(_ message: String, _ status: HTTPResponseStatus) -> Admission {
    .refusal(
      ControlError(
        .permissionFailure, message, remedy: "Run `cairn console`, and open what it says."), status)
  }

  /// The request of a page for admission.
  private struct Entry: Decodable { var secret: String }
  /// The answer.
  private struct Entered: Codable, Sendable { var token: String }

  private func enter(_ body: [UInt8], _ stream: ResponseStream) {
    let token: String?
    do {
      let entry = try ControlJSON.decode(Entry.self, from: body)
      token = state.withLock { $0.keys.enter(entry.secret, at: clock()) }
    } catch {
      token = nil
    }
    guard let token else {
      return stream.fail(
        ControlError(
          .permissionFailure, "The address was used already, or is too old.",
          remedy: "Run `cairn console` for another one."), status: .forbidden)
    }
    stream.finish(Entered(token: token))
  }
}
