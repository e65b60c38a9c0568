import CairnControl
import CairnThreads

/// The zones that a process of a program follows. One thread has one request for all of them, and
/// repeats it when the daemon is back.
final class FollowedZones: Sendable {
  private struct Hint: Sendable {
    let zone: ZoneID
    let call: @Sendable () -> Void
  }

  private struct State: Sendable {
    var hints: [UInt64: Hint] = [:]
    var last: UInt64 = 0
    /// The current request.
    var call: ControlCall?
    var isRunning = false
    var isOver = false

    var zones: Set<ZoneID> { Set(hints.values.map(\.zone)) }
  }

  private let client: ControlClient
  private let secret: String
  private let state = Monitor(State())

  init(_ client: ControlClient, _ secret: String) { (self.client, self.secret) = (client, secret) }

  /// Ends the thread.
  func end() {
    state.change { $0.isOver = true }
    state.change { $0.call }?.cancel()
  }

  /// Calls a function when a zone may have changed, as long as the result exists.
  /// - Throws: `CloudError` if the system has no thread.
  func follow(_ zone: ZoneID, _ hint: @escaping @Sendable () -> Void) throws -> Followed {
    let (number, isNew, call, isFirst) = state.change { state in
      let isNew = !state.zones.contains(zone)
      state.last += 1
      state.hints[state.last] = Hint(zone: zone, call: hint)
      defer { state.isRunning = true }
      return (state.last, isNew, state.call, !state.isRunning)
    }
    let followed = Followed { [state] in
      let call = state.change { state in
        state.hints[number] = nil
        return state.hints.isEmpty ? state.call : nil
      }
      call?.cancel()
    }
    // A request names its zones.
    if isNew { call?.cancel() }
    guard isFirst else { return followed }
    let isStarted = PosixThread.run("cairn-followed") { [client, secret, state] in
      Self.run(client, secret, state)
    }
    guard isStarted else {
      state.change { $0.isRunning = false }
      throw CloudError(.internalError, "the system provides no thread")
    }
    return followed
  }

  private static func run(_ client: ControlClient, _ secret: String, _ state: Monitor<State>) {
    var pause = ProgramSession.shortPause
    while true {
      let call = ControlCall()
      let zones = state.wait(until: nil) { state -> [ZoneID]? in
        guard state.isOver || !state.hints.isEmpty else { return nil }
        state.call = call
        return state.isOver ? [] : Array(state.zones)
      }
      guard let zones, !zones.isEmpty else { return }
      let request = Control.ProgramFollow(token: secret, zones: zones.map(\.description))
      do throws(ControlError) {
        // The first line has all zones: whatever happened before it is found then.
        _ = try client.call(request, in: call) { update throws(ControlError) in
          pause = ProgramSession.shortPause
          let changed = Set(try update.items(String.self))
          for hint in state.change({ Array($0.hints.values) })
          where changed.contains(hint.zone.description) { hint.call() }
        }
      } catch {
        if error.code == .operationCancelled { continue }
        // A reader finds the reason when it looks for changes.
        if !ProgramSession.mayPass(error.code) {
          for hint in state.change({ Array($0.hints.values) }) { hint.call() }
        }
      }
      _ = state.wait(until: Monotonic.now + pause) { $0.isOver ? true : nil }
      pause = min(pause * 2, ProgramSession.longPause)
    }
  }
}

/// The following of a zone. It ends when this is gone.
final class Followed: Sendable {
  private let end: @Sendable () -> Void

  init(_ end: @escaping @Sendable () -> Void) { self.end = end }

  deinit { end() }
}
