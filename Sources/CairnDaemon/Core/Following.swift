import CairnStore

/// Subscribes a thread to changes of the container, which its store reports (`AskingStore`). A
/// store that is unavailable is followed as soon as it is back.
struct Following {
  /// The time until the next attempt to subscribe, and between checks of a store without
  /// notifications, in seconds.
  let pollSeconds: Int64
  private var subscriptions: [Subscription]?

  /// Creates a value without subscriptions.
  init(_ configuration: Configuration) { pollSeconds = Int64(configuration.pollSeconds) }

  /// Subscribes, if that wasn't done yet. To be called before each check, so that nothing is missed
  /// between the check and the hints.
  /// - Parameter follow: A function that subscribes.
  /// - Throws: Any error of `follow`; the next call tries again.
  mutating func begin(_ follow: () throws -> [Subscription]) throws {
    if subscriptions == nil { subscriptions = try follow() }
  }

  /// The longest sleep without a hint, in nanoseconds; nil if hints come.
  var pause: Int64? {
    let notifies = subscriptions?.allSatisfy(\.notifies) ?? false
    return notifies ? nil : pollSeconds * 1_000_000_000
  }

  /// Ends the subscriptions.
  mutating func end() {
    for subscription in subscriptions ?? [] { subscription.cancel() }
    subscriptions = nil
  }
}
