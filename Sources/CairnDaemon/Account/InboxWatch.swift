import CairnContainer
import CairnControl
import CairnIdentity
import CairnStore
import CairnThreads
import CairnZone
import Synchronization

/// Reports invitations, requests and files in drop boxes as they come, on a thread of its own that
/// sleeps until the container reports a possible change.
final class InboxWatch: Sendable {
  private let mailbox = Mailbox<Bool>(limit: 1, overflow: true)
  private let one: OpenContainer
  private let events: EventLog
  private let problems: AccountProblems
  private let seen = Mutex(Waiting())

  /// The messages that wait for this person's answer.
  struct Waiting {
    var invitations: [Control.Invitation] = []
    var requests = 0
    var drops = 0
  }

  /// The waiting messages as they were seen last, without asking the container.
  var waiting: Waiting { seen.withLock { $0 } }

  /// A Boolean value that indicates whether the inbox was too full to be read to its end.
  var isFlooded: Bool { !problems.named { $0 == "inbox" }.isEmpty }

  init(_ one: OpenContainer, events: EventLog, problems: AccountProblems) {
    self.one = one
    self.events = events
    self.problems = problems
  }

  /// The report while not all objects of the inbox were read.
  static let flood = Control.Problem(
    code: .limitExceeded,
    message:
      "Your inbox has more than \(InboxSurvey.most) objects, and the rest isn't read: invitations "
      + "and requests may be missing.",
    remedy: "Run `cairn repair`: it removes what isn't for you. Links work without the inbox.")

  /// The report while not all objects of the drop boxes were read.
  static let dropFlood = Control.Problem(
    code: .limitExceeded,
    message:
      "Your drop boxes have more than \(DropSurvey.most) objects, and the rest isn't read: files "
      + "may be missing.",
    remedy: "Accept the files that you see, and end the boxes: `cairn drop list` shows them. "
      + "`cairn gc` removes what belongs to no box after seven days.")

  /// Starts the thread; false if the system has no more.
  func start() -> Bool { PosixThread.run("cairn-inbox") { [self] in run() } }

  /// Ends the thread, some time after this returns.
  func stop() { mailbox.post(false) }

  /// Looks again soon: this person has answered something.
  func hint() { mailbox.hint([true]) }

  private func run() {
    var following = Following(one.configuration)
    var (known, asked): (Set<String>?, Set<Bytes16>?)
    var passed: Set<ObjectKey> = []
    var drops = DropNews()
    var returning: Set<Bytes16> = []
    repeat {
      do {
        try following.begin { [mailbox] in
          try one.container.follow { mailbox.hint([true]) }
        }
        try tellInvitations(&known)
        try one.container.requests.readmit(&returning)
        try tellRequests(&asked)
        try one.container.requests.passOn(&passed)
        try tellDrops(&drops)
        problems.set("inbox", try one.container.inbox.survey().isCut ? Self.flood : nil)
      } catch {
        // The container is unavailable; the mounts report it, and it is tried again.
      }
    } while !mailbox.take(until: wake(following.pause, drops.rest)).contains(false)
  }

  /// The time of the next check without a hint; nil for none.
  private func wake(_ pauses: Int64?...) -> Int64? {
    pauses.compactMap { $0 }.min().map { Monotonic.now.addingReportingOverflow($0) }
      .map { $0.overflow ? .max : $0.partialValue }
  }

  /// The drop boxes at the last check.
  private struct DropNews {
    /// Nil before the first check.
    var known: Set<Bytes16>?
    /// Nil without a box.
    var following: Subscription?
    /// The time until the end of the first link, in nanoseconds.
    var rest: Int64?
  }

  /// Reports the files in drop boxes since the last check; the first check reports none. Without a
  /// box the container isn't asked.
  private func tellDrops(_ news: inout DropNews) throws {
    let hasBoxes = try !one.container.drops.boxes().isEmpty
    if hasBoxes, news.following == nil {
      news.following = try one.container.drops.follow { [mailbox] in mailbox.hint([true]) }
    } else if !hasBoxes {
      news.following?.cancel()
      news.following = nil
    }
    let survey = try one.container.drops.survey()
    // A client that hears of a file finds it in the state.
    seen.withLock { $0.drops = survey.drops.count }
    problems.set("drops", survey.isCut ? Self.dropFlood : nil)
    let persons = Persons(container: one.container)
    for drop in survey.drops where news.known.map({ !$0.contains(drop.id) }) ?? false {
      let sender = drop.sender.map { persons.name(of: $0.user) } ?? "somebody with the link"
      let title = survey.boxes.first { $0.id == drop.box }?.title ?? ""
      events.add(
        .dropReceived, mount: nil, path: nil,
        text: "“\(drop.name)” from \(sender) waits in the drop box “\(title)”",
        by: drop.sender.map { persons.told($0.user) })
    }
    news.known = Set(survey.drops.map(\.id))
    let next = survey.boxes.compactMap(\.expires).filter { $0 > WallClock.now }.min()
    news.rest = next.map { $0 - WallClock.now }
  }

  /// Reports the invitations since the last check; the first check reports none.
  private func tellInvitations(_ known: inout Set<String>?) throws {
    let now = try one.container.participation.invitations()
    let persons = Persons(container: one.container)
    for invitation in now where known.map({ !$0.contains(invitation.id) }) ?? false {
      events.add(
        .invitationReceived, mount: nil, path: nil,
        text: "“\(invitation.title)” from \(persons.name(of: invitation.inviter))",
        by: persons.told(invitation.inviter))
    }
    known = Set(now.map(\.id))
    seen.withLock { seen in
      seen.invitations = now.map { Control.Invitation($0, from: persons.told($0.inviter)) }
    }
    events.hints.hint()
  }

  private func tellRequests(_ asked: inout Set<Bytes16>?) throws {
    let requests = try one.container.requests.waiting()
    for request in requests where asked.map({ !$0.contains(request.id) }) ?? false {
      events.add(
        .requestReceived, mount: nil, path: nil,
        text: "a person asks for access to a share")
    }
    asked = Set(requests.map(\.id))
    seen.withLock { $0.requests = requests.count }
  }
}

extension Control.Invitation {
  init(_ invitation: PendingInvitation, from: Control.Person) {
    self.init(
      id: invitation.id, title: invitation.title, from: from,
      permission: Control.Permission(invitation.permission), zone: invitation.zone.description,
      time: Control.Time(nanoseconds: invitation.time))
  }
}
