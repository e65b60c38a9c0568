import Glibc

/// A value that several threads share, each for itself, and that they can wait for in the kernel:
/// a lock and a condition. Everything here that waits is made of it.
///
/// Unchecked: the value is touched between lock and unlock of `mutex` only, and both stand at fixed
/// addresses from the beginning to the end.
public final class Monitor<Value: Sendable>: @unchecked Sendable {
  private let mutex: UnsafeMutablePointer<pthread_mutex_t>
  private let condition: UnsafeMutablePointer<pthread_cond_t>
  private var value: Value

  /// Whom a change wakes.
  public enum Waking: Sendable {
    /// Everybody who waits, whatever for.
    case everybody
    /// One of those who wait, where each of them can take what came.
    case one
  }

  /// Begins with that value.
  public init(_ value: Value) {
    self.value = value
    mutex = .allocate(capacity: 1)
    condition = .allocate(capacity: 1)
    pthread_mutex_init(mutex, nil)
    var attributes = pthread_condattr_t()
    pthread_condattr_init(&attributes)
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
    pthread_cond_init(condition, &attributes)
    pthread_condattr_destroy(&attributes)
  }

  deinit {
    pthread_cond_destroy(condition)
    pthread_mutex_destroy(mutex)
    condition.deallocate()
    mutex.deallocate()
  }

  /// Changes the value, and wakes who waits for that.
  /// - Parameters:
  ///   - waking: Whom.
  ///   - body: Changes it; it must not block.
  /// - Returns: what `body` returns.
  @discardableResult
  public func change<Result>(
    waking: Waking = .everybody, _ body: (inout Value) -> Result
  ) -> Result {
    pthread_mutex_lock(mutex)
    defer {
      switch waking {
      case .everybody: pthread_cond_broadcast(condition)
      case .one: pthread_cond_signal(condition)
      }
      pthread_mutex_unlock(mutex)
    }
    return body(&value)
  }

  /// Waits until there is what is waited for.
  /// - Parameters:
  ///   - deadline: Until that time of the monotonic clock at most; nil: for ever.
  ///   - look: Takes it out of the value, or returns nil; it is asked again after each change.
  /// - Returns: what `look` returned; nil if that was nothing until the deadline.
  public func wait<Result>(
    until deadline: Int64?, for look: (inout Value) -> Result?
  ) -> Result? {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    while true {
      if let result = look(&value) { return result }
      guard let deadline else {
        pthread_cond_wait(condition, mutex)
        continue
      }
      var time = Monotonic.kernelTime(deadline)
      guard pthread_cond_timedwait(condition, mutex, &time) == 0 else { return look(&value) }
    }
  }
}
