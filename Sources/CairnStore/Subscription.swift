import Synchronization

/// One follower of a folder in a store. It owns the request for hints, which ends with `cancel` or
/// when the last reference is released. It does not know how the store notices changes.
public final class Subscription: Sendable {
  private let ending: Mutex<Ending?>

  private struct Ending {
    let call: @Sendable () -> Void
  }

  /// A Boolean value that indicates whether hints come. If false, the follower polls.
  public let notifies: Bool

  /// For implementations of `ObjectStore`: `onCancel` is called once, on the cancelling thread.
  public init(onCancel: @escaping @Sendable () -> Void) {
    notifies = true
    ending = Mutex(Ending(call: onCancel))
  }

  private init() {
    notifies = false
    ending = Mutex(nil)
  }

  /// The answer of a store that cannot notify.
  public static let silent = Subscription()

  deinit {
    cancel()
  }

  /// Ends the hints. A hint that is being delivered on another thread may still arrive. Later
  /// changes cause none. A second call does nothing.
  public func cancel() {
    let onCancel = ending.withLock { ending in
      defer { ending = nil }
      return ending
    }
    onCancel?.call()
  }
}
