import CairnStore

/// How a thread learns that something may have come to the container: its store tells it
/// (`AskingStore`). A store that is away is followed as soon as it is back.
struct Following {
  /// When to try again what can't be followed, and how often to look at what tells nothing, in
  /// seconds.
  let pollSeconds: Int64
  private var subscriptions: [Subscription]?

  /// Nothing is followed yet.
  init(_ configuration: Configuration) { pollSeconds = Int64(configuration.pollSeconds) }

  /// Follows, if it doesn't yet. To be called before each look: so nothing is missed between the
  /// look and the hints.
  /// - Parameter follow: Begins to follow.
  /// - Throws: what `follow` throws; it is tried again at the next call.
  mutating func begin(_ follow: () throws -> [Subscription]) throws {
    if subscriptions == nil { subscriptions = try follow() }
  }

  /// How long to sleep at most without a hint, in nanoseconds; nil: hints come.
  var pause: Int64? {
    let notifies = subscriptions?.allSatisfy(\.notifies) ?? false
    return notifies ? nil : pollSeconds * 1_000_000_000
  }

  /// Follows no more.
  mutating func end() {
    for subscription in subscriptions ?? [] { subscription.cancel() }
    subscriptions = nil
  }
}
