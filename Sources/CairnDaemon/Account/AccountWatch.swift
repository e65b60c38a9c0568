import CairnCloud
import CairnControl
import CairnStore
import CairnThreads
import CairnZone

/// Looks after this person's account as it changes: other devices, codes, zones, people. A thread
/// of its own that sleeps until the container says that something may be there. What there is to
/// do, its owner says.
final class AccountWatch: Sendable {
  private enum Message: Sendable {
    case look
    case stop(Waiter<Void>)
  }

  private let mailbox = Mailbox<Message>(limit: 1, overflow: .look)
  private let one: OpenContainer
  private let firstLook = Waiter<Void>()
  /// Seconds until the next look when something is wrong.
  private static let longestPause: Int64 = 60

  init(_ one: OpenContainer) { self.one = one }

  /// What is remembered between two looks.
  struct Seen {
    /// The devices as they were at the last look; nil before the first.
    var devices: [DeviceID: Person.Device]?
  }

  /// Starts the thread; false if the system has no more. `look` is called once, and when something
  /// may have changed; if it throws, it is called again after a while.
  func start(_ look: @escaping @Sendable (inout Seen) throws -> Void) -> Bool {
    PosixThread.run("cairn-account") { [self] in run(look) }
  }

  /// Whether the account was looked at since the start, at the latest by then: before, nobody knows
  /// what other devices mirror.
  func hasLooked(by deadline: Int64) -> Bool { firstLook.wait(until: deadline) != nil }

  /// Something may have changed that the container doesn't tell.
  func hint() { mailbox.hint([.look]) }

  /// Ends the thread, which was started; what it does is done when this returns.
  func stop() {
    let gone = Waiter<Void>()
    mailbox.post(.stop(gone))
    gone.wait()
  }

  private func run(_ look: (inout Seen) throws -> Void) {
    var seen = Seen()
    var following = Following(one.configuration)
    var trial = BackOff(longest: Self.longestPause)
    while true {
      do { try following.begin(follow) } catch {
        // Whoever mounts folders says that the container is away; here it is tried again.
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
