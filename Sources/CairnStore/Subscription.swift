import Synchronization

/// One follower of a folder in a store; it owns the wish to be hinted, which ends with `cancel`
/// or when the last reference goes. It knows nothing of how the store notices.
public final class Subscription: Sendable {
  private let ending: Mutex<(@Sendable () -> Void)?>

  /// For implementations of `ObjectStore`: `onCancel` is called once, on the thread that cancels.
  public init(onCancel: @escaping @Sendable () -> Void) {
    ending = Mutex(onCancel)
  }

  deinit {
    cancel()
  }

  /// Ends the hints. One that is under way on another thread may still arrive; what happens in
  /// the store after this call gives none. A second call does nothing.
  public func cancel() {
    let onCancel = ending.withLock { ending in
      defer { ending = nil }
      return ending
    }
    onCancel?()
  }
}
