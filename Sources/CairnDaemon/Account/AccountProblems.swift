import CairnControl
import Logging
import Synchronization

/// The problems of the account as a whole, which no folder shows: reported once, and listed by
/// `cairn status` until they are solved. The checks that find them are elsewhere.
final class AccountProblems: Sendable {
  private struct State {
    /// The problems by subject.
    var account: [String: Control.Problem] = [:]
    var people: [String: Control.Problem] = [:]
    /// A Boolean value that indicates whether it was reported that the container is an older copy
    /// of itself.
    var isRestored = false
  }

  private let state = Mutex(State())
  private let events: EventLog
  private let log: Logger

  init(events: EventLog, log: Logger) {
    self.events = events
    self.log = log
  }

  /// All problems, those of the account before those of people with the same name.
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
        text: "solved: \(before.message)")
    }
    guard let problem, problem != before else { return }
    log.warning("\(problem.message) \(problem.remedy)")
    events.add(.problem, mount: nil, path: problem.path?.bytes, text: problem.message)
  }

  /// Returns the subjects of the account's problems that match.
  func named(_ isWanted: (String) -> Bool) -> Set<String> {
    Set(state.withLock { $0.account.keys }.filter(isWanted))
  }

  /// Sets the problems of people; new ones are reported.
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

  /// Notes whether the container is an older copy of itself; true if that is new.
  func isNewlyRestored(_ isRestored: Bool) -> Bool {
    state.withLock { state in
      defer { state.isRestored = isRestored }
      return isRestored && !state.isRestored
    }
  }
}
