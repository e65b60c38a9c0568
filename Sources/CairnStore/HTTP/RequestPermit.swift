import Glibc

/// The right of a thread's requests to continue. A pause takes it back.
enum RequestPermit {
  private final class Permit: Sendable {
    let isWithdrawn: @Sendable () -> Bool

    init(_ isWithdrawn: @escaping @Sendable () -> Bool) { self.isWithdrawn = isWithdrawn }
  }

  // No task-local value: a program that links Swift's runtime statically crashes when a thread
  // without a task sets one.
  private static let key: pthread_key_t = {
    var key = pthread_key_t()
    pthread_key_create(&key, nil)
    return key
  }()

  /// Returns true once the requests of this thread are to be aborted; nil for requests that always
  /// continue.
  static var isWithdrawn: (@Sendable () -> Bool)? {
    guard let permit = pthread_getspecific(key) else { return nil }
    return Unmanaged<Permit>.fromOpaque(permit).takeUnretainedValue().isWithdrawn
  }

  /// Runs a function whose requests on this thread are aborted once `isWithdrawn` returns true.
  static func until<Result>(
    _ isWithdrawn: @escaping @Sendable () -> Bool,
    _ body: () throws(StoreError) -> Result
  ) throws(StoreError) -> Result {
    let permit = Permit(isWithdrawn)
    let before = pthread_getspecific(key)
    pthread_setspecific(key, Unmanaged.passUnretained(permit).toOpaque())
    defer { withExtendedLifetime(permit) { _ = pthread_setspecific(key, before) } }
    return try body()
  }
}
