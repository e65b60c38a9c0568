import CairnControl
import CairnThreads
import Glibc
import Logging

/// The daemon with all by which it is reached, and what ends it: in which order they come and go.
final class DaemonAtWork: Sendable {
  private let log: Logger
  private let daemon: Daemon
  private let console: Console
  private let server: ControlServer
  private let upgrade: Upgrade
  /// Completed by a signal.
  private let isSignalled = Waiter<Void>()

  /// What it ends for.
  struct Successor: Sendable {
    /// The program.
    var path: String
    /// The home's socket, in whose queue commands wait.
    var socket: CInt
  }

  /// Opens everything that the home's configuration names.
  init(_ home: Home, log: Logger) throws {
    let upgrade = Upgrade(log: log)
    let daemon = try Daemon(home: home, log: log)
    var routes = daemon.routes { upgrade.version }
    let console = Console(routes: routes)
    routes.answer(Control.Console.self) { _, _ in try console.open() }
    server = try ControlServer(home: home, responder: routes)
    (self.log, self.daemon, self.console, self.upgrade) = (log, daemon, console, upgrade)
  }

  /// Works, and answers, from here on.
  /// - Parameters:
  ///   - signals: Those that end it; every thread holds them back.
  ///   - socket: The home's, if another program left it.
  /// - Throws: what keeps it from that.
  func start(endedBy signals: sigset_t, takingOver socket: CInt?) throws {
    try daemon.start()
    try server.start(takingOver: socket)
    let isWaiting = PosixThread.run("cairn-signals") { [isSignalled, daemon] in
      EndSignals.wait(signals) {
        isSignalled.complete()
        daemon.ending.complete(.stopped)
      }
    }
    guard isWaiting else { throw ContainerAtWork.noThreads }
  }

  /// Returns when it has ended, however that comes.
  /// - Returns: what it ended for; nil if somebody ended it.
  func awaitEnd() -> Successor? {
    let left = Waiter<CInt>()
    upgrade.start { [daemon, console, server] in
      guard daemon.isIdle, !console.isOpen, let socket = server.handOver() else { return false }
      left.complete(socket)
      daemon.ending.complete(.replaced)
      return true
    }
    let ending = daemon.ending.wait()
    let version = upgrade.version ?? ""
    switch ending {
    case .stopped:
      SystemdNotice.send("STOPPING=1")
      log.info("stopping")
    case .replaced: log.info("becoming version \(version)")
    }
    upgrade.stop()
    console.stop()
    server.stop()
    daemon.stop()
    guard ending == .replaced, isSignalled.wait(until: 0) == nil, let path = upgrade.path,
      let socket = left.wait(until: 0)
    else { return nil }
    return Successor(path: path, socket: socket)
  }
}
