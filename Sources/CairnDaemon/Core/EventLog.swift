import CairnControl
import CairnFolders
import CairnZone
import Synchronization

/// The events since the daemon started, and the listeners for new ones (`cairn events`). The log of
/// a container is a view of that of the home: it numbers its events there, and shows no others.
final class EventLog: Sendable {
  private struct State {
    var events: [Control.Event] = []
    var next: UInt64 = 1
    var counts: [String: UInt64] = [:]
    var listeners: [Int: @Sendable (Control.Event) -> Void] = [:]
    var nextListener = 0
  }

  /// The events of all containers.
  private final class Shared: Sendable {
    let state = Mutex(State())
    let hints = StatusHints()
  }

  /// The number of events that are remembered.
  static let limit = 10_000
  private let shared: Shared
  /// The container of the events; nil for all of the home.
  private let container: String?
  /// The listeners of this view.
  private let own = Mutex<Set<Int>>([])
  /// The hints for watchers of the state: about events, and about other changes.
  var hints: StatusHints { shared.hints }

  /// Creates the log of a home.
  init() { (shared, container) = (Shared(), nil) }

  /// Creates the log of one container of a home; its name is nil in a home with one.
  init(_ log: EventLog, of container: String?) {
    (shared, self.container) = (log.shared, container)
  }

  private func isShown(_ event: Control.Event) -> Bool {
    container == nil || event.containerName == container
  }

  /// Returns the events after `number`.
  func events(after number: UInt64) -> [Control.Event] {
    shared.state.withLock { $0.events.filter { $0.number > number && isShown($0) } }
  }

  /// The number of events of each kind, in all containers.
  var counts: [String: UInt64] { shared.state.withLock(\.counts) }

  /// The number of the last event of the home.
  var last: UInt64 { shared.state.withLock { $0.next - 1 } }

  /// Calls back for the remembered events after `number`, and for all new ones; `listen` returns
  /// the argument for `unlisten`. The callback must return quickly.
  func listen(
    after number: UInt64, _ callback: @escaping @Sendable (Control.Event) -> Void
  ) -> Int {
    let listener = shared.state.withLock { state in
      for event in state.events where event.number > number && isShown(event) { callback(event) }
      state.nextListener += 1
      state.listeners[state.nextListener] = { [self] in if isShown($0) { callback($0) } }
      return state.nextListener
    }
    own.withLock { _ = $0.insert(listener) }
    return listener
  }

  func unlisten(_ listener: Int) {
    shared.state.withLock { _ = $0.listeners.removeValue(forKey: listener) }
    own.withLock { _ = $0.remove(listener) }
  }

  /// Removes all listeners of this view: nothing of its container is at work any more.
  func close() {
    for listener in own.withLock({ $0 }) { unlisten(listener) }
  }

  @discardableResult
  func add(
    _ kind: Control.EventKind, mount: String?, path: [UInt8]?, text: String,
    by: Control.Person? = nil, code: String? = nil
  ) -> Control.Event {
    defer { hints.hint() }
    return shared.state.withLock { state in
      let event = Control.Event(
        number: state.next, time: .now(), kind: kind.rawValue,
        mount: mount, path: path.map { Control.Path($0) },
        text: text, containerName: container, by: by, code: code)
      state.next += 1
      state.counts[event.kind, default: 0] += 1
      state.events.append(event)
      if state.events.count > Self.limit { state.events.removeFirst(Self.limit / 10) }
      for listener in state.listeners.values { listener(event) }
      return event
    }
  }
}
