import CairnControl
import NIOHTTP1

/// The check between a transport and the routes: it decides about a request by its head alone. It
/// runs on the event loop, and must not block.
protocol ControlDoor: Sendable {
  /// The headers of every answer.
  var headers: HTTPHeaders { get }
  /// Decides about a request.
  func admit(_ head: HTTPRequestHead) -> Admission
  /// Notes the start of an answer to a request for an operation.
  /// - Returns: A function that is called once when that answer is complete, or its client has
  ///   gone.
  func begin() -> (@Sendable () -> Void)?
}

/// The decision about a request.
enum Admission: Sendable {
  /// This responder performs the operation.
  case operation(String, ControlWork, any ControlResponder)
  /// The transport answers by itself, on a thread for short work.
  case own(@Sendable (_ body: [UInt8], _ stream: ResponseStream) -> Void)
  /// Refused.
  case refusal(ControlError, HTTPResponseStatus)

  /// A Boolean value that indicates whether it is a refusal.
  var isRefusal: Bool {
    if case .refusal = self { true } else { false }
  }

  /// A Boolean value that indicates whether it is an operation or document for an admitted client.
  var isUse: Bool {
    if case .operation = self { true } else { false }
  }

  /// The size limit of the body, in bytes. A commit of a program may be as large as an entry.
  var bodyLimit: Int {
    switch self {
    case .operation(Control.ProgramModify.name, _, _): Control.commitLimit
    case .operation(Control.ConflictSave.name, _, _): Control.textLimit
    default: Control.bodyLimit
    }
  }

  /// Returns a refusal of an unknown address or method.
  static func refusal(_ message: String, _ status: HTTPResponseStatus) -> Admission {
    .refusal(
      ControlError(
        .invalidArguments, message,
        remedy: "Operations are asked for by POST to \(Control.pathPrefix)NAME; see cairnd(8)."),
      status)
  }

  /// Handles the address of an operation or of a document, in every transport.
  static func route(
    _ head: HTTPRequestHead, _ path: Substring, _ responder: any ControlResponder
  ) -> Admission {
    if path.hasPrefix(Control.containerPrefix) {
      let rest = path.dropFirst(Control.containerPrefix.count)
      let name = rest.prefix { $0 != "/" }
      guard let part = responder.part(named: String(name)) else {
        return .refusal(Control.unknownContainer(String(name)), .notFound)
      }
      return route(head, rest.dropFirst(name.count), part)
    }
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
    return .operation(operation, work, responder)
  }
}

/// The door of the Unix socket: a client that reaches it is this user, and may call every
/// operation.
struct SocketDoor: ControlDoor {
  let responder: any ControlResponder
  let headers: HTTPHeaders

  /// Creates a door for a daemon of that version, which is in every answer.
  init(responder: any ControlResponder, version: String = Control.version) {
    self.responder = responder
    headers = HTTPHeaders([(Control.versionHeader, version)])
  }

  func admit(_ head: HTTPRequestHead) -> Admission {
    .route(head, head.uri.prefix { $0 != "?" }, responder)
  }

  func begin() -> (@Sendable () -> Void)? { nil }
}
