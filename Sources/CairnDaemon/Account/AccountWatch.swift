import CairnContainer
import CairnControl
import CairnIdentity
import CairnStore
import CairnThreads
import CairnZone
import Synchronization

/// Watches this person's account: other devices, codes, zones, people. It has its own thread, which
/// sleeps until the container reports a possible change. The owner decides what to do.
final class AccountWatch: Sendable {
  private enum Message: Sendable {
    case look
    case stop(Waiter<Void>)
  }

  private let mailbox = Mailbox<Message>(limit: 1, overflow: .look)
  private let one: OpenContainer
  private let firstLook = Waiter<Void>()
  private let isRunning = Mutex(false)
  /// The number of seconds until the next check after a failure.
  private static let longestPause: Int64 = 60

  init(_ one: OpenContainer) { self.one = one }

  /// The memory between two checks.
  struct Seen {
    /// The devices at the last check; nil before the first.
    var devices: [DeviceID: Person.Device]?
    /// A Boolean value that indicates whether the logs of nested zones were read since the start.
    var hasReadLogs = false
    /// The next end of access in each share, at the last check.
    var ends: [ZoneID: Int64] = [:]
  }

  /// Starts the thread; false if the system has no more. `look` is called once, and after possible
  /// changes; if it throws, it is called again later.
  func start(_ look: @escaping @Sendable (inout Seen) throws -> Void) -> Bool {
    let isStarted = PosixThread.run("cairn-account") { [self] in run(look) }
    isRunning.withLock { $0 = isStarted }
    return isStarted
  }

  /// Returns whether the account was checked since the start, at the latest by a deadline: before
  /// that, the folders of other devices are unknown.
  func hasLooked(by deadline: Int64) -> Bool { firstLook.wait(until: deadline) != nil }

  /// Requests a check, because of a possible change that the container doesn't report.
  func hint() { mailbox.hint([.look]) }

  /// Ends the thread, if it was started; its work is done when this returns.
  func stop() {
    let gone = Waiter<Void>()
    if isRunning.withLock({ $0 }), mailbox.post(.stop(gone)) { gone.wait() }
  }

  private func run(_ look: (inout Seen) throws -> Void) {
    var seen = Seen()
    var following = Following(one.configuration)
    var trial = BackOff(longest: Self.longestPause)
    while true {
      do { try following.begin(follow) } catch {
        // The mounts report that the container is unavailable; here it is tried again.
      }
      var pause = following.pause
      do {
        try look(&seen)
        firstLook.complete(())
        trial.succeed()
      } catch {
        pause = max(0, trial.fail(now: Monotonic.now) - Monotonic.now)
      }
      for case .stop(let gone) in mailbox.take(until: pause.map { Monotonic.now + $0 }) {
        return gone.complete()
      }
    }
  }

  private func follow() throws -> [Subscription] {
    let container = one.container
    let hint: @Sendable () -> Void = { [mailbox] in mailbox.hint([.look]) }
    return try container.followAccount(hint) + container.devices.followIdentity(hint)
      + [container.acquaintances.followNewcomers(hint)]
  }
}
