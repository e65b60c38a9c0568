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
    _ kind: Control.EventKind, mount: Mount?, path: [UInt8]?, text: String,
    by: Control.Person? = nil, code: String? = nil
  ) -> Control.Event {
    defer { hints.hint() }
    return state.withLock { state in
      let event = Control.Event(
        number: state.next, time: .now(), kind: kind.rawValue,
        mount: mount?.id, path: path.map { Control.Path($0) },
        text: text, by: by, code: code)
      state.next += 1
      state.counts[event.kind, default: 0] += 1
      state.events.append(event)
      if state.events.count > Self.limit { state.events.removeFirst(Self.limit / 10) }
      for listener in state.listeners.values { listener(event) }
      return event
    }
  }

  func add(_ happening: MountReport.Happening, of mount: Mount) {
    func absolute(_ path: [UInt8]) -> [UInt8] {
      path.isEmpty ? mount.path : mount.folder + [UInt8(ascii: "/")] + path
    }
    switch happening {
    case .sending(let records):
      add(.exportBegin, mount: mount, path: mount.path, text: "sending \(records) changes")
    case .receiving(let records):
      add(.importBegin, mount: mount, path: mount.path, text: "applying \(records) changes")
    case .solved(let problem):
      add(
        .problemSolved, mount: mount, path: absolute(problem.path),
        text: "in order again: \(problem.message)")
    case .sent(let records, let sequence):
      add(
        .exportEnd, mount: mount, path: mount.path,
        text: "sent \(records) changes as entry \(sequence)")
    case .notSent(let reason):
      add(.exportEnd, mount: mount, path: mount.path, text: "nothing was sent now: \(reason)")
    case .received(let records):
      let text = records == 0 ? "nothing could be applied now" : "applied \(records) changes"
      add(.importEnd, mount: mount, path: mount.path, text: text)
    case .conflict(let path, let copy):
      add(
        .conflict, mount: mount, path: absolute(path),
        text: "both sides changed it; the other version is \(Control.Path(absolute(copy)))")
    case .rescued(let entry):
      add(
        .rescued, mount: mount, path: absolute(entry.of),
        text: "\(entry.reason); the bytes are at \(Control.Path(absolute(entry.path)))")
    case .held(let held):
      add(.deletionsHeld, mount: mount, path: mount.path, text: HeldText.sentence(held))
    case .released(let text): add(.deletionsReleased, mount: mount, path: mount.path, text: text)
    case .problem(let problem):
      add(
        .problem, mount: mount, path: absolute(problem.path), text: problem.message,
        code: problem.code)
    }
  }
}
