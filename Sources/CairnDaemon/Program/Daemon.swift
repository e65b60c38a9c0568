import CairnControl
import CairnFolders
import CairnThreads
import CairnZone
import Glibc
import Logging

/// One person's daemon: the containers of the home, and all their mounts. It has no access to
/// formats, keys, or the parts of a container.
///
/// The parts have the locks; `Mounts` defines their order.
final class Daemon: Sendable {
  private let home: Home
  private let events = EventLog()
  private let log: Logger
  private let startedAt = Control.Time.now()
  private let mounts: Mounts
  /// The containers of this home: for now, the one of its configuration.
  private let containers: [ContainerRuntime]
  private let notices: DesktopNotices
  let ending = Waiter<Ending>()

  /// Opens everything that the home's configuration names.
  init(home: Home, log: Logger) throws {
    self.home = home
    self.log = log
    mounts = Mounts(EndedShares(home))
    let one = try OpenContainer(home)
    if let levels = one.configuration.logLevels, getenv("CAIRN_LOG") == nil {
      try LogLevels.shared.set(levels)
    }
    notices = DesktopNotices(log: log, isOn: one.configuration.notices)
    containers = [
      try ContainerRuntime(one, mounts: mounts, events: events, log: log, ending: ending)
    ]
  }

  // MARK: Life

  /// Starts the watch program and all mounts.
  func start() throws {
    notices.start(events)
    try mounts.startWatching(Programs.watch)
    for container in containers { try container.start() }
  }

  /// Ends all mounts and the watch program.
  func stop() {
    for container in containers { container.stop() }
    mounts.stop()
    mounts.transfers.finish()
    for container in containers { container.end() }
    notices.stop()
  }

  /// A Boolean value that indicates whether no folder is being scanned, sent or received. Work that
  /// waits for a person or a container doesn't count.
  var isIdle: Bool {
    mounts.all.allSatisfy { mount in
      switch mount.atWork().phase {
      case .starting, .scanning, .sending, .receiving: false
      case .idle, .waiting, .held, .offline, .paused, .detached, .damaged: true
      }
    }
  }

  // MARK: Operations

  /// Returns the routes of all operations of the daemon. `replacement` returns the version of the
  /// program that took the place of this one.
  func routes(replacement: @escaping @Sendable () -> String?) -> ControlRoutes {
    var routes = ControlRoutes()
    // An answer takes memory, and a mount without work gives it back.
    routes.afterwards = { [mounts] in mounts.any?.mailbox.post(.answered) }
    routes.answer(Control.Ping.self) { _, _ in
      Control.PingReply(pid: getpid(), version: Control.version)
    }
    routes.answer(Control.Stop.self) { [ending] _, _ in
      ending.complete(.stopped)
      return Control.StopReply(pid: getpid())
    }
    routes.answer(Control.Events.self) { [self] in try events($0, $1) }
    // With several containers, a request will name one.
    let daemon = { @Sendable [startedAt] in
      Control.DaemonStatus(
        pid: getpid(), version: Control.version, startedAt: startedAt, replacedBy: replacement())
    }
    for container in containers {
      container.addOperations(to: &routes, notices: notices, daemon: daemon)
    }
    return routes
  }

  private func events(
    _ request: Control.Events, _ stream: ResponseStream
  ) throws(ControlError) -> Control.EventsReply {
    let wanted = request.path.flatMap { mounts.find($0.bytes)?.mount.id }
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
