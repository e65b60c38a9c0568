import Glibc

/// In which order a thread looks into several index files: the one that all mounts of a person
/// share is the innermost. Whoever has it has all others waiting, and so must not wait for any: two
/// mounts that took them in different orders would wait for each other for ever.
enum IndexOrder {
  private static let key: pthread_key_t = {
    var key = pthread_key_t()
    pthread_key_create(&key, nil)
    return key
  }()

  private static var isInnermost: Bool { pthread_getspecific(key) != nil }

  /// One look into a file, or one change of it.
  /// - Parameters:
  ///   - isInnermost: whether it is the innermost one.
  ///   - body: what is done meanwhile.
  /// - Throws: what `body` throws.
  /// - Returns: what `body` returns.
  static func look<Result>(isInnermost: Bool, _ body: () throws -> Result) rethrows -> Result {
    assert(!Self.isInnermost, "who has the innermost index file asks for no other")
    guard isInnermost else { return try body() }
    pthread_setspecific(key, UnsafeMutableRawPointer(bitPattern: 1))
    defer { pthread_setspecific(key, nil) }
    return try body()
  }
}
