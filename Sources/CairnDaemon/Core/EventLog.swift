import CairnControl
import CairnFolders
import CairnZone
import Synchronization

/// The events since the daemon started, and the listeners for new ones (`cairn events`).
final class EventLog: Sendable {
  private struct State {
    var events: [Control.Event] = []
    var next: UInt64 = 1
    var counts: [String: UInt64] = [:]
    var listeners: [Int: @Sendable (Control.Event) -> Void] = [:]
    var nextListener = 0
  }

  /// The number of events that are remembered.
  static let limit = 10_000
  private let state = Mutex(State())
  /// The hints for watchers of the state: about events, and about other changes.
  let hints = StatusHints()

  /// Returns the events after `number`.
  func events(after number: UInt64) -> [Control.Event] {
    state.withLock { $0.events.filter { $0.number > number } }
  }

  /// The number of events of each kind.
  var counts: [String: UInt64] { state.withLock(\.counts) }

  /// The number of the last event.
  var last: UInt64 { state.withLock { $0.next - 1 } }

  /// Calls back for the remembered events after `number`, and for all new ones; `listen` returns
  /// the argument for `unlisten`. The callback must return quickly.
  func listen(
    after number: UInt64, _ callback: @escaping @Sendable (Control.Event) -> Void
  ) -> Int {
    state.withLock { state in
      for event in state.events where event.number > number { callback(event) }
      state.nextListener += 1
      state.listeners[state.nextListener] = callback
      return state.nextListener
    }
  }

  func unlisten(_ listener: Int) {
    state.withLock { _ = $0.listeners.removeValue(forKey: listener) }
  }

  @discardableResult
  func add(
    _ kind: Control.EventKind, mount: String?, path: [UInt8]?, text: String,
    by: Control.Person? = nil, code: String? = nil
  ) -> Control.Event {
    defer { hints.hint() }
    return state.withLock { state in
      let event = Control.Event(
        number: state.next, time: .now(), kind: kind.rawValue,
        mount: mount, path: path.map { Control.Path($0) },
        text: text, by: by, code: code)
      state.next += 1
      state.counts[event.kind, default: 0] += 1
      state.events.append(event)
      if state.events.count > Self.limit { state.events.removeFirst(Self.limit / 10) }
      for listener in state.listeners.values { listener(event) }
      return event
    }
  }
}
