// SPDX-License-Identifier: Apache-2.0
import CairnSystem
import CairnThreads
import Glibc
import Synchronization

/// The thread of a `WatchProcess`: it starts the program, waits for its events and for commands,
/// and restarts it after its death. Only this thread uses the program.
final class WatchLoop: Sendable {
  private let executable: String
  private let onEvents: @Sendable ([WatchEvent]) -> Void
  private let commands = Mutex(WatchCommands())
  private let firstStart = Mutex<WatchError?>(nil)
  /// Raised when there are commands, or at the end.
  private let wake: Int32
  /// Raised when the first start has succeeded or failed.
  private let started: Int32

  init(executable: String, onEvents: @escaping @Sendable ([WatchEvent]) -> Void) {
    self.executable = executable
    self.onEvents = onEvents
    wake = cairn_eventfd()
    started = cairn_eventfd()
  }

  deinit {
    if wake >= 0 { close(wake) }
    if started >= 0 { close(started) }
  }

  /// Changes the requests to the program; from any thread, without waiting.
  func ask(_ change: (inout WatchCommands) -> Void) {
    commands.withLock { change(&$0) }
    _ = cairn_eventfd_raise(wake)
  }

  /// Waits until the program runs. Returns the error if it does not.
  func waitForFirstStart() -> WatchError? {
    guard wake >= 0, started >= 0 else {
      return WatchError(errorNumber: EMFILE, message: "no descriptor is left; raise the limit")
    }
    wait(for: started, milliseconds: -1)
    return firstStart.withLock { $0 }
  }

  /// The thread's body: returns after `stop`, or when the first start fails.
  func run() {
    guard wake >= 0, started >= 0 else { return }
    guard var child = startFirst() else { return }
    var deaths = WatchDeaths()
    var isFirst = true
    while true {
      let hasSpoken = serve(child, isFirst: isFirst)
      isFirst = false
      let reason = child.end()
      if isStopped { return }
      stopped(hasSpoken ? nil : reason)
      deaths.add(at: WatchLoop.milliseconds(), wasUseful: hasSpoken)
      while true {
        wait(until: deaths.nextStart, isUseful: deaths.failures == 0)
        if isStopped { return }
        do {
          child = try restart()
          break
        } catch {
          stopped(error.message)
          deaths.add(at: WatchLoop.milliseconds(), wasUseful: false)
        }
      }
    }
  }

  /// Reports that no program runs.
  private func stopped(_ reason: String?) {
    onEvents([.stopped(message: reason)])
    if reason != nil { answerSyncs() }
  }

  /// Answers the syncs, because no program can: callers scan meanwhile.
  private func answerSyncs() {
    let tokens = commands.withLock { $0.takeTokens() }
    if !tokens.isEmpty { onEvents(tokens.map { .synced(token: $0) }) }
  }

  private func startFirst() -> WatchChild? {
    defer { _ = cairn_eventfd_raise(started) }
    do {
      return try WatchChild.start(executable)
    } catch {
      firstStart.withLock { $0 = error }
      return nil
    }
  }

  private func restart() throws(WatchError) -> WatchChild {
    let child = try WatchChild.start(executable)
    // Before its first event: the callback's requests must follow those of the old roots.
    commands.withLock { $0.startOver() }
    return child
  }

  /// Serves the program until its death or the end.
  /// - Returns: A Boolean value that indicates whether it reported anything.
  private func serve(_ child: WatchChild, isFirst: Bool) -> Bool {
    var hasSpoken = false
    var parser = WatchStreamParser()
    var buffer = [UInt8](repeating: 0, count: 65536)
    while true {
      // Lowered before reading, so that later commands raise it again.
      _ = cairn_eventfd_clear(wake)
      guard !isStopped, let isAllSent = sendCommands(to: child) else { return hasSpoken }
      var waits = [
        pollfd(fd: wake, events: Int16(POLLIN), revents: 0),
        pollfd(fd: child.socket, events: Int16(isAllSent ? POLLIN : POLLIN | POLLOUT), revents: 0),
      ]
      guard poll(&waits, nfds_t(waits.count), -1) > 0, waits[1].revents != 0 else { continue }
      guard let count = child.receive(into: &buffer) else { return hasSpoken }
      do {
        let events = try parser.parse(buffer[..<count])
        guard !events.isEmpty else { continue }
        deliver(hasSpoken || isFirst ? events : [.restarted] + events)
        hasSpoken = true
      } catch {
        return hasSpoken
      }
    }
  }

  private func deliver(_ events: [WatchEvent]) {
    for case .synced(let token) in events { commands.withLock { $0.forget(token: token) } }
    onEvents(events)
  }

  /// Returns whether all commands were sent, or nil if the program reads no more.
  private func sendCommands(to child: WatchChild) -> Bool? {
    commands.withLock { commands in
      guard !commands.outbox.isEmpty else { return true }
      guard let count = child.send(commands.outbox) else { return nil }
      commands.outbox.removeFirst(count)
      return commands.outbox.isEmpty
    }
  }

  private var isStopped: Bool { commands.withLock { $0.isStopped } }

  /// Waits until a time, or the end. While no program can work, it answers the syncs.
  private func wait(until end: Int, isUseful: Bool) {
    while !isStopped, case let left = end - WatchLoop.milliseconds(), left > 0 {
      wait(for: wake, milliseconds: Int32(clamping: left))
      _ = cairn_eventfd_clear(wake)
      if !isUseful { answerSyncs() }
    }
  }

  private func wait(for descriptor: Int32, milliseconds: Int32) {
    var wait = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    while poll(&wait, 1, milliseconds) < 0, errno == EINTR {}
  }

  private static func milliseconds() -> Int { Int(Monotonic.now / 1_000_000) }
}
