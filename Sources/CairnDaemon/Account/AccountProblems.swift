import CairnControl
import Logging
import Synchronization

/// What is wrong with the account as a whole, which no folder shows: told once, and listed by
/// `cairn status` until it is over. It must not know how it was found out.
final class AccountProblems: Sendable {
  private struct State {
    /// By what they are about.
    var account: [String: Control.Problem] = [:]
    var people: [String: Control.Problem] = [:]
    /// Whether it was told that the container is an older copy of itself.
    var isRestored = false
  }

  private let state = Mutex(State())
  private let events: EventLog
  private let log: Logger

  init(events: EventLog, log: Logger) {
    self.events = events
    self.log = log
  }

  /// All of them, those of the account before those of people with the same name.
  var all: [Control.Problem] {
    let problems = state.withLock { $0.account.merging($0.people) { first, _ in first } }
    return problems.sorted { $0.key < $1.key }.map(\.value)
  }

  /// Sets or ends a problem of the account.
  func set(_ about: String, _ problem: Control.Problem?) {
    let before = state.withLock { state in
      defer { state.account[about] = problem }
      return state.account[about]
    }
    if let before, problem == nil {
      events.add(
        .problemSolved, mount: nil, path: before.path?.bytes,
        text: "in order again: \(before.message)")
    }
    guard let problem, problem != before else { return }
    log.warning("\(problem.message) \(problem.remedy)")
    events.add(.problem, mount: nil, path: problem.path?.bytes, text: problem.message)
  }

  /// What the problems of the account are about that have such a name.
  func named(_ isWanted: (String) -> Bool) -> Set<String> {
    Set(state.withLock { $0.account.keys }.filter(isWanted))
  }

  /// Sets what is to be said about people; what is new of it is told.
  func setPeople(_ problems: [String: Control.Problem]) {
    let before = state.withLock { state in
      defer { state.people = problems }
      return state.people
    }
    for (about, problem) in problems.sorted(by: { $0.key < $1.key })
    where before[about] != problem {
      events.add(.userChanged, mount: nil, path: nil, text: problem.message)
    }
  }

  /// Notes whether the container is an older copy of itself; true if that is news.
  func isNewlyRestored(_ isRestored: Bool) -> Bool {
    state.withLock { state in
      defer { state.isRestored = isRestored }
      return isRestored && !state.isRestored
    }
  }
}
