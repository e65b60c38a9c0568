import Glibc

/// In which order a thread takes what others may have: a zone's replica first, then a look into its
/// index file, then one into the file that all mounts of a person share, which is the innermost.
/// Whoever has one of these has others waiting, and so must not wait for what comes before it: two
/// mounts that took them in different orders would wait for each other for ever. Debug builds trap
/// where the order is broken, also where nobody happens to wait.
public enum IndexOrder {
  private static let key: pthread_key_t = {
    var key = pthread_key_t()
    pthread_key_create(&key, nil)
    return key
  }()

  /// What the thread has: how many looks, twice, and one more if one of them is the innermost.
  private static var has: UInt {
    get { UInt(bitPattern: pthread_getspecific(key)) }
    set { pthread_setspecific(key, UnsafeMutableRawPointer(bitPattern: newValue)) }
  }

  /// One look into a file, or one change of it.
  /// - Parameters:
  ///   - isInnermost: whether it is the innermost one.
  ///   - body: what is done meanwhile.
  /// - Throws: what `body` throws.
  /// - Returns: what `body` returns.
  static func look<Result>(isInnermost: Bool, _ body: () throws -> Result) rethrows -> Result {
    let before = has
    assert(before & 1 == 0, "who has the innermost index file asks for no other")
    has = before + (isInnermost ? 3 : 2)
    defer { has = before }
    return try body()
  }

  /// Called by who is about to wait for something that comes before all index files: traps in debug
  /// builds if the thread looks into one.
  public static func assertNoLook() {
    assert(has == 0, "who looks into an index file waits for no zone")
  }
}
