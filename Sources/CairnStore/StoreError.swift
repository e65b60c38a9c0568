/// Why an operation on a store failed, with a sentence for people. It knows keys and causes, not
/// what the object was for.
public struct StoreError: Error, Sendable, Equatable, CustomStringConvertible {
  /// The kinds of failure that a caller may want to tell apart.
  public enum Code: String, Sendable, Equatable {
    /// What was asked for is not there, where its absence is a failure.
    case notFound
    /// The store is there, and refuses us.
    case denied
    /// The store, or its root, cannot be reached now. Never a statement about an object.
    case unreachable
    /// The store asks us to come back later.
    case throttled
    /// Something stands in the store that cannot be one of its objects, such as a symlink.
    case corrupt
    /// No space, or the quota is used up.
    case full
    /// The store does not offer what is needed, or the key cannot stand there.
    case unsupported
  }

  /// The kind of failure.
  public let code: Code
  /// The object that it happened to, if it was about one.
  public let key: ObjectKey?
  /// What happened, to what, and what to do: one or two sentences.
  public let cause: String

  /// An error of this kind.
  public init(code: Code, key: ObjectKey? = nil, cause: String) {
    self.code = code
    self.key = key
    self.cause = cause
  }

  /// Whether the same call may succeed later with nothing changed on our side: unreachable,
  /// throttled, full.
  public var isWorthRetrying: Bool {
    switch code {
    case .unreachable, .throttled, .full: true
    case .notFound, .denied, .corrupt, .unsupported: false
    }
  }

  /// The sentence.
  public var description: String { cause }
}
