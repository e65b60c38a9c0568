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
    var deaths: [Int] = []
    while true {
      serve(child)
      child.end()
      repeat {
        deaths = (deaths + [WatchLoop.milliseconds()]).suffix(5)
        waitAfter(deaths)
        if isStopped { return }
      } while !restart(&child)
    }
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

  private func restart(_ child: inout WatchChild) -> Bool {
    do {
      child = try WatchChild.start(executable)
    } catch {
      // Like a death: it is tried again, and waiting callers scan meanwhile.
      return false
    }
    // Before the callback: its requests must follow those of the old roots.
    commands.withLock { $0.startOver() }
    onEvents([.restarted])
    return true
  }

  /// Serves the program until its death or the end.
  private func serve(_ child: WatchChild) {
    var parser = WatchStreamParser()
    var buffer = [UInt8](repeating: 0, count: 65536)
    while true {
      // Lowered before reading, so that later commands raise it again.
      _ = cairn_eventfd_clear(wake)
      guard !isStopped, let isAllSent = sendCommands(to: child) else { return }
      var waits = [
        pollfd(fd: wake, events: Int16(POLLIN), revents: 0),
        pollfd(fd: child.socket, events: Int16(isAllSent ? POLLIN : POLLIN | POLLOUT), revents: 0),
      ]
      guard poll(&waits, nfds_t(waits.count), -1) > 0, waits[1].revents != 0 else { continue }
      guard let count = child.receive(into: &buffer) else { return }
      do {
        let events = try parser.parse(buffer[..<count])
        if !events.isEmpty { deliver(events) }
      } catch {
        return
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

  /// After five deaths within ten seconds, waits for a second, or until the end.
  private func waitAfter(_ deaths: [Int]) {
    guard deaths.count == 5, deaths[4] - deaths[0] < 10_000 else { return }
    let end = deaths[4] + 1000
    while !isStopped, case let left = end - WatchLoop.milliseconds(), left > 0 {
      wait(for: wake, milliseconds: Int32(left))
      _ = cairn_eventfd_clear(wake)
    }
  }

  private func wait(for descriptor: Int32, milliseconds: Int32) {
    var wait = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    while poll(&wait, 1, milliseconds) < 0, errno == EINTR {}
  }

  private static func milliseconds() -> Int { Int(Monotonic.now / 1_000_000) }
}
