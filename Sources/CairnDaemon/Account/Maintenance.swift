import CairnContainer
import CairnControl
import CairnIdentity
import CairnReplica
import CairnThreads
import CairnZone
import Logging

/// Performs the automatic duties of the owner or an administrator in a share, on a thread of its
/// own that sleeps until a share changes or a duty is due; and removes garbage. It has no access to
/// folders.
final class Maintenance: Sendable {
  private enum Message: Sendable {
    case look(ZoneID)
    case everything
    case stop
  }

  /// The time of a zone's next check, and the number of successive failures.
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

  /// Starts the thread, which checks every share once, and then those that events name; false if
  /// the system has no more threads. A zone with a new owner is handed to `onMisplaced`.
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

  /// Requests a check of the zone soon: its share may have changed.
  func hint(_ zone: ZoneID) { mailbox.hint([.look(zone)]) }

  // MARK: The thread

  private func run(_ events: EventLog, _ onMisplaced: (Zone) -> Void) {
    var turns: [ZoneID: Turn] = [:]
    var garbage = GarbageDay(container, log, now: clock.now)
    while true {
      let now = clock.date
      let next = turns.values.compactMap(\.due).min()
      // The shares' times are those of the wall clock, which may be set during the sleep; then this
      // comes early or late, and the rules still decide about validity.
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

  /// Checks a zone; a failure is tried again later and later. Nil: nothing is due there.
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

  /// Performs the due duties in a share that this person administers.
  /// - Returns: The time of the next check without a hint, in nanoseconds since 1970; nil for
  ///   never.
  private func tend(_ zone: Zone, _ events: EventLog) throws -> Int64? {
    let title = zone.header.share?.title ?? ""
    if try container.links.removeExpiredLinks(from: zone) > 0 {
      events.add(.shareSaved, mount: nil, path: nil, text: "a link to “\(title)” has expired")
    }
    for user in try container.access.removeEnded(from: zone, at: clock.date) {
      let name = Persons(container: container).name(of: user)
      events.add(
        .shareSaved, mount: nil, path: nil, text: "\(name)'s access to “\(title)” has ended")
    }
    for user in try container.groups.removeLeft(from: zone) {
      let name = Persons(container: container).name(of: user)
      events.add(
        .shareSaved, mount: nil, path: nil, text: "\(name) left a group that has “\(title)”")
    }
    try container.access.rekeyIfDue(zone)
    try container.requests.tendDoor(of: zone)
    // A time before 1970 is somebody's joke, and must not make a number overflow.
    let links = zone.header.share?.links.values.compactMap(\.expires) ?? []
    return try (links + container.access.ends(in: zone).values).min().map { max(0, $0) }
  }
}
