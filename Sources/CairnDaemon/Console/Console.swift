import CairnControl
import CairnThreads
import NIOCore
import NIOPosix
import Synchronization

/// The console: a page on a port of the loopback interface that is open only while it is used. The
/// page's requests go to the same routes as those of `cairn`.
public final class Console: Sendable {
  private let responder: any ControlResponder
  private let idle: TimeAmount
  private let state = Mutex(State())

  private struct State {
    var port: ConsolePort?
    var means: Means?
    var isOver = false
  }

  /// The resources from the first use on: a thread that reads requests, threads that answer.
  private struct Means: Sendable {
    var group: MultiThreadedEventLoopGroup
    var pool: BlockingPool
  }

  /// Creates a closed console.
  /// - Parameters:
  ///   - routes: All operations; a page gets only `ConsoleOperations.all` of them.
  ///   - idleSeconds: The time that the port stays open without a request, and a secret stays
  ///     valid.
  public convenience init(routes: ControlRoutes, idleSeconds: Int64 = 300) {
    self.init(responder: routes.only(ConsoleOperations.all), idle: .seconds(idleSeconds))
  }

  init(responder: any ControlResponder, idle: TimeAmount = .seconds(300)) {
    self.responder = responder
    self.idle = idle
  }

  /// Opens a port unless one is open, and makes a secret.
  /// - Returns: The page's address with the secret.
  /// - Throws: `ControlError` if no port is available.
  public func open() throws -> Control.ConsoleReply {
    if let port = state.withLock(\.port), let reply = port.invite() { return reply }
    let means = try means()
    let port = ConsolePort(responder: responder, loop: means.group.next(), idle: idle)
    do {
      try port.open(on: means.group, means.pool)
    } catch {
      throw ControlError(
        .serviceUnavailable, "There is no port for the console on 127.0.0.1: \(error)",
        remedy: "See that the daemon may use the loopback interface.")
    }
    // Another thread may have opened one meanwhile: then this one isn't needed.
    let kept = state.withLock { state -> (port: ConsolePort, reply: Control.ConsoleReply?) in
      if !state.isOver, let other = state.port, let reply = other.invite() {
        return (other, reply)
      }
      guard !state.isOver else { return (port, nil) }
      state.port = port
      return (port, port.invite())
    }
    if kept.port !== port || kept.reply == nil { port.stop() }
    guard let reply = kept.reply else {
      throw ControlError(.interrupted, "The daemon ends.", remedy: "Try again in a moment.")
    }
    return reply
  }

  /// A Boolean value that indicates whether there is a port for pages.
  var isOpen: Bool { state.withLock(\.port)?.isOpen ?? false }

  /// Closes the port, and returns when answers are sent, like `ControlServer.stop`.
  public func stop() {
    let (port, means) = state.withLock { state in
      state.isOver = true
      return (state.port, state.means)
    }
    port?.stop()
    means?.group.shutdownGracefully { _ in }
  }

  private func means() throws(ControlError) -> Means {
    if let means = state.withLock(\.means) { return means }
    guard let pool = BlockingPool(waitingLimit: 32) else {
      throw ControlError(
        .limitExceeded, "The system has no more threads.", remedy: "Raise the limit `ulimit -u`.")
    }
    let made = Means(group: MultiThreadedEventLoopGroup(numberOfThreads: 1), pool: pool)
    let kept = state.withLock { state in
      let kept = state.means ?? made
      state.means = kept
      return kept
    }
    if kept.group !== made.group { made.group.shutdownGracefully { _ in } }
    return kept
  }
}
