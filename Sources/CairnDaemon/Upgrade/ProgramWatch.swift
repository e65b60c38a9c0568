import CairnStore
import CairnThreads

/// Waits until an entry comes into a folder, a time is over, or a thread ends it. It owns a
/// subscription to the folder. If the system gives no inotify instance, only the time ends a wait.
///
/// One thread waits; any thread may call `stop`.
final class ProgramWatch: Sendable {
  /// The reason that a wait ended.
  enum Why: Equatable {
    case stirred, time, ended
  }

  private struct State {
    var hasStirred = false
    var isOver = false
  }

  /// The longest wait for a change without an event, in milliseconds.
  private static let untold: Int32 = 600_000

  private let state: Monitor<State>
  private let following: Subscription?

  /// Creates a value for a folder.
  init(_ folder: String) {
    let state = Monitor(State())
    self.state = state
    do {
      following = try DirectoryStore(root: folder, isTidied: false).follow("") {
        state.change { $0.hasStirred = true }
      }
    } catch {
      // The program file is looked at from time to time.
      following = nil
    }
  }

  /// Ends the present wait, and all later ones.
  func stop() {
    following?.cancel()
    state.change { $0.isOver = true }
  }

  /// Waits for at most that many milliseconds; without a limit if nil.
  func wait(_ milliseconds: Int32?) -> Why {
    let most = milliseconds ?? (following == nil ? Self.untold : nil)
    let end = most.map { Monotonic.now + Int64($0) * 1_000_000 }
    return state.wait(until: end) { state -> Why? in
      if state.isOver { return .ended }
      guard state.hasStirred else { return nil }
      state.hasStirred = false
      return .stirred
    } ?? .time
  }
}
