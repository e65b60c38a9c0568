import Glibc

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
    /// Its person has paused the traffic with it.
    case paused
    /// No space, or the quota is used up.
    case full
    /// The store does not offer what is needed, or the key cannot stand there.
    case unsupported
    /// The store gives what is asked for by its key, and no lists of keys.
    case unlisted
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
  /// throttled, full, paused.
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
  /// The error of a failed call: `doing` ends the sentence "Could not …".
  static func system(
    _ number: Int32, _ doing: String, root: String, key: ObjectKey? = nil
  ) -> StoreError {
    let (code, advice) = judgement(of: number)
    let reason = String(cString: strerror(number))
    return StoreError(
      code: code, key: key,
      cause: "Could not \(doing) in the container folder \(root): \(reason). \(advice)")
  }

  /// The root itself did not open: whatever the reason, it says nothing about any object.
  static func rootFailure(_ number: Int32, root: String, key: ObjectKey?) -> StoreError {
    guard number == ENOENT || number == ENOTDIR || number == ELOOP else {
      return system(number, "open the root", root: root, key: key)
    }
    return StoreError(
      code: .unreachable, key: key,
      cause: "The container folder \(root) is not there. Mount it, or check its path.")
  }

  private static func judgement(of number: Int32) -> (Code, String) {
    switch number {
    case ENOSPC, EDQUOT:
      (.full, "Make room there, or ask its owner for more.")
    case EACCES, EPERM, EROFS:
      (.denied, "Ask the owner of that folder for access, for example through its group.")
    case ELOOP:
      (.corrupt, "A symlink stands where a folder or an object belongs; remove it.")
    case ENOTDIR, EISDIR, ENAMETOOLONG, EXDEV, EINVAL, ENOSYS, EOPNOTSUPP, EFBIG:
      (.unsupported, "Look at what stands at that place; `cairn doctor` tests the file system.")
    default:
      // ENOTCONN, ESTALE, EIO, ENODEV, ETIMEDOUT, EMFILE and whatever else a file system thinks
      // of: nothing is known about the object, and asking again may help.
      (.unreachable, "Check that it is mounted and answers; it will be tried again.")
    }
  }
}
