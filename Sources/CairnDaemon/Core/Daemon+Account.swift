import CairnCloud
import CairnControl
import CairnFolders
import CairnStore
import CairnThreads
import CairnZone
import Glibc
import Logging
import Synchronization

/// What the daemon remembers of the account between two looks at it.
struct AccountState: Sendable {
  /// The devices as they were at the last look; nil before the first.
  var devices: [DeviceID: Person.Device]?
  /// What is wrong with the account, by what it is about.
  var problems: [String: Control.Problem] = [:]
  /// What is to be said about people, by what it is about.
  var peopleProblems: [String: Control.Problem] = [:]
  /// Whether it was told that the container is an older copy of itself.
  var isRestored = false
  /// Whose changes are heard of.
  var followed: [UserID: Subscription] = [:]
}

extension Daemon {
  /// Brings this device in step with the account: called by `AccountWatch` when another device, or
  /// somebody else, may have changed something. Each part goes on where an interruption left it.
  func lookAtAccount() throws {
    defer { tellHistory() }
    do {
      try lookAtIdentity()
    } catch let error as CloudError where error.code == .notAuthenticated {
      return endRevoked(error)
    }
    try container.refresh()
    try forgetGivenUp()
    // A device that can't be let in now keeps nothing else waiting.
    let joined = Result { try container.answerJoins(now: SystemClock().date / 1_000_000_000) }
    if case .success(let devices) = joined {
      for device in devices { log.info("the device \(Control.Path(device.name)) has joined") }
    }
    try lookAtIdentity()
    let progress = try container.revokeInZones()
    try reconcileMounts()
    let known = try lookAtPeople().known.union([container.account.user])
    _ = try joined.get()
    // That an object went which held somebody's identity isn't told by the container.
    if let held = container.people.troubles.first(where: {
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

  /// Ends the daemon of a device that was revoked: it can do nothing any more. Its folders stay.
  private func endRevoked(_ error: CloudError) {
    let failure = Failures.control(error)
    log.error("\(failure.message) \(failure.remedy)")
    events.add(.deviceRevoked, mount: nil, path: nil, text: failure.message)
    stopRequested.complete(())
  }

  /// Takes up new keys, and tells which devices came and went.
  private func lookAtIdentity() throws {
    let (me, hasNewKeys) = try container.refreshMe()
    if hasNewKeys { try container.account.store(home.keys + "/" + AccountFile.name) }
    let before = accountState.withLock { state in
      defer { state.devices = me.devices }
      return state.devices
    }
    guard let before else { return }
    for (id, device) in me.devices.sorted(by: { $0.key < $1.key }) {
      let name = Control.Path(device.name)
      if before[id] == nil {
        events.add(
          .deviceAdded, mount: nil, path: nil, text: "\(name) (\(id)) is a device of yours")
      }
      if !device.isActive, before[id]?.isActive != false {
        events.add(.deviceRevoked, mount: nil, path: nil, text: "\(name) (\(id)) was revoked")
      }
    }
  }

  /// Sets or ends a problem of the account as a whole, which `cairn status` shows.
  func setAccountProblem(_ about: String, _ problem: Control.Problem?) {
    let before = accountState.withLock { state in
      defer { state.problems[about] = problem }
      return state.problems[about]
    }
    guard let problem, problem != before else { return }
    log.warning("\(problem.message) \(problem.remedy)")
    events.add(.problem, mount: nil, path: problem.path?.bytes, text: problem.message)
  }

  // MARK: Folders

  /// Ends mounts of zones that aren't the account's any more, and mounts what other devices mirror,
  /// if the configuration names a folder for it.
  func reconcileMounts() throws {
    let zones = try container.zoneIDs()
    for mount in allMounts where mount.zone.scope != .public && !zones.contains(mount.zone.id) {
      if mount.zone.scope == .shared {
        // Another device was faster; the log says why.
        try mount.zone.pull()
        try endSharedMount(mount, because: Departure(from: mount.zone) ?? .left)
        continue
      }
      // Somebody may just be at it here.
      try mounting.withLock { _ in
        guard try !container.zoneIDs().contains(mount.zone.id),
          // What came back into the zone around it is taken back by that zone's mount.
          try !index.holdsReference(to: mount.part)
        else { return }
        try container.removeMount(mount.part)
        endMount(mount)
        events.add(
          .mountRemoved, mount: nil, path: mount.path,
          text: "not mirrored any more: another device of yours gave it up")
      }
    }
    guard let folder = configuration.folder else { return }
    for entry in try container.mountsElsewhere() where zones.contains(entry.zone) {
      do {
        try mounting.withLock { _ in try mountAsElsewhere(entry, in: folder) }
        setAccountProblem("mount \(entry.zone)", nil)
      } catch {
        let failure = Failures.control(error)
        setAccountProblem(
          "mount \(entry.zone)",
          Control.Problem(
            path: failure.path, code: failure.code,
            message: "A folder of your other device can't be mirrored here: \(failure.message)",
            remedy: failure.remedy))
        if let error = error as? CloudError, error.isWorthRetrying { throw error }
      }
    }
  }

  private func mountAsElsewhere(_ entry: MountEntry, in folder: String) throws {
    guard self.mount(of: entry.zone) == nil, try container.mountsElsewhere().contains(entry),
      let zone = try container.zone(entry.zone)
    else { return }
    try zone.pull()
    let path = try freeFolder(for: zone, in: folder)
    try prepare(path, for: ZonePart(zone.id))
    try container.addMount(zone.id, path: path.bytes)
    let mount = try startMount(zone, path: path.bytes)
    events.add(
      .mountAdded, mount: mount, path: path.bytes,
      text: "mirrored from now on, as on your other device")
  }

  /// A folder named by the share's title or the zone's name, numbered if others have that name.
  func freeFolder(for zone: Zone, in folder: String) throws -> Control.Path {
    let header = zone.header
    let name = Self.folderName(header.share?.title ?? header.genesis?.name ?? "")
    let parent = folder == "/" ? "" : folder
    for number in 1..<1_000 {
      let path = Control.Path("\(parent)/\(name)" + (number == 1 ? "" : " \(number)"))
      if try isFree(path, for: zone) { return path }
    }
    throw ControlError(
      .constraintViolation, "A thousand folders in \(Control.Path(folder)) are called \(name).",
      remedy: "Move some of them away.", path: Control.Path(folder))
  }

  /// Whether nothing is there, or an empty folder, or what was begun for this very zone.
  private func isFree(_ path: Control.Path, for zone: Zone) throws -> Bool {
    var status = stat()
    guard path.bytes.withPath({ lstat($0, &status) }) == 0 else { return errno == ENOENT }
    guard status.st_mode & S_IFMT == S_IFDIR, mount(at: path.bytes) == nil else { return false }
    if let mark = try MountEngine.mark(on: path.bytes) { return mark == ZonePart(zone.id) }
    return try FolderCount.isEmpty(path.bytes)
  }

  /// A title as the name of a folder: others chose it, and any text may stand in it.
  static func folderName(_ title: String) -> String {
    var name = ""
    for scalar in title.unicodeScalars {
      let isPlain = scalar.value >= 32 && scalar.value != 127 && scalar != "/"
      let next = name + (isPlain ? String(scalar) : "-")
      if next.utf8.count > 200 { break }
      name = next
    }
    name = String(name.trimmingPrefix { $0 == " " || $0 == "." })
    while name.hasSuffix(" ") { name.removeLast() }
    return name.isEmpty ? "Folder" : name
  }
}
