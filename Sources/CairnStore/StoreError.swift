import Glibc

/// The reason why an operation on a store failed, with a sentence for people. It knows keys and
/// causes, not the purpose of the object.
public struct StoreError: Error, Sendable, Equatable, CustomStringConvertible {
  /// The kinds of failure that a caller may want to distinguish.
  public enum Code: String, Sendable, Equatable {
    /// The requested object or store is missing, and its absence is a failure.
    case notFound
    /// The store is reachable and refuses access.
    case denied
    /// The store, or its root, cannot be reached now. Says nothing about an object.
    case unreachable
    /// The store asks to come back later.
    case throttled
    /// A file that cannot be an object, such as a symlink, is in its place.
    case corrupt
    /// The person paused the traffic with the store.
    case paused
    /// No space, or the quota is used up.
    case full
    /// The store does not support a required feature, or cannot store this key.
    case unsupported
    /// The store returns objects by key, but no lists of keys.
    case unlisted
  }

  /// The kind of failure.
  public let code: Code
  /// The object of the failed operation, if there is one.
  public let key: ObjectKey?
  /// The event, its object, and the next action: one or two sentences.
  public let cause: String

  /// Creates an error.
  public init(code: Code, key: ObjectKey? = nil, cause: String) {
    self.code = code
    self.key = key
    self.cause = cause
  }

  /// A Boolean value that indicates whether the same call may succeed later without a change on
  /// this side: unreachable, throttled, full, paused.
  public var isWorthRetrying: Bool {
    switch code {
    case .unreachable, .throttled, .full, .paused: true
    case .notFound, .denied, .corrupt, .unsupported, .unlisted: false
    }
  }

  /// The sentence.
  public var description: String { cause }
}

extension StoreError {
  /// Creates the error of a failed system call. `doing` completes the sentence "Could not …".
  static func system(
    _ number: Int32, _ doing: String, root: String, key: ObjectKey? = nil
  ) -> StoreError {
    let (code, advice) = judgement(of: number)
    let reason = String(cString: strerror(number))
    return StoreError(
      code: code, key: key,
      cause: "Could not \(doing) in the container folder \(root): \(reason). \(advice)")
  }

  /// Creates the error of a root that did not open. It says nothing about any object.
  static func rootFailure(_ number: Int32, root: String, key: ObjectKey?) -> StoreError {
    guard number == ENOENT || number == ENOTDIR || number == ELOOP else {
      return system(number, "open the root", root: root, key: key)
    }
    return StoreError(
      code: .unreachable, key: key,
      cause: "its folder \(root) isn't there")
  }

  private static func judgement(of number: Int32) -> (Code, String) {
    switch number {
    case ENOSPC, EDQUOT:
      (.full, "Make room there, or ask its owner for more.")
    case EACCES, EPERM, EROFS:
      (.denied, "Ask the owner of that folder for access, for example through its group.")
    case ELOOP:
      (.corrupt, "A symlink is in the place of a folder or an object; remove it.")
    case ENOTDIR, EISDIR, ENAMETOOLONG, EXDEV, EINVAL, ENOSYS, EOPNOTSUPP, EFBIG:
      (.unsupported, "Check what is at that path.")
    default:
      // ENOTCONN, ESTALE, EIO, ENODEV, ETIMEDOUT, EMFILE and other errors of file systems: nothing
      // is known about the object, and trying again may help.
      (.unreachable, "Check that it is mounted and answers; it will be tried again.")
    }
  }
}
