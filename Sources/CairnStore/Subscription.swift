import Synchronization

/// One follower of a folder in a store; it owns the wish to be hinted, which ends with `cancel`
/// or when the last reference goes. It knows nothing of how the store notices.
public final class Subscription: Sendable {
  private let ending: Mutex<Ending?>

  private struct Ending {
    let call: @Sendable () -> Void
  }

  /// Whether hints come. Where they don't, whoever follows looks by itself every so often.
  public let notifies: Bool

  /// For implementations of `ObjectStore`: `onCancel` is called once, on the thread that cancels.
  public init(onCancel: @escaping @Sendable () -> Void) {
    notifies = true
    ending = Mutex(Ending(call: onCancel))
  }

  private init() {
    notifies = false
    ending = Mutex(nil)
  }

  /// The answer of a store that can't notify of anything.
  public static let silent = Subscription()

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
    onCancel?.call()
  }
}
