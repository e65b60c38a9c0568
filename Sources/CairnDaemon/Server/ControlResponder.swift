import CairnControl

/// The receiver of requests. It is called on a thread of its own, may block, and must end the
/// stream with `finish` or `fail`.
public protocol ControlResponder: Sendable {
  /// Returns the kind of work of an operation; nil if there is no operation with that name.
  func work(for operation: String) -> ControlWork?
  /// Answers one request. `body` is the JSON of the operation, at most `Control.bodyLimit` bytes.
  func respond(to operation: String, body: [UInt8], stream: ResponseStream)
  /// Returns the function that answers a GET of this path, which isn't an operation; nil if there
  /// is none.
  func document(at path: String) -> (@Sendable (ResponseStream) -> Void)?
  /// Returns the receiver of requests about the container with this name or id; nil if there is
  /// none.
  func part(named name: String) -> (any ControlResponder)?
}

extension ControlResponder {
  /// Returns nil: there are no documents.
  public func document(at path: String) -> (@Sendable (ResponseStream) -> Void)? { nil }

  /// Returns nil: there are no containers.
  public func part(named name: String) -> (any ControlResponder)? { nil }
}

/// The kind of work of an operation, which decides on its thread.
public enum ControlWork: Hashable, Sendable {
  /// It answers from memory or with a few small reads: one of a few threads serves all of these.
  case short
  /// It may wait for a person, a disk or a container: it has a thread of its own.
  case waiting
}
