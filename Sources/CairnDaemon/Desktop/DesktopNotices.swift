import CairnControl
import CairnThreads
import Glibc
import Logging
import Synchronization

/// Shows notices of events on the desktop of the daemon's session, and performs the chosen actions.
/// Without such a session it does nothing.
final class DesktopNotices: Sendable {
  private let feed = NoticeFeed()
  private let over = Waiter<Void>()
  private let log: Logger
  private let state: Mutex<State>

  private struct State {
    var bus: DesktopBus?
    var isRunning = false
    var isOn: Bool
  }

  init(log: Logger, isOn: Bool) {
    self.log = log
    state = Mutex(State(isOn: isOn))
  }

  /// A Boolean value that indicates whether the person wants notices.
  var isOn: Bool { state.withLock(\.isOn) }

  /// Turns notices on or off for events from here on.
  func set(_ isOn: Bool, _ events: EventLog) {
    state.withLock { $0.isOn = isOn }
    start(events)
  }

  /// Shows events from here on, on a thread that sleeps until one is worth a notice. Without effect
  /// if notices are off, or if it was called before.
  func start(_ events: EventLog) {
    guard state.withLock({ $0.isOn && !$0.isRunning }), DesktopBus.isThere else { return }
    let isRunning = PosixThread.run("cairn-notices") { [self] in
      feed.run { show($0) }
      state.withLock { $0.bus.take()?.end() }
      over.complete()
    }
    state.withLock { $0.isRunning = isRunning }
    guard isRunning else { return log.warning("the system has no more threads to show notices") }
    _ = events.listen(after: events.last) { [self] in if isOn { feed.take($0) } }
  }

  /// Shows the earlier events, and returns.
  func stop() {
    guard state.withLock(\.isRunning) else { return }
    feed.end()
    _ = over.wait(until: Monotonic.now + 5_000_000_000)
  }

  private func show(_ notice: Control.Notice) {
    let known = state.withLock(\.bus)
    if let known, known.show(notice) { return }
    // There was none, or it ended with a session.
    known?.end()
    let bus = DesktopBus { [log] in Self.run($0, log) }
    state.withLock { $0.bus = bus }
    if bus?.show(notice) != true { log.debug("nobody shows notices: \(notice.title)") }
  }

  // MARK: What somebody chose

  /// Runs `cairn` with the arguments of the notice. The opened program is no part of the daemon:
  /// where systemd would count it as one, systemd is asked to start the command.
  private static func run(_ notice: Control.Notice, _ log: Logger) {
    let isStarted = PosixThread.run("cairn-chosen") {
      let arguments = command(notice.show)
      let null = open("/dev/null", O_RDWR | O_CLOEXEC)
      defer { close(null) }
      do throws(ControlError) {
        let plan = ChildProcess.Plan(
          arguments: arguments, descriptors: [null, null, null], isDetached: true)
        let status = try ChildProcess(arguments[0], plan).waitForExit()
        if status != 0 {
          log.warning("`\(arguments.joined(separator: " "))` ended with status \(status)")
        }
      } catch {
        log.warning("\(error.message)")
      }
    }
    if !isStarted { log.warning("the system has no more threads") }
  }

  private static func command(_ arguments: [String]) -> [String] {
    let own = [Programs.cairn] + arguments
    guard getenv("INVOCATION_ID") != nil, let starter = Programs.inPath("systemd-run") else {
      return own
    }
    let home = getenv("CAIRN_HOME").map { ["--setenv=CAIRN_HOME=" + String(cString: $0)] } ?? []
    return [starter, "--user", "--quiet", "--collect"] + home + ["--"] + own
  }
}
