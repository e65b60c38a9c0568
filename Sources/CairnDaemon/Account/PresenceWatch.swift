import CairnContainer
import CairnControl
import CairnFolders
import CairnIdentity
import CairnReplica
import CairnStore
import CairnThreads
import CairnZone
import Logging
import Synchronization

/// Tells others which files are open on this device, and knows which files others have open. It
/// has its own thread, which sleeps until a mount, the container or the clock has news.
/// `PresenceKeeper` decides; this type must not know keys or objects.
final class PresenceWatch: Sendable {
  private enum Message: Sendable {
    /// Files were opened or closed on this device, or folders have changed.
    case here
    /// Devices may have told something.
    case there
    case stop(Waiter<Void>)
  }

  private let mailbox = Mailbox<Message>(limit: 100, overflow: .there)
  private let one: OpenContainer
  private let mounts: Mounts
  private let events: EventLog
  private let persons: Persons
  private let log: Logger
  private let isRunning = Mutex(false)
  private let others = Mutex<[ZoneID: [RecordID: [Presence]]]>([:])
  /// The number of seconds until the next attempt after a failure.
  private static let longestPause: Int64 = 300

  init(
    _ one: OpenContainer, mounts: Mounts, events: EventLog, persons: Persons, log: Logger
  ) {
    (self.one, self.mounts, self.events) = (one, mounts, events)
    (self.persons, self.log) = (persons, log)
  }

  /// Starts the thread; false if the system has no more.
  func start() -> Bool {
    let isStarted = PosixThread.run("cairn-presence") { [self] in run() }
    isRunning.withLock { $0 = isStarted }
    guard isStarted else { return false }
    _ = events.listen(after: 0) { [mailbox] event in
      if ["file.", "mount.", "share."].contains(where: { event.kind.hasPrefix($0) }) {
        mailbox.hint([.here])
      }
    }
    return true
  }

  /// Tells others that nothing is open here any more, and ends; it is done when this returns.
  func stop() {
    let gone = Waiter<Void>()
    if isRunning.withLock({ $0 }), mailbox.post(.stop(gone)) { gone.wait() }
  }

  /// Returns the people who have a file open on other devices, the earliest first; nil if nobody
  /// has.
  func openers(of record: RecordID, in zone: ZoneID) -> [Control.Opener]? {
    guard let found = others.withLock({ $0[zone]?[record] }) else { return nil }
    return found.sorted { ($0.file.since, $0.author.device) < ($1.file.since, $1.author.device) }
      .map { Control.Opener($0, persons) }
  }

  private func run() {
    var keeper = PresenceKeeper(one.container)
    var following = Following(one.configuration)
    let clock = SystemClock()
    var trial = BackOff(longest: Self.longestPause)
    one.store.agree(on: PresenceKeeper.topic, for: String(PresenceKeeper.folder.dropLast()))
    var (looks, isFirst) = (true, true)
    while true {
      var due: Int64?
      do {
        try following.begin { [mailbox, one] in
          [try one.store.follow(PresenceKeeper.folder) { mailbox.hint([.there]) }]
        }
        try keeper.turn(mirrored(), looks: looks, now: clock.now, date: clock.date)
        (due, looks) = (keeper.due, false)
        if let pause = following.pause { due = min(due ?? .max, clock.now + pause) }
        trial.succeed()
      } catch {
        // The mounts report that the container is unavailable; here it is tried again.
        log.debug("open files aren't told, or read, for now: \(error)")
        due = trial.fail(now: clock.now)
      }
      tell(keeper.others, isFirst: isFirst)
      isFirst = false
      let messages = mailbox.take(until: due)
      for case .stop(let gone) in messages {
        keeper.end(now: clock.now, date: clock.date)
        return gone.complete()
      }
      if messages.isEmpty
        || messages.contains(where: { if case .there = $0 { true } else { false } })
      {
        looks = true
      }
    }
  }

  /// The zones of this device, with their files that are open here.
  private func mirrored() -> [PresenceKeeper.Mirrored] {
    Dictionary(grouping: mounts.all, by: \.zone.id).values.compactMap { mounts in
      guard let zone = mounts.first?.zone else { return nil }
      let files = mounts.flatMap { mount -> [OpenFile] in
        // Nobody knows what is open in a folder that isn't there.
        mount.snapshot.withLock { $0.phase == .detached ? [] : $0.disk.open }
      }
      return PresenceKeeper.Mirrored(
        zone, files: files.map { PresenceFile(record: $0.record, since: $0.since) })
    }
  }

  /// Notes what is open on other devices, and reports the differences; the first time none.
  private func tell(_ found: Set<Presence>, isFirst: Bool) {
    func source(_ one: Presence) -> Source {
      Source(zone: one.zone, record: one.file.record, author: one.author)
    }
    let now = found.reduce(into: [ZoneID: [RecordID: [Presence]]]()) {
      $0[$1.zone, default: [:]][$1.file.record, default: []].append($1)
    }
    let before = others.withLock { others in
      defer { others = now }
      return others.values.flatMap(\.values).joined()
    }
    let (old, new) = (Set(before.map(source)), Set(found.map(source)))
    guard !isFirst, old != new else { return }
    for one in old.subtracting(new) { add(.fileClosed, "closed", one) }
    for one in new.subtracting(old) { add(.fileOpened, "opened", one) }
    events.hints.hint()
  }

  /// A file and a device that has it open.
  private struct Source: Hashable {
    var zone: ZoneID
    var record: RecordID
    var author: Author
  }

  private func add(_ kind: Control.EventKind, _ word: String, _ one: Source) {
    for mount in mounts.of(one.zone) {
      let reader = FolderReader(index: self.one.index, zone: mount.zone, scope: mount.scope)
      // A file that isn't in the folder has no path to report.
      guard let path = try? reader.path(of: one.record) else { continue }
      let author = Control.Opener.named(one.author, persons)
      events.add(
        kind, mount: mount.id, path: mount.absolute(path).bytes,
        text: "\(word) by \(persons.name(of: one.author.user)) on \(author.device)",
        by: author.person)
    }
  }
}

extension Control.Opener {
  init(_ presence: Presence, _ persons: Persons) {
    let (person, device) = Self.named(presence.author, persons)
    self.init(
      person: person, device: device,
      since: Control.Time(nanoseconds: presence.file.since),
      seen: Control.Time(nanoseconds: presence.seen))
  }

  /// Returns a person and the name of their device; its id if no name is known.
  static func named(
    _ author: Author, _ persons: Persons
  ) -> (person: Control.Person, device: String) {
    let name = Authors(persons).device(author)
    return (persons.told(author.user), name ?? author.device.description)
  }
}
