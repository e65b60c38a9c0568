import Glibc

/// A value that several threads share, with exclusive access, and that they can wait for in the
/// kernel: a lock and a condition. All waiting in this module uses it.
///
/// Unchecked: the value is accessed only between lock and unlock of `mutex`, and both have fixed
/// addresses for their whole lifetime.
public final class Monitor<Value: Sendable>: @unchecked Sendable {
  private let mutex: UnsafeMutablePointer<pthread_mutex_t>
  private let condition: UnsafeMutablePointer<pthread_cond_t>
  private var value: Value

  /// The threads that a change wakes.
  public enum Waking: Sendable {
    /// All waiting threads.
    case everybody
    /// One waiting thread, if any of them can handle the change.
    case one
  }

  /// Creates a monitor with an initial value.
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

  /// Changes the value, and wakes threads that wait for it.
  /// - Parameters:
  ///   - waking: The threads to wake.
  ///   - body: Changes the value. It must not block.
  /// - Returns: the result of `body`.
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

  /// Waits until `look` finds a result in the value.
  /// - Parameters:
  ///   - deadline: The latest time of the monotonic clock to wait for; nil waits forever.
  ///   - look: Takes the result out of the value, or returns nil. It is called again after each
  ///     change.
  /// - Returns: the result of `look`; nil after the deadline.
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
