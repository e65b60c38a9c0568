import CairnThreads
import Synchronization

/// Hints about changes of the state, for the watchers of `cairn status`. A hint never blocks, and
/// costs nothing without a watcher.
final class StatusHints: Sendable {
  private let watchers = Mutex<[ObjectIdentifier: StatusWatcher]>([:])
  private let count = Atomic<Int>(0)

  /// Notes a possible change.
  func hint() {
    guard count.load(ordering: .relaxed) > 0 else { return }
    for watcher in watchers.withLock({ Array($0.values) }) { watcher.hint() }
  }

  /// Adds a watcher.
  func add(_ watcher: StatusWatcher) {
    watchers.withLock { $0[ObjectIdentifier(watcher)] = watcher }
    count.add(1, ordering: .relaxed)
  }

  /// Removes a watcher.
  func remove(_ watcher: StatusWatcher) {
    watchers.withLock { _ = $0.removeValue(forKey: ObjectIdentifier(watcher)) }
    count.subtract(1, ordering: .relaxed)
  }
}

/// A watcher of the state.
final class StatusWatcher: Sendable {
  private struct State {
    var isHinted = false
    var hasGone = false
  }

  private let state = Monitor(State())
  /// The shortest time between two reports to a watcher, in nanoseconds.
  private static let pause: Int64 = 200_000_000

  /// Notes a possible change.
  func hint() { state.change { $0.isHinted = true } }

  /// Notes that the watcher has gone.
  func leave() { state.change { $0.hasGone = true } }

  /// Returns when there may be a change.
  /// - Returns: False if the watcher has gone.
  func awaitNews() -> Bool {
    let soon = Monotonic.now + Self.pause
    let hasGone = state.wait(until: soon) { $0.hasGone ? true : nil }
    guard hasGone == nil else { return false }
    return state.wait(until: nil) { state -> Bool? in
      if state.hasGone { return false }
      guard state.isHinted else { return nil }
      state.isHinted = false
      return true
    } ?? false
  }
}
