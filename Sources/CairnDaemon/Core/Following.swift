import CairnStore

/// How a thread learns that something may have come to the container: it is told where the store
/// notifies, and looks every so often where it doesn't. A store that is away is followed as soon as
/// it is back.
struct Following {
  /// How often to look at what doesn't notify, in seconds.
  let pollSeconds: Int64
  /// Whether the store's hints are believed to come, by what was found out about it.
  private let isTold: Bool
  private var subscriptions: [Subscription]?

  /// Nothing is followed yet.
  init(_ configuration: Configuration) {
    pollSeconds = Int64(configuration.pollSeconds)
    isTold = configuration.notifies
  }

  /// Follows, if it doesn't yet. To be called before each look: so nothing is missed between the
  /// look and the hints.
  /// - Parameter follow: Begins to follow.
  /// - Throws: what `follow` throws; it is tried again at the next call.
  mutating func begin(_ follow: () throws -> [Subscription]) throws {
    if subscriptions == nil { subscriptions = try follow() }
  }

  /// How long to sleep at most without a hint, in nanoseconds; nil: hints come.
  var pause: Int64? {
    let notifies = isTold && (subscriptions ?? []).allSatisfy(\.notifies)
    return notifies && subscriptions != nil ? nil : pollSeconds * 1_000_000_000
  }

  /// Follows no more.
  mutating func end() {
    for subscription in subscriptions ?? [] { subscription.cancel() }
    subscriptions = nil
  }
}
