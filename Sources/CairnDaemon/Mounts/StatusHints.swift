import CairnThreads
import Synchronization

/// Whether something may be told otherwise than before, for who watches how everything stands. Who
/// gives a hint is held up by nobody, and where nobody watches it costs nothing.
final class StatusHints: Sendable {
  private let watchers = Mutex<[ObjectIdentifier: StatusWatcher]>([:])
  private let count = Atomic<Int>(0)

  /// Something may be other than before.
  func hint() {
    guard count.load(ordering: .relaxed) > 0 else { return }
    for watcher in watchers.withLock({ Array($0.values) }) { watcher.hint() }
  }

  /// Begins to tell somebody.
  func add(_ watcher: StatusWatcher) {
    watchers.withLock { $0[ObjectIdentifier(watcher)] = watcher }
    count.add(1, ordering: .relaxed)
  }

  /// Tells them no more.
  func remove(_ watcher: StatusWatcher) {
    watchers.withLock { _ = $0.removeValue(forKey: ObjectIdentifier(watcher)) }
    count.subtract(1, ordering: .relaxed)
  }
}

/// Somebody who watches how everything stands.
final class StatusWatcher: Sendable {
  private struct State {
    var isHinted = false
    var hasGone = false
  }

  private let state = Monitor(State())
  /// At most so often in a second they are told, however much happens.
  private static let pause: Int64 = 200_000_000

  /// Something may be other than before.
  func hint() { state.change { $0.isHinted = true } }

  /// They have gone.
  func leave() { state.change { $0.hasGone = true } }

  /// Returns when there may be something new.
  /// - Returns: false if they have gone.
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
