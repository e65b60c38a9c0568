import CairnContainer
import CairnControl
import CairnFolders
import CairnIdentity
import CairnReplica
import CairnThreads
import CairnZone
import Logging
import Synchronization

/// The end of shares for this person, who was removed, left, or whose share was stopped: their
/// folders are cleared, and the account forgets them. It must not know how a mount works.
final class Departures: Sendable {
  private struct State {
    /// The zones whose mounts are being given up, and who waits for that.
    var departing: [ZoneID: [Waiter<Void>]] = [:]
    /// Zones whose folders were given up here, and that the account still has.
    var unforgotten: [ZoneID: Zone] = [:]

    /// The waiter for the thread that works on a zone; nil if no thread does.
    mutating func waiter(of zone: ZoneID) -> Waiter<Void>? {
      guard departing[zone] != nil else { return nil }
      let waiter = Waiter<Void>()
      departing[zone]?.append(waiter)
      return waiter
    }
  }

  private let one: OpenContainer
  private let events: EventLog
  private let log: Logger
  /// Has the watch on the account try again to forget.
  private let forgetLater: @Sendable () -> Void
  private let state = Mutex(State())

  init(
    _ one: OpenContainer, events: EventLog, log: Logger,
    forgetLater: @escaping @Sendable () -> Void
  ) {
    self.one = one
    self.events = events
    self.log = log
    self.forgetLater = forgetLater
  }

  /// A mount says that it is over; on a thread of its own, since the mount's has to be ended.
  func mountEnded(_ mount: Mount, _ why: Departure, in mirrors: Mirrors) {
    let started = PosixThread.run("cairn-depart") { [self] in
      do {
        try end(mount, because: why, in: mirrors)
      } catch {
        log.warning("\(Control.Path(mount.path)) can't be given up yet: \(error)")
      }
    }
    if !started { log.warning("the system has no more threads to give up a folder") }
  }

  /// Gives up the folder of a share, or its folders: what the zone has is removed, what only they
  /// have is moved to the home's rescue folder, and account and index forget the share. For an
  /// owner's removal, for `share leave`, and for what another device of this person did. With
  /// `keepingFiles`, and where this person deleted the zone, all files are moved there. Doing it
  /// twice, or at once, does it once; it is done when this returns. Who leaves says so in the
  /// share's log first.
  @discardableResult
  func end(
    _ mount: Mount, because why: Departure, keepingFiles: Bool = false, in mirrors: Mirrors
  ) throws -> [MovedAway] {
    let zone = mount.zone
    // What this person deleted themself can be had back, on each device of theirs.
    let isOwn = why == .purged && zone.header.owner == one.container.account.user
    let keepsFiles = keepingFiles || isOwn
    if let other = turn(at: zone.id) {
      other.wait()
      return []
    }
    defer {
      let waiters = state.withLock { $0.departing.removeValue(forKey: zone.id) }
      for waiter in waiters ?? [] { waiter.complete() }
    }
    let all = mirrors.mounts.of(zone.id)
    guard all.contains(where: { $0 === mount }) else { return [] }
    if why == .partDeleted {
      try endPart(mount, in: mirrors)
      return []
    }
    if why == .rootDeleted, zone.scope == .public {
      try endMirror(mount, in: mirrors)
      return []
    }
    // Saying it again, after another device of this person did, changes nothing.
    if why == .rootDeleted || why == .left { try one.container.participation.leave(zone) }
    let title = Self.title(of: zone)
    let reason = reason(why, zone)
    var moved: [MovedAway] = []
    // Those that lie in others first.
    for mount in all.sorted(by: { $1.path.lexicographicallyPrecedes($0.path) }) {
      let entries = try clear(mount, title, reason, keepsFiles)
      moved += entries
      guard !keepsFiles else {
        tellKept(entries.count, of: mount, title, reason)
        continue
      }
      for entry in entries {
        events.add(
          .rescued, mount: mount.id, path: mount.absolute(entry.of).bytes,
          text: "\(reason); the file is at \(Control.Path(entry.path))")
      }
    }
    mirrors.changing {
      for mount in all { mirrors.mounts.end(mount, forget: true) }
      state.withLock { $0.unforgotten[zone.id] = zone }
    }
    // The event comes last: by then the list of shares has changed, too.
    defer { tell(why, of: zone, at: mount.path, mount: mount.id, in: mirrors) }
    try forgetGivenUp(in: mirrors)
    return moved
  }

  /// Says why a zone's folder is no longer mirrored.
  func tell(
    _ why: Departure, of zone: Zone, at path: [UInt8], mount: String? = nil, in mirrors: Mirrors
  ) {
    let other = otherPerson(why, zone)
    let isLeft = why == .left || why == .rootDeleted
    mirrors.mounts.ended.add(
      zone.id,
      events.add(
        Self.kind(why), mount: mount, path: path, text: reason(why, zone),
        by: other.map { persons.told($0) }),
      link: isLeft ? one.container.links.link(to: zone).description : nil)
  }

  /// Ends the mirror of a directory that was deleted from its share. What is left in the folder
  /// belongs to the mirrored folder around it, or isn't mirrored any more.
  private func endPart(_ mount: Mount, in mirrors: Mirrors) throws {
    let who = try mount.zone.read { try $0.otherDeleter(of: mount.part.base) }
    if let nesting = try one.container.nestings.nesting(of: mount.part) {
      try mirrors.making { try NestedZones(mirrors: mirrors).takeOut(nesting, of: mount.zone) }
    } else {
      try mirrors.changing {
        try one.container.removeMount(mount.part)
        mirrors.mounts.end(mount, forget: true)
      }
    }
    events.add(
      .mountRemoved, mount: nil, path: mount.path,
      text: "not mirrored any more: it was deleted from “\(Self.title(of: mount.zone))”"
        + (who.map { " by \(persons.name(of: $0))" } ?? ""), by: who.map { persons.told($0) })
  }

  /// Ends the mirror of somebody's public directory whose folder its person deleted. Nobody else
  /// hears of it, and other mirrors of that directory's parts go on.
  private func endMirror(_ mount: Mount, in mirrors: Mirrors) throws {
    try mirrors.changing {
      try one.container.removeMount(mount.part)
      mirrors.mounts.end(mount, forget: true)
    }
    events.add(
      .mountRemoved, mount: nil, path: mount.path,
      text: "not mirrored any more: its folder was deleted")
  }

  /// Checks whether this person currently participates in a zone with a folder here, and ends an
  /// ended mount: the container's data counts, not an earlier report. Everything is done when this
  /// returns, so that a person who is invited again finds nothing of the earlier share.
  func settle(_ zone: ZoneID, in mirrors: Mirrors) throws {
    if let mount = mirrors.mounts.first(of: zone) {
      do { _ = try mount.zone.isToBeRead() } catch is CloudError {
        // The container is away, or the log is in trouble: what is known must do.
        return
      }
      if let why = try Departure(from: mount.zone) { try end(mount, because: why, in: mirrors) }
    } else if let waiter = state.withLock({ $0.waiter(of: zone) }) {
      waiter.wait()
    }
    guard state.withLock({ $0.unforgotten[zone] != nil }) else { return }
    try forgetGivenUp(in: mirrors)
  }

  /// Takes zones whose folders were given up out of the account. If the container is away just
  /// then, the next look at the account tries again.
  func forgetGivenUp(in mirrors: Mirrors) throws {
    for (id, zone) in state.withLock({ $0.unforgotten }) {
      do {
        try forget(zone, in: mirrors)
      } catch {
        forgetLater()
        throw error
      }
      state.withLock { $0.unforgotten[id] = nil }
    }
  }

  /// Forgets the place of a zone inside of a mirrored folder.
  private func forget(_ zone: Zone, in mirrors: Mirrors) throws {
    let nestings = try one.container.nestings.all(of: zone.id)
    try mirrors.changing {
      try one.container.nestings.unlink(nestings)
      try one.container.participation.forgetEverything(of: zone)
    }
    for outer in Set(nestings.map(\.outer)) {
      mirrors.mounts[ZonePart(outer)]?.mailbox.hint([.zone])
    }
  }

  /// The zone has a folder again, so nothing of it is to be forgotten.
  func isTakenAgain(_ zone: ZoneID) { state.withLock { $0.unforgotten[zone] = nil } }

  /// Nil: it's the caller's turn. Otherwise somebody is at it, and the waiter says when it's done.
  private func turn(at zone: ZoneID) -> Waiter<Void>? {
    state.withLock { state in
      if let other = state.waiter(of: zone) { return other }
      state.departing[zone] = []
      return nil
    }
  }

  /// Says once where all files of a folder are.
  private func tellKept(_ count: Int, of mount: Mount, _ title: String, _ reason: String) {
    guard count > 0 else { return }
    let folder = Control.Path(HomeRescue(home: one.home).path(title: title, zone: mount.zone.id))
    events.add(
      .rescued, mount: mount.id, path: mount.path,
      text: "\(reason); \(count) \(count == 1 ? "file is" : "files are") in \(folder)")
  }

  private func clear(
    _ mount: Mount, _ title: String, _ reason: String, _ keepsFiles: Bool
  ) throws -> [MovedAway] {
    let rescue = HomeRescue(home: one.home)
    let folder = try rescue.folder(title: title, zone: mount.zone.id)
    let moved: [MovedAway]
    do {
      moved = try mount.ask { try $0.clear(into: folder, keepingFiles: keepsFiles) }
    } catch let error as ControlError {
      // `cairn remove` was faster: then the folder keeps its files. Work that ends with the daemon
      // continues at its next start.
      guard error.code == .operationCancelled, try !isMirrored(mount.part) else { throw error }
      return []
    }
    if !moved.isEmpty { try rescue.note(mount.path, reason: reason, in: folder) }
    return moved
  }

  private func isMirrored(_ part: ZonePart) throws -> Bool {
    try one.container.mounts().contains { $0.part == part }
  }

  private static func kind(_ why: Departure) -> Control.EventKind {
    switch why {
    case .removed: .shareRevoked
    case .stopped, .purged: .shareStopped
    case .left, .rootDeleted, .partDeleted: .shareLeft
    }
  }

  private var persons: Persons { Persons(container: one.container) }

  /// Returns the person who ended it for this one; nil if they did themselves, or it is unknown.
  private func otherPerson(_ why: Departure, _ zone: Zone) -> UserID? {
    let who: UserID? =
      switch why {
      case .removed: zone.header.share?.changed.user
      case .stopped, .purged: zone.header.owner
      case .left, .rootDeleted, .partDeleted: nil
      }
    return who == one.container.account.user ? nil : who
  }

  private static func title(of zone: Zone) -> String {
    zone.header.share?.title ?? zone.header.genesis?.name ?? "Share"
  }

  private func reason(_ why: Departure, _ zone: Zone) -> String {
    let other = otherPerson(why, zone)
    return Self.sentence(why, Self.title(of: zone), other.map { persons.name(of: $0) })
  }

  private static func sentence(_ why: Departure, _ title: String, _ who: String?) -> String {
    let owner = who.map { "its owner \($0)" } ?? "its owner"
    switch why {
    case .removed:
      return "you are no longer in “\(title)”: "
        + "you were removed" + (who.map { " by \($0)" } ?? "")
    case .stopped: return "“\(title)” isn't shared any more: \(owner) stopped it"
    case .purged: return "“\(title)” was deleted by \(owner)"
    case .left: return "you left “\(title)”"
    case .rootDeleted: return "you left “\(title)” by deleting its folder"
    case .partDeleted: return "the folder was deleted from “\(title)”"
    }
  }
}
