import CairnContainer
import CairnControl
import CairnFolders
import CairnIdentity
import CairnReplica
import CairnThreads
import CairnZone
import Logging
import Synchronization

/// The zones of one container with folders on this device, and the operations that add and remove
/// such folders. It has no access to a mount's work, or to the questions of people.
final class Mirrors: Sendable {
  let one: OpenContainer
  let mounts: Mounts
  let events: EventLog
  let log: Logger
  private let departures: Departures
  /// Lets the account be checked soon.
  let checkAccount: @Sendable () -> Void
  /// The threads of the mounts. A container that doesn't answer stops only those of its own.
  private let threads = ActorPool("cairn-mount")
  /// A value that distinguishes this run of the daemon from others.
  private let token = String(UInt64.random(in: .min ... .max), radix: 36)
  let places: HomePlaces
  /// Held while a zone gets a folder, loses it, or moves to another database: a command and the
  /// check of the account must not do this at the same time.
  private let changing = Mutex(())
  /// The folders whose zones were unavailable at the start.
  private let unstarted = Mutex<[MountEntry]>([])

  init(
    _ one: OpenContainer, mounts: Mounts, places: HomePlaces, departures: Departures,
    events: EventLog, log: Logger, checkAccount: @escaping @Sendable () -> Void
  ) {
    self.one = one
    self.places = places
    self.mounts = mounts
    self.departures = departures
    self.checkAccount = checkAccount
    self.events = events
    self.log = log
  }

  private var container: Container { one.container }

  /// Lets one command at a time make mirrors of folders.
  func making<Result>(_ body: () throws -> Result) rethrows -> Result {
    try places.making(body)
  }

  /// Lets one caller at a time change which zones have folders.
  func changing<Result>(_ body: () throws -> Result) rethrows -> Result {
    try changing.withLock { _ in try body() }
  }

  /// The mounts of this container.
  var all: [Mount] { mounts.all }

  // MARK: Beginning

  /// Starts the mounts of this device.
  func startAll() throws {
    var zones: Set<ZoneID> = []
    finishLeaving()
    try IntendedMounts(mirrors: self).restoreMarks()
    let intended = try IntendedMounts(mirrors: self).parts()
    let unfinished = NestedZones(mirrors: self).tidy().union(try container.exits().keys)
      .union(intended.old)
    for part in intended.new {
      mounts.leaveOut(part)
      mounts.expect(part)
    }
    for nesting in try container.nestings.all() { mounts.leaveOut(nesting.part) }
    for entry in try container.mounts() where !unfinished.contains(entry.part) {
      // What has just left a share is mirrored already.
      guard mounts[entry.part] == nil else { continue }
      do {
        guard let zone = try zone(of: entry) else { continue }
        try make(zone, entry)
        zones.insert(zone.id)
      } catch let error as CloudError where error.isWorthRetrying {
        unstarted.withLock { $0.append(entry) }
      }
    }
    for zone in zones { mounts.excludeParts(of: zone) }
    // All at once: the watched directories depend on which mounts are inside of others. Another
    // container may have a directory watched already.
    mounts.watch(mounts.all)
  }

  private func finishLeaving() {
    do { try LeavingParts(mirrors: self).finish() } catch {
      log.warning("what is being taken out of a share has to wait: \(error)")
    }
  }

  /// Starts the folders whose zones were unavailable at the start, because the container was.
  /// - Throws: `CloudError` if it still is.
  func startRest() throws {
    for entry in unstarted.withLock({ $0 }) {
      if mounts[entry.part] == nil, try container.mounts().contains(entry),
        let zone = try zone(of: entry)
      {
        try start(zone, entry)
      }
      unstarted.withLock { $0.removeAll { $0 == entry } }
    }
  }

  /// Returns the zone of a folder of this device. If nothing of the zone was replayed here, and the
  /// account has made different claims about it, the log is read.
  private func zone(of entry: MountEntry) throws -> Zone? {
    guard let zone = try container.zone(of: entry) else { return try leftOver(entry) }
    guard zone.header.genesis == nil, zone.scope != .public else { return zone }
    return try container.participation.confirmed(zone)
  }

  /// Returns the zone of a folder of this device that the account doesn't list. The check of the
  /// account ends the folder if the zone is over, and reports it otherwise. Parts that returned to
  /// the outer zone belong to that zone.
  private func leftOver(_ entry: MountEntry) throws -> Zone? {
    guard try !one.index.holdsReference(to: entry.part) else { return nil }
    if let zone = try container.participation.leftOver(entry.zone) { return zone }
    try container.removeMount(entry.part)
    events.add(
      .mountRemoved, mount: nil, path: entry.path,
      text:
        "not mirrored any more: another device of yours gave it up, and what this one knew of it "
        + "is lost; the files stay")
    return nil
  }

  /// Mirrors a zone in the folder at that path.
  @discardableResult
  func start(_ zone: Zone, path: [UInt8]) throws -> Mount {
    try start(zone, MountEntry(zone: zone.id, device: container.account.device.id, path: path))
  }

  /// Mirrors a part of a zone. The zone's other mounts leave this part out from then on.
  @discardableResult
  func start(_ zone: Zone, _ entry: MountEntry) throws -> Mount {
    let mount = try make(zone, entry)
    // Accepting a share again ends an earlier departure.
    departures.isTakenAgain(zone.id)
    mounts.ended.drop(zone.id)
    mounts.excludeParts(of: zone.id)
    mounts.watch([mount])
    return mount
  }

  @discardableResult
  private func make(_ zone: Zone, _ entry: MountEntry) throws -> Mount {
    let mount = Mount(zone: zone, of: container.id, entry: entry, log: log)
    var settings = MountSettings(
      handle: one.me.handle, host: one.configuration.deviceName, token: token,
      boot: Host.start(with: one.home.index), keepFree: one.configuration.keepFree, lanes: 2)
    settings.offLimits = OwnPlaces(one, places).offLimits
    settings.mergesText = true
    let owner = Mount.Owner(
      me: container.account.user,
      nameOf: { [container] in Persons(container: container).name(of: $0) },
      told: { [container] author in
        let authors = Authors(Persons(container: container))
        return (authors.told(author.user), authors.device(author))
      },
      onEnd: { [weak self] mount, why in
        if let self { departures.mountEnded(mount, why, in: self) }
      }, onReturn: { [mounts] in mounts.watchAgain($0) })
    let place = MountPlace { [self, settings] in
      let engine = MountEngine(
        zone: zone, scope: mount.scope, path: mount.folder, index: one.index, settings: settings,
        clock: SystemClock(), executor: mounts.transfers,
        onTransfer: { [mailbox = mount.mailbox] in mailbox.hint([.transferred]) },
        onDirectories: { [mounts] in mounts.saw($0, in: mount) })
      engine.nested = self
      return MountActor(
        mount, engine, owner, Following(one.configuration), events: events, log: log)
    }
    guard mount.begin(on: threads, place.step) else { throw Failures.noThreads }
    mounts.insert(mount)
    return mount
  }

  /// Makes a folder of this person the mirror of a new private zone, or of the zone that its mark
  /// names.
  /// - Parameters:
  ///   - path: The folder.
  ///   - title: The title under which the zone is shared; nil if it isn't.
  /// - Returns: The mount.
  /// - Throws: The reason; then the folder is as before.
  func mirror(_ path: Control.Path, title: String? = nil) throws -> Mount {
    let intent: MountIntent
    if let mark = try MountMark.mark(on: path.bytes), mark.isWhole,
      try container.privateDatabase.zone(mark.zone) != nil
    {
      intent = MountIntent(
        zone: mark.zone, title: title,
        items: [MountIntent.Item(part: mark, path: path.bytes, wasMarked: true)])
    } else {
      let new = try container.newZone(named: path.title)
      intent = MountIntent(
        new: new, title: title, items: [MountIntent.Item(part: ZonePart(new.id), path: path.bytes)])
    }
    return try mirror(intent)
  }

  /// Mirrors the only folder of an intent.
  func mirror(_ intent: MountIntent) throws -> Mount {
    let zone = try IntendedMounts(mirrors: self).carryOut(intent)
    guard let mount = mounts[ZonePart(zone.id)] else {
      throw ControlError(.interrupted, "The daemon is ending.", remedy: "Start it.")
    }
    return mount
  }

  /// Cleans up after a failure. That failure is reported to the person.
  func clean(_ body: () throws -> Void) {
    do { try body() } catch { log.warning("something is left over: \(error)") }
  }

  // MARK: Another database

  /// Moves a zone to the other database after this person has become its owner, or stopped being
  /// its owner. Its folder stays unchanged.
  func rehome(_ zone: Zone) {
    do {
      _ = try rehomed(zone)
    } catch {
      log.warning("the zone \(zone.id) can't be moved to its new database: \(error)")
    }
  }

  /// Returns the zone in the database that it belongs to.
  func rehomed(_ zone: Zone) throws -> Zone {
    try changing {
      // The first thread has done it: the object that is known now is up to date.
      guard let zone = try container.zone(zone.id), container.ownership.isMisplaced(zone) else {
        return try container.zone(zone.id) ?? zone
      }
      let stopped = mounts.of(zone.id)
      for mount in stopped { mounts.end(mount, forget: false) }
      // After any failure, the folder must be followed again.
      var current = zone
      defer {
        for mount in stopped {
          do { try start(current, mount.entry) } catch {
            log.warning("\(Control.Path(mount.path)) isn't mirrored until the next start: \(error)")
          }
        }
      }
      current = try container.ownership.replace(zone)
      return current
    }
  }
}

extension Mirrors: NestedMounts {
  func nesting(of part: ZonePart) throws -> Nesting? {
    if let known = try container.nestings.nesting(of: part) { return known }
    // Another device has just made it.
    try container.refresh()
    return try container.nestings.nesting(of: part)
  }

  func nest(
    _ items: [Nestling], of zone: Zone, into target: NestingTarget
  ) throws -> [Nesting] {
    try container.nestings.nest(items, of: zone, into: target)
  }

  func isBack(_ part: ZonePart) throws -> Bool {
    guard let nesting = try container.nestings.nesting(of: part) else { return true }
    guard let outer = try container.zone(nesting.outer) else { return false }
    try outer.pull()
    return try outer.read { try $0.record(nesting.reference) == nil }
  }

  func isGone(_ part: ZonePart) throws -> Bool {
    try container.zone(part.zone)?.read { try $0.record(part.base) == nil } ?? false
  }

  func isDeleted(_ part: ZonePart) throws -> Bool {
    try container.zone(part.zone)?.read { view in
      try view.record(part.base) == nil && view.deletion(of: part.base) != nil
    } ?? false
  }

  func deleteFile(_ part: ZonePart) throws -> Bool {
    guard let zone = try container.zone(part.zone) else { return false }
    try zone.pull()
    guard zone.header.mayWrite(container.account.user) else { return false }
    let isThere = try zone.read { try $0.record(part.base) != nil }
    if isThere { try zone.save([RecordChange(id: part.base, act: .delete)]) }
    return true
  }

  func left(_ part: ZonePart) throws -> (zone: Zone?, isReadThrough: Bool) {
    try container.returning.left(part.zone)
  }

  func release(_ part: ZonePart) throws {
    if let nesting = try container.nestings.nesting(of: part) {
      try container.nestings.release(nesting)
    }
  }

  func path(of part: ZonePart) -> [UInt8]? {
    mounts[part]?.path ?? unstarted.withLock { $0.first { $0.part == part }?.path }
  }

  func isComing(_ part: ZonePart) -> Bool { mounts.isExpected(part) }

  func mirror(_ part: ZonePart, at path: [UInt8], isFile: Bool) throws {
    if let known = mounts[part] {
      guard known.path != path else {
        // The mount may be waiting for its mark.
        return known.mailbox.hint([.everything])
      }
      mounts.end(known, forget: false)
    }
    guard let zone = try container.zone(part.zone) else {
      throw CloudError(
        .zoneNotFound, "the account doesn't know the zone of \(Control.Path(path))",
        remedy: "nothing to do, it is tried again")
    }
    try container.addMount(part, path: path, isFile: isFile)
    let mount = try start(zone, container.mountEntry(part, path: path, isFile: isFile))
    events.add(.mountAdded, mount: mount.id, path: path, text: "mirrored automatically from now on")
  }

  func askOuter(of part: ZonePart) {
    guard let path = mounts[part]?.path else { return }
    mounts.hint(at: path, except: part)
  }

  func lookAgain(at part: ZonePart) { mounts[part]?.mailbox.hint([.everything]) }

  func pause(_ part: ZonePart) {
    // Its records may be in the zone for a while: they don't appear in another mount meanwhile.
    mounts.leaveOut(part)
    if let mount = mounts[part] { mounts.end(mount, forget: false) }
  }

  func follow(_ record: RecordID, from other: ZoneID, to zone: Zone) throws -> Zone? {
    guard zone.scope != .public, let source = try container.zone(other), source.scope != .public,
      try source.read({ try !$0.versions(of: record, limit: 1).isEmpty })
    else { return nil }
    try container.formers.follow(record, from: source, to: zone)
    return source
  }

  func forget(_ part: ZonePart) throws {
    let path = try container.mounts().first { $0.part == part }?.path
    try container.removeMount(part)
    // The account may still have what an interrupted return left.
    checkAccount()
    guard let path else { return }
    // Another device of this person may have learned first that the share is over, and have taken
    // the reference away. This device says why, too.
    do {
      guard let zone = try left(part).zone, let why = try Departure(from: zone) else { return }
      departures.tell(why, of: zone, at: path, in: self)
    } catch {
      log.info("the end of the zone \(part.zone) is not known: \(error)")
    }
  }
}
