import CairnControl

/// Who answers requests. It is called on a thread of its own, may block, and must end the stream
/// with `finish` or `fail`.
public protocol ControlResponder: Sendable {
  /// What kind of work an operation is; nil if there is no operation of that name.
  func work(for operation: String) -> ControlWork?
  /// Answers one request. `body` is the JSON of the operation, at most `Control.bodyLimit` bytes.
  func respond(to operation: String, body: [UInt8], stream: ResponseStream)
  /// Who answers a GET of this path, which asks for no operation; nil if nobody does.
  func document(at path: String) -> (@Sendable (ResponseStream) -> Void)?
}

extension ControlResponder {
  /// Nobody answers any.
  public func document(at path: String) -> (@Sendable (ResponseStream) -> Void)? { nil }
}

/// What kind of work an operation is: it decides on which thread it runs.
public enum ControlWork: Hashable, Sendable {
  /// Answers from memory or by a few small reads: one of a few threads serves all of these.
  case short
  /// May wait for a person, a disk or a container: has a thread of its own as long as it lasts.
  case waiting
}
