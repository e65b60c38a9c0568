import CairnControl
import NIOHTTP1

/// What stands between a transport and the routes: it says what becomes of a request, by its head
/// alone. It is asked on the event loop, and must not block.
protocol ControlDoor: Sendable {
  /// What goes with every answer.
  var headers: HTTPHeaders { get }
  /// What becomes of a request.
  func admit(_ head: HTTPRequestHead) -> Admission
  /// The answer to a request for an operation begins.
  /// - Returns: what is called once when that answer is complete, or its client has gone.
  func begin() -> (@Sendable () -> Void)?
}

/// What becomes of a request.
enum Admission: Sendable {
  /// The routes are asked for this operation.
  case operation(String, ControlWork)
  /// The transport answers by itself, on a thread for short work.
  case own(@Sendable (_ body: [UInt8], _ stream: ResponseStream) -> Void)
  /// Nobody is asked.
  case refusal(ControlError, HTTPResponseStatus)

  /// Whether nobody is asked.
  var isRefusal: Bool {
    if case .refusal = self { true } else { false }
  }

  /// Whether somebody uses what there is to ask for, who was let in.
  var isUse: Bool {
    if case .operation = self { true } else { false }
  }

  /// A refusal of what isn't there, or isn't asked for like that.
  static func refusal(_ message: String, _ status: HTTPResponseStatus) -> Admission {
    .refusal(
      ControlError(
        .invalidArguments, message,
        remedy: "Operations are asked for by POST to \(Control.pathPrefix)NAME; see cairnd(8)."),
      status)
  }

  /// What every transport does with the address of an operation, or of a document.
  static func route(
    _ head: HTTPRequestHead, _ path: Substring, _ responder: any ControlResponder
  ) -> Admission {
    if head.method == .GET, let give = responder.document(at: String(path)) {
      return .own { _, stream in give(stream) }
    }
    guard path.hasPrefix(Control.pathPrefix) else {
      return .refusal("There is nothing at \(path).", .notFound)
    }
    let operation = String(path.dropFirst(Control.pathPrefix.count))
    guard let work = responder.work(for: operation) else {
      return .refusal("The daemon knows no operation called \(operation).", .notFound)
    }
    guard head.method == .POST else {
      return .refusal(
        "\(operation) is asked for by POST, not \(head.method).", .methodNotAllowed)
    }
    return .operation(operation, work)
  }
}

/// The door of the Unix socket: who got to it is this user, and may ask for anything.
struct SocketDoor: ControlDoor {
  let responder: any ControlResponder
  let headers: HTTPHeaders

  /// For a daemon of that version, which it tells with every answer.
  init(responder: any ControlResponder, version: String = Control.version) {
    self.responder = responder
    headers = HTTPHeaders([(Control.versionHeader, version)])
  }

  func admit(_ head: HTTPRequestHead) -> Admission {
    .route(head, head.uri.prefix { $0 != "?" }, responder)
  }

  func begin() -> (@Sendable () -> Void)? { nil }
}
