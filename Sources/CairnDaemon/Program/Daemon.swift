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
  /// A container of the home. Its mounts and its routes are its own.
  private struct Member: Sendable {
    var entry: HomeContainers.Entry
    var mounts: Mounts
    /// The reason for a failure is the answer to each request.
    var runtime: Result<ContainerRuntime, ControlError>
  }

  private let home: Home
  private let events = EventLog()
  private let log: Logger
  private let startedAt = Control.Time.now()
  /// The threads for transfers, which all containers share.
  private let transfers = TransferPool()
  private let members: [Member]
  private let notices: DesktopNotices
  let ending = Waiter<Ending>()

  /// Opens the containers of a home.
  /// - Throws: The reason if none of them can be opened.
  init(home: Home, log: Logger) throws {
    self.home = home
    self.log = log
    let entries = HomeContainers(home).all
    guard let first = entries.first else { throw home.noAccount }
    if let levels = first.configuration?.logLevels, getenv("CAIRN_LOG") == nil {
      try LogLevels.shared.set(levels)
    }
    notices = DesktopNotices(log: log, isOn: first.configuration?.notices ?? true)
    let (places, isAlone) = (HomePlaces(), entries.count == 1)
    members = entries.map { [events, transfers, ending] entry in
      let mounts = Mounts(EndedShares(entry.home), transfers: transfers)
      let events = isAlone ? events : EventLog(events, of: entry.name)
      do {
        try entry.home.makeFolders(withKeys: false)
        let runtime = try ContainerRuntime(
          try OpenContainer(entry.home), mounts: mounts, home: places, events: events, log: log,
          ending: ending, isAlone: isAlone)
        return Member(entry: entry, mounts: mounts, runtime: .success(runtime))
      } catch {
        return Member(entry: entry, mounts: mounts, runtime: .failure(Failures.control(error)))
      }
    }
    let failures = members.compactMap { member -> (name: String, error: ControlError)? in
      guard case .failure(let error) = member.runtime else { return nil }
      return (member.entry.name, error)
    }
    if failures.count == members.count, let first = failures.first { throw first.error }
    for (name, error) in failures {
      log.error("the container \(name) isn't open: \(error.message) \(error.remedy)")
    }
  }

  private var containers: [ContainerRuntime] {
    members.compactMap { if case .success(let runtime) = $0.runtime { runtime } else { nil } }
  }

  // MARK: Life

  /// Starts the containers with all mounts.
  func start() throws {
    notices.start(events)
    for container in containers { try container.start() }
  }

  /// Ends all mounts and the watch programs.
  func stop() {
    let containers = containers
    for container in containers { container.stop() }
    for container in containers { container.stopMounts() }
    transfers.finish()
    for container in containers { container.end() }
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
    let routes = containers.map { $0.routes(notices: notices, daemon: daemon) }
    var opened = routes.makeIterator()
    let parts = members.map { member in
      let id = member.entry.configuration?.containerID ?? ""
      switch member.runtime {
      case .success(let runtime):
        return HomeRoutes.Part(
          name: member.entry.name, id: id, routes: opened.next() ?? ControlRoutes(),
          contents: runtime.contents)
      case .failure(let error):
        // Another container has the same operations.
        var refusing = routes.first ?? ControlRoutes()
        refusing.refuse(except: [], with: error)
        return HomeRoutes.Part(
          name: member.entry.name, id: id, routes: refusing, contents: nil)
      }
    }
    return HomeRoutes(home: homeRoutes, parts: parts)
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
    let told = members.map { member in
      switch member.runtime {
      case .success(let runtime):
        HomeOperations.Member(
          entry: member.entry, handle: runtime.handle, mounts: member.mounts, problem: nil)
      case .failure(let error): HomeOperations.Member(entry: member.entry, problem: error)
      }
    }
    HomeOperations(home: home, members: told).add(to: &routes)
    EventOperations(events: events, mounts: members.map(\.mounts)).add(to: &routes)
    return routes
  }
}
