import CairnControl
import CairnFolders
import CairnThreads
import Glibc
import Logging

/// One person's daemon: the containers of the home, and all their mounts. It has no access to
/// formats, keys, or the parts of a container.
///
/// The parts have the locks; `Mounts` defines their order.
final class Daemon: Sendable {
  private let home: Home
  private let shared: SharedParts
  private let startedAt = Control.Time.now()
  private let slots: [ContainerSlot]
  private let notices: DesktopNotices
  /// Completed when it is to end.
  var ending: Waiter<Ending> { shared.ending }

  /// Opens the containers of a home.
  /// - Throws: The reason if none of them can be opened.
  init(home: Home, log: Logger) throws {
    self.home = home
    shared = SharedParts(log: log)
    let entries = HomeContainers(home).all
    guard let first = entries.first else { throw home.noAccount }
    if let levels = first.configuration?.logLevels, getenv("CAIRN_LOG") == nil {
      try LogLevels.shared.set(levels)
    }
    notices = DesktopNotices(log: log, isOn: first.configuration?.notices ?? true)
    slots = entries.map { [shared] entry in
      ContainerSlot(entry, shared, isAlone: entries.count == 1)
    }
    for slot in slots { slot.open() }
    try requireAny()
  }

  /// Throws the reason if no container is open.
  private func requireAny() throws {
    let problems = slots.compactMap(\.problem)
    if problems.count == slots.count, let first = problems.first { throw first }
  }

  private var containers: [ContainerRuntime] { slots.compactMap { $0.opened?.runtime } }

  // MARK: Life

  /// Starts the containers with all mounts. Those that can't be opened or started are tried again.
  /// - Throws: The reason if none of them can be started.
  func start() throws {
    notices.start(shared.events)
    for slot in slots { slot.start() }
    try requireAny()
    for slot in slots { slot.retryIfNeeded() }
  }

  /// Ends all mounts and the watch program.
  func stop() {
    for slot in slots { slot.stop() }
    for slot in slots { slot.stopMounts() }
    shared.transfers.finish()
    for slot in slots { slot.end() }
    notices.stop()
  }

  /// A Boolean value that indicates whether no folder is being scanned, sent or received.
  var isIdle: Bool { containers.allSatisfy(\.isIdle) }

  // MARK: Operations

  /// Returns the routes of all operations of the daemon. `replacement` returns the version of the
  /// program that took the place of this one.
  func routes(replacement: @escaping @Sendable () -> String?) -> HomeRoutes {
    let daemon = { @Sendable [startedAt] in
      Control.DaemonStatus(
        pid: getpid(), version: Control.version, startedAt: startedAt, replacedBy: replacement())
    }
    let make = { @Sendable [notices] (runtime: ContainerRuntime) in
      runtime.work(notices: notices, daemon: daemon)
    }
    // Each container has the same operations.
    let names = slots.lazy.compactMap { $0.routes(make) }.first ?? ControlRoutes()
    let parts = slots.map { slot in
      HomeRoutes.Part(
        name: slot.entry.name, id: slot.entry.configuration?.containerID ?? "", names: names
      ) { slot.work(make) }
    }
    return HomeRoutes(home: homeRoutes, parts: parts, events: shared.events)
  }

  /// The operations on the home as a whole.
  private var homeRoutes: ControlRoutes {
    var routes = ControlRoutes()
    routes.answer(Control.Ping.self) { _, _ in
      Control.PingReply(pid: getpid(), version: Control.version)
    }
    routes.answer(Control.Stop.self) { [ending] _, _ in
      ending.complete(.stopped)
      return Control.StopReply(pid: getpid())
    }
    HomeOperations(home: home) { [slots] in
      slots.map { slot in
        HomeOperations.Member(
          entry: slot.entry, handle: slot.opened?.runtime.handle, mounts: slot.opened?.mounts,
          problem: slot.problem)
      }
    }.add(to: &routes)
    EventOperations(events: shared.events) { [slots] in slots.compactMap { $0.opened?.mounts } }
      .add(to: &routes)
    return routes
  }
}
