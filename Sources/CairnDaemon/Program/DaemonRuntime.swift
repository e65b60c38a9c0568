import CairnControl
import CairnThreads
import Glibc
import Logging
import Synchronization

/// The daemon with its servers and the events that end it; it defines the order of their starts and
/// ends.
final class DaemonRuntime: Sendable {
  private let log: Logger
  private let daemon: Daemon
  private let console: Console
  private let server: ControlServer
  private let upgrade: Upgrade
  /// Completed by a signal.
  private let isSignalled = Waiter<Void>()

  /// The continuation after its end.
  enum End {
    /// None: somebody ended it.
    case stopped
    /// The home is opened anew.
    case reopened
    /// Another program.
    case replaced(Successor)
  }

  /// The program for which it ends.
  struct Successor: Sendable {
    /// The path of the program.
    var path: String
    /// The home's socket; its queue has waiting commands.
    var socket: CInt
  }

  /// Opens everything that the home's configuration names.
  init(_ home: Home, log: Logger) throws {
    let upgrade = Upgrade(log: log)
    let daemon = try Daemon(home: home, log: log)
    var routes = daemon.routes { upgrade.version }
    let console = Console(responder: routes.only(ConsoleOperations.all))
    routes.home.answer(Control.Console.self) { _, _ in try console.open() }
    server = try ControlServer(home: home, responder: routes)
    (self.log, self.daemon, self.console, self.upgrade) = (log, daemon, console, upgrade)
  }

  /// Starts the work and the servers.
  /// - Parameter socket: The home's socket, if another program left it.
  /// - Throws: The error that prevents it.
  func start(takingOver socket: CInt?) throws {
    try daemon.start()
    try server.start(takingOver: socket)
  }

  /// Ends it, as a signal does.
  func end() {
    isSignalled.complete()
    daemon.ending.complete(.stopped)
  }

  /// Returns after its end, for any reason.
  /// - Returns: The continuation.
  func awaitEnd() -> End {
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
    case .reopened: log.info("opening the home anew")
    }
    upgrade.stop()
    console.stop()
    server.stop()
    daemon.stop()
    guard isSignalled.wait(until: 0) == nil else { return .stopped }
    if ending == .reopened { return .reopened }
    guard ending == .replaced, let path = upgrade.path, let socket = left.wait(until: 0) else {
      return .stopped
    }
    return .replaced(Successor(path: path, socket: socket))
  }
}

/// A home, and its successive daemons in this process.
struct HomeRuntime {
  let home: Home
  let ends: EndRequests
  let log: Logger

  /// Returns after the end of the last one.
  /// - Parameters:
  ///   - readiness: The receiver of a message when the first one answers.
  ///   - socket: The home's socket, if another program left it.
  /// - Returns: The program that takes its place; nil if somebody ended it.
  /// - Throws: The error that prevents its work.
  func run(_ readiness: Readiness?, takingOver socket: CInt?) throws -> DaemonRuntime.Successor? {
    var (readiness, socket) = (readiness, socket)
    while !ends.hasEnded {
      let daemon = try DaemonRuntime(home, log: log)
      try daemon.start(takingOver: socket)
      ends.reach { daemon.end() }
      readiness?.announce()
      SystemdNotice.send("READY=1")
      log.info("ready: \(home.socket)")
      switch daemon.awaitEnd() {
      case .stopped: return nil
      case .replaced(let successor): return successor
      case .reopened: (readiness, socket) = (nil, nil)
      }
    }
    return nil
  }
}

/// The request to end the program, for the daemon that serves the home at the moment.
final class EndRequests: Sendable {
  private struct State {
    var hasEnded = false
    var tell: (@Sendable () -> Void)?
  }

  private let state = Mutex(State())

  /// A Boolean value that indicates whether the end was requested.
  var hasEnded: Bool { state.withLock { $0.hasEnded } }

  /// Requests the end.
  func end() {
    let tell = state.withLock { state in
      state.hasEnded = true
      return state.tell
    }
    tell?()
  }

  /// Sets the function that receives the request from now on; it is called at once if there was
  /// one.
  func reach(_ tell: @escaping @Sendable () -> Void) {
    let hasEnded = state.withLock { state in
      state.tell = tell
      return state.hasEnded
    }
    if hasEnded { tell() }
  }
}
