import CairnCloud
import CairnControl
import CairnThreads
import CairnZone
import Logging

/// Does what the owner or an administrator owes a share without being asked, on a thread of its own
/// that sleeps until a share changes or something falls due; and throws garbage away. It must not
/// know folders.
final class Steward: Sendable {
  private enum Message: Sendable {
    case look(ZoneID)
    case everything
    case stop
  }

  /// When a zone is looked at again, and how often in a row it went wrong.
  private struct Turn {
    var due: Int64?
    var failures = 0
  }

  private let mailbox = Mailbox<Message>(limit: 10_000, overflow: .everything)
  private let container: Container
  private let log: Logger
  private let clock = SystemClock()

  init(container: Container, log: Logger) {
    self.container = container
    self.log = log
  }

  /// Starts the thread, which looks at every share once, and then at those that events tell of;
  /// false if the system has no more threads. A zone that got another owner is handed out.
  func start(_ events: EventLog, onMisplaced: @escaping @Sendable (Zone) -> Void) -> Bool {
    mailbox.hint([.everything])
    _ = events.listen(after: events.last) { [self] event in
      guard event.kind.hasPrefix("share."),
        let zone = event.mount.flatMap({ ZonePart($0)?.zone })
      else { return }
      hint(zone)
    }
    return PosixThread.run("cairn-steward") { [self] in run(events, onMisplaced) }
  }

  /// Ends the thread, some time after this returns.
  func stop() { mailbox.post(.stop) }

  /// Has the zone looked at soon: its share may have changed.
  func hint(_ zone: ZoneID) { mailbox.hint([.look(zone)]) }

  // MARK: The thread

  private func run(_ events: EventLog, _ onMisplaced: (Zone) -> Void) {
    var turns: [ZoneID: Turn] = [:]
    var garbage = GarbageDay(container, log, now: clock.now)
    while true {
      let now = clock.date
      let next = turns.values.compactMap(\.due).min()
      // The shares' times are the wall clock's, which may be set while we sleep; then this comes
      // early or late, and the fold still says what is valid.
      var zones: Set<ZoneID> = []
      let wake = min(garbage.due, next.map { clock.now + max(0, $0 - now) } ?? .max)
      for message in mailbox.take(until: wake) {
        switch message {
        case .stop: return
        case .look(let zone): zones.insert(zone)
        case .everything: zones.formUnion(all(&turns))
        }
      }
      let time = clock.date
      for (zone, turn) in turns where turn.due.map({ $0 <= time }) ?? false { zones.insert(zone) }
      for zone in zones {
        turns[zone] = look(zone, turns[zone] ?? Turn(), events, onMisplaced)
      }
      garbage.work(now: clock.now)
    }
  }

  private func all(_ turns: inout [ZoneID: Turn]) -> [ZoneID] {
    do {
      let zones = try container.privateDatabase.zones() + container.sharedDatabase.zones()
      turns = [:]
      return zones.map(\.id)
    } catch {
      log.warning("the shares can't be looked through: \(error)")
      return []
    }
  }

  /// Tends a zone; what went wrong is tried again later and later. Nil: nothing is due there.
  private func look(
    _ id: ZoneID, _ turn: Turn, _ events: EventLog, _ onMisplaced: (Zone) -> Void
  ) -> Turn? {
    do {
      guard let zone = try container.zone(id), zone.header.share != nil else { return nil }
      try zone.pull()
      if container.ownership.isMisplaced(zone) { onMisplaced(zone) }
      guard zone.header.rights(of: container.account.user).contains(.administer) else {
        return nil
      }
      return try tend(zone, events).map { Turn(due: $0) }
    } catch {
      let failures = turn.failures + 1
      if failures == 1 { log.warning("the share \(id) can't be tended: \(error)") }
      let seconds = Int64(1) << Int64(min(failures, 10))
      return Turn(due: clock.date + seconds * 1_000_000_000, failures: failures)
    }
  }

  /// Does what is due in a share that this person administers.
  /// - Returns: when to look again without a hint, in nanoseconds since 1970; nil: never.
  private func tend(_ zone: Zone, _ events: EventLog) throws -> Int64? {
    let title = zone.header.share?.title ?? ""
    if try container.links.removeExpiredLinks(from: zone) > 0 {
      events.add(.shareSaved, mount: nil, path: nil, text: "a link to “\(title)” has expired")
    }
    try container.access.rekeyIfDue(zone)
    try container.requests.tendDoor(of: zone)
    // A time before 1970 is somebody's joke, and must not make a number overflow.
    return zone.header.share?.links.values.compactMap(\.expires).min().map { max(0, $0) }
  }
}
