import Glibc

/// The order in which a thread takes locks: a zone's replica first, then a transaction in its index
/// file, then one in the file that all mounts of a person share, which is the innermost. A thread
/// with one of these makes others wait, and so must not wait for an earlier one: two mounts with
/// different orders would wait for each other forever. Debug builds trap where the order is broken,
/// also if no thread happens to wait.
public enum IndexOrder {
  private static let key: pthread_key_t = {
    var key = pthread_key_t()
    pthread_key_create(&key, nil)
    return key
  }()

  /// The locks of the thread: twice the number of transactions, and one more if one of them is the
  /// innermost.
  private static var has: UInt {
    get { UInt(bitPattern: pthread_getspecific(key)) }
    set { pthread_setspecific(key, UnsafeMutableRawPointer(bitPattern: newValue)) }
  }

  /// Performs one transaction in a file.
  /// - Parameters:
  ///   - isInnermost: Whether it is the innermost file.
  ///   - body: The transaction.
  /// - Throws: Any error of `body`.
  /// - Returns: The result of `body`.
  static func look<Result>(isInnermost: Bool, _ body: () throws -> Result) rethrows -> Result {
    let before = has
    assert(before & 1 == 0, "who has the innermost index file asks for no other")
    has = before + (isInnermost ? 3 : 2)
    defer { has = before }
    return try body()
  }

  /// Called before a wait for a lock that comes before all index files: traps in debug builds if
  /// the thread has a transaction in one.
  public static func assertNoLook() {
    assert(has == 0, "who looks into an index file waits for no zone")
  }

  /// Performs the work of another daemon, as if on a thread of its own: a simulator plays several
  /// daemons on one thread, and one of them in the middle of a call of another.
  public static func apart<Result>(_ body: () throws -> Result) rethrows -> Result {
    let before = has
    has = 0
    defer { has = before }
    return try body()
  }
}
