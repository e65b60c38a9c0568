import CairnControl
import CairnThreads

/// The operation `events`: the events of a home, or of one of its containers.
struct EventOperations: Operations {
  let events: EventLog
  /// Returns the mounts that a path may be in.
  let mounts: @Sendable () -> [Mounts]

  func add(to routes: inout ControlRoutes) {
    routes.answer(Control.Events.self) { try tell($0, $1) }
  }

  private func tell(
    _ request: Control.Events, _ stream: ResponseStream
  ) throws(ControlError) -> Control.EventsReply {
    let wanted = request.path.flatMap { path in
      mounts().lazy.compactMap { $0.find(path.bytes)?.mount.id }.first
    }
    let isWanted: @Sendable (Control.Event) -> Bool = { event in
      request.path == nil || event.mount == wanted
    }
    var told = request.since ?? (request.follow ? events.last : 0)
    for event in events.events(after: told) {
      if isWanted(event) { try stream.remembered(event) }
      told = event.number
    }
    guard request.follow else { return Control.EventsReply(last: events.last) }
    let gone = Waiter<Void>()
    stream.onDisconnect { gone.complete() }
    let listener = events.listen(after: told) { event in
      if isWanted(event) { stream.event(event) }
    }
    gone.wait()
    events.unlisten(listener)
    return Control.EventsReply(last: events.last)
  }
}
