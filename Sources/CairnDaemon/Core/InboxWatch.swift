import CairnCloud
import CairnControl
import CairnStore
import CairnThreads
import CairnZone

/// Tells of invitations and requests as they come, on a thread of its own that sleeps until the
/// container says that something may be there.
final class InboxWatch: Sendable {
  private let mailbox = Mailbox<Bool>(limit: 1, overflow: true)
  private let container: Container
  private let events: EventLog

  init(container: Container, events: EventLog) {
    self.container = container
    self.events = events
  }

  /// Starts the thread; false if the system has no more.
  func start() -> Bool { PosixThread.run("cairn-inbox") { [self] in run() } }

  /// Ends the thread, some time after this returns.
  func stop() { mailbox.post(false) }

  private func run() {
    var subscriptions: [Subscription] = []
    var known: Set<String>?
    var asked: Set<Bytes16>?
    while true {
      do {
        if subscriptions.isEmpty {
          subscriptions = try container.follow { [mailbox] in mailbox.hint([true]) }
        }
        let now = try container.invitations()
        for invitation in now where known.map({ !$0.contains(invitation.id) }) ?? false {
          events.add(
            .invitationReceived, mount: nil, path: nil,
            text: "“\(invitation.title)”: see `cairn share invitations`")
        }
        known = Set(now.map(\.id))
        let requests = try container.accessRequests()
        for request in requests where asked.map({ !$0.contains(request.id) }) ?? false {
          events.add(
            .requestReceived, mount: nil, path: nil,
            text: "somebody asks for access to a share: see `cairn share requests`")
        }
        asked = Set(requests.map(\.id))
      } catch {
        // The container is away; whoever mounts folders says so, and the next hint tries again.
      }
      // Nothing tells of a container that isn't there yet.
      let deadline = subscriptions.isEmpty ? SystemClock().now + 5_000_000_000 : nil
      if mailbox.take(until: deadline).contains(false) { return }
    }
  }
}
