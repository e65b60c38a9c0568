import CairnContainer
import CairnControl
import CairnFolders
import CairnIdentity
import CairnReplica
import CairnThreads
import CairnZone
import Logging

/// Applies changes of the account to this device whenever another device, or somebody else, may
/// have changed something: devices, codes, zones, people, folders. It must not know how a folder is
/// mirrored.
final class AccountKeeper: Sendable {
  private let mirrors: Mirrors
  private let departures: Departures
  private let people: PeopleWatch
  private let problems: AccountProblems
  private let troubles: LogTroubles
  private let places: Places
  private let watch: AccountWatch
  private let ending: Waiter<Ending>
  private let steward: Maintenance

  init(
    mirrors: Mirrors, departures: Departures, people: PeopleWatch, problems: AccountProblems,
    troubles: LogTroubles, places: Places, watch: AccountWatch, ending: Waiter<Ending>,
    steward: Maintenance
  ) {
    self.steward = steward
    self.mirrors = mirrors
    self.departures = departures
    self.people = people
    self.problems = problems
    self.troubles = troubles
    self.places = places
    self.watch = watch
    self.ending = ending
  }

  private var one: OpenContainer { mirrors.one }
  private var mounts: Mounts { mirrors.mounts }
  private var events: EventLog { mirrors.events }
  private var log: Logger { mirrors.log }

  /// Starts the thread that checks the account; false if the system has no more threads.
  func start() -> Bool { watch.start { [weak self] in try self?.look(&$0) } }

  /// Notes a possible change that the container doesn't report.
  func hint() { watch.hint() }

  /// Ends the thread. Its current work is done when this returns.
  func stop() { watch.stop() }

  /// Applies changes of the account to this device. `AccountWatch` calls this when another device,
  /// or somebody else, may have changed something. Each part continues after an interruption.
  private func look(_ seen: inout AccountWatch.Seen) throws {
    defer { troubles.tell() }
    do {
      try lookAtIdentity(&seen)
    } catch let error as CloudError where error.code == .notAuthenticated {
      return endRevoked(error)
    }
    try one.container.refresh()
    try departures.forgetGivenUp(in: mirrors)
    // A device that can't join now delays nothing else.
    let joined = Result {
      try one.container.devices.answerJoins(now: SystemClock().date / 1_000_000_000)
    }
    if case .success(let devices) = joined {
      for device in devices { log.info("the device \(Control.Path(device.name)) has joined") }
    }
    try lookAtIdentity(&seen)
    let progress = try one.container.revocation.revokeInZones()
    try lookAtEnds(&seen)
    try reconcileMounts()
    try finishInterrupted(&seen)
    let known = try people.look().known.union([one.container.account.user])
    _ = try joined.get()
    // The container doesn't report the removal of an object that occupied somebody's identity.
    if let held = one.container.people.troubles.first(where: {
      $0.value.kind == .held && known.contains($0.key)
    }) {
      throw CloudError(
        .serviceUnavailable, held.value.message, remedy: "nothing to do, it is looked at again")
    }
    if progress.pending > 0 {
      throw CloudError(
        .serviceUnavailable, "\(progress.pending) zones can't be written now",
        remedy: "nothing to do, it is tried again")
    }
  }

  /// Has the shares checked in which another device has set the end of somebody's access.
  private func lookAtEnds(_ seen: inout AccountWatch.Seen) throws {
    let ends = try one.container.access.nextEnds()
    for (zone, time) in ends where seen.ends[zone] != time { steward.hint(zone) }
    seen.ends = ends
  }

  /// Ends the daemon of a revoked device, which can do nothing any more. Its folders remain. A
  /// daemon with other containers goes on, and hears it once.
  private func endRevoked(_ error: CloudError) {
    guard ending.wait(until: 0) == nil else { return }
    let failure = Failures.control(error)
    log.error("\(failure.message) \(failure.remedy)")
    events.add(.deviceRevoked, mount: nil, path: nil, text: failure.message)
    ending.complete(.stopped)
  }

  /// Adopts new keys, and reports new and removed devices.
  private func lookAtIdentity(_ seen: inout AccountWatch.Seen) throws {
    let (me, hasNewKeys) = try one.container.refreshMe()
    if hasNewKeys { try one.container.account.store(one.home.keys + "/" + AccountFile.name) }
    let before = seen.devices
    seen.devices = me.devices
    guard let before else { return }
    for (id, device) in me.devices.sorted(by: { $0.key < $1.key }) {
      let name = Control.Path(device.name)
      if before[id] == nil {
        let what = device.isRecovery ? "recovery sheet" : "device"
        events.add(
          .deviceAdded, mount: nil, path: nil, text: "\(name) (\(id)) is a \(what) of yours")
      }
      if !device.isActive, before[id]?.isActive != false {
        events.add(.deviceRevoked, mount: nil, path: nil, text: "\(name) (\(id)) was revoked")
      }
    }
  }

  // MARK: Folders

  /// Ends mounts of zones that are over, and reports zones that another device removed from the
  /// account. Mounts the folders of other devices, if the configuration names a folder for them.
  private func reconcileMounts() throws {
    try mirrors.changing { try mirrors.startRest() }
    let zones = try one.container.zoneIDs()
    for mount in mirrors.all where mount.zone.scope != .public {
      if zones.contains(mount.zone.id) {
        problems.set("zone \(mount.zone.id)", nil)
        try reopen(mount)
      } else {
        try endUnlisted(mount)
      }
    }
    // The account tells other devices the mounts of this one, whatever became of its records.
    try mirrors.changing { _ = try one.container.announceMounts() }
    guard let folder = one.configuration.folder else { return }
    for entry in try one.container.mountsElsewhere() where zones.contains(entry.zone) {
      do {
        try mirrors.changing { try mountAsElsewhere(entry, in: folder) }
        problems.set("mount \(entry.zone)", nil)
      } catch {
        let failure = Failures.control(error)
        problems.set(
          "mount \(entry.zone)",
          Control.Problem(
            path: failure.path, code: failure.code,
            message: "A folder of your other device can't be mirrored here: \(failure.message)",
            remedy: failure.remedy))
        if let error = error as? CloudError, error.isWorthRetrying { throw error }
      }
    }
  }

  /// Completes what an interrupted command, or an earlier run of the daemon, has begun.
  private func finishInterrupted(_ seen: inout AccountWatch.Seen) throws {
    do {
      try LeavingParts(mirrors: mirrors).finish()
      // This is read without the lock, so a running command may look interrupted. `finish` checks
      // again.
      if try !one.container.intents().isEmpty {
        try mirrors.making { try IntendedMounts(mirrors: mirrors).finish() }
      }
      try NestedZones(mirrors: mirrors).finishReturns(isFirst: !seen.hasReadLogs)
      seen.hasReadLogs = true
      problems.set("interrupted", nil)
    } catch {
      if let error = error as? CloudError, error.isWorthRetrying {
        log.warning("an interrupted command has to wait: \(error)")
        throw error
      }
      let failure = Failures.control(error)
      problems.set(
        "interrupted",
        Control.Problem(
          path: failure.path, code: failure.code,
          message: "An interrupted command can't be completed now: \(failure.message)",
          remedy: failure.remedy))
    }
  }

  /// Makes a mount continue with the zone as the account has it now, if the one that it was started
  /// with never opened.
  private func reopen(_ mount: Mount) throws {
    guard mount.zone.header.genesis == nil else { return }
    try mirrors.changing {
      guard let zone = try one.container.zone(mount.zone.id), zone !== mount.zone,
        mounts[mount.part] === mount
      else { return }
      mounts.end(mount, forget: false)
      try mirrors.start(zone, mount.entry)
    }
  }

  /// Ends a mount whose zone the account doesn't list, if the zone's own log says that it is over:
  /// a stolen device can remove any record from the account.
  private func endUnlisted(_ mount: Mount) throws {
    let isLive = try one.container.participation.isLive(mount.zone)
    if let why = try Departure(from: mount.zone) {
      try departures.end(mount, because: why, in: mirrors)
      return
    }
    if isLive {
      // Parts that returned to the outer zone are taken back by that zone's mount.
      guard try !one.index.holdsReference(to: mount.part) else { return }
      return problems.set("zone \(mount.zone.id)", try takenOut(mount))
    }
    // The log no longer exists: nobody knows more than the account.
    guard mount.zone.scope != .shared else {
      try departures.end(mount, because: .left, in: mirrors)
      return
    }
    // Another thread of this daemon may be changing it now.
    try mirrors.changing {
      guard try !one.container.zoneIDs().contains(mount.zone.id),
        try !one.index.holdsReference(to: mount.part)
      else { return }
      try one.container.removeMount(mount.part)
      mounts.end(mount, forget: true)
      events.add(
        .mountRemoved, mount: nil, path: mount.path,
        text: "not mirrored any more: another device of yours gave it up")
    }
  }

  /// Returns the problem of a folder whose zone a device removed from the account.
  private func takenOut(_ mount: Mount) throws -> Control.Problem {
    let path = Control.Path(mount.path)
    let device = try one.container.participation.taker(of: mount.zone.id)
    let known = try device.flatMap { try one.container.refreshMe().me.devices[$0]?.name }
    let name = Control.Path(known ?? "another device")
    return Control.Problem(
      path: path, code: .zoneNotFound,
      message: "Your device \(name) took \(path) out of your account, though nobody ended it. It "
        + "is mirrored here as before.",
      remedy: "If that device isn't in your hands, revoke it with `cairn device revoke`: that puts "
        + "the folder back. Otherwise `cairn remove \(path.typed)` ends it here.")
  }

  /// Returns the selection that the configuration asks for; nil for everything.
  private func selection(of part: FolderChoice.Part, in zone: Zone) throws -> SyncSelection? {
    guard case .selection(let change, let paths) = part else { return nil }
    let request = Control.InitialSelection(change: change, paths: paths.map { Control.Path($0) })
    return try Control.InitialSelection.make(request.request(), of: zone)
  }

  private func mountAsElsewhere(_ entry: MountEntry, in folder: String) throws {
    guard mounts[ZonePart(entry.zone)] == nil,
      try one.container.mountsElsewhere().contains(entry),
      let zone = try one.container.zone(of: entry)
    else { return }
    try zone.pull()
    let title = one.title(of: zone)
    let name = ReceivingFolder.folderName(title)
    let part = one.configuration.choice?.part(of: name) ?? .everything
    guard part != .nothing else { return }
    let selection = try selection(of: part, in: zone)
    let path = try places.freeFolder(for: zone, in: folder)
    try places.prepare(path, for: ZonePart(zone.id))
    if let selection { try InitialSelection.write(selection, to: path.bytes) }
    try one.container.addMount(zone.id, path: path.bytes)
    let mount = try mirrors.start(zone, path: path.bytes)
    events.add(
      .mountAdded, mount: mount.id, path: path.bytes,
      text: "mirrored from now on, as on your other device")
  }
}
