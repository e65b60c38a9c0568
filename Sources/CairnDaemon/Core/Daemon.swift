import CairnCloud
import CairnControl
import CairnFolders
import CairnStore
import CairnThreads
import CairnZone
import FoundationEssentials
import Glibc
import Logging
import Synchronization

/// One person's daemon at work: owns the mounts and their life, and joins the two ways between
/// folders and zones. It must not know formats or keys.
final class Daemon: Sendable {
  let home: Home
  let configuration: Configuration
  let container: Container
  let me: Person
  let index: FolderIndex
  let events = EventLog()
  let log: Logger
  let startedAt = Control.Time.now()
  private let token: String
  let mounts = Mutex(MountTable())
  let watch = Mutex<WatchProcess?>(nil)
  let watchRoots = Mutex(WatchRoots())
  let barriers = Mutex<(next: Int, waiting: [Int: @Sendable () -> Void])>((0, [:]))
  /// Held while a zone goes to another database: two at once would fold into one index.
  let rehoming = Mutex(())
  /// The zones whose mounts are being given up, and who waits for that.
  let departing = Mutex<[ZoneID: [Waiter<Void>]]>([:])
  /// Zones whose folders were given up here, and that the account still has.
  let unforgotten = Mutex<[ZoneID: Zone]>([:])
  let stopRequested = Waiter<Void>()
  /// Held while a folder becomes a mirror: two commands at once would make two zones of it.
  let mirroring = Mutex(())
  private let inbox: InboxWatch
  /// Tends the shares that this person administers.
  let steward: Steward
  let accountWatch: AccountWatch
  let accountState = Mutex(AccountState())
  /// Held while a zone gets a folder, or loses it: a command and the look at the account must not
  /// do it at once.
  let mounting = Mutex(())
  /// Held while somebody looks who of the people has changed.
  let lookingAtPeople = Mutex(())

  /// Opens everything that the home's configuration names.
  init(home: Home, log: Logger) throws {
    self.home = home
    self.log = log
    guard let configuration = try Configuration.load(home) else { throw Home.noAccount }
    self.configuration = configuration
    let store = configuration.location.open(
      isReadOnly: configuration.isAnonymous, mark: ObjectKey(ContainerFile.key))
    let account = try Account.load(home.keys + "/" + AccountFile.name)
    let id = try Self.check(store, configuration)
    if configuration.isAnonymous {
      (container, me) = try Self.openAnonymously(store, id, account, home)
    } else {
      container = try Container(store: store, id: id, account: account, indexFolder: home.index)
      me = try Self.publish(account, container)
    }
    inbox = InboxWatch(container: container, events: events)
    steward = Steward(container: container, log: log)
    accountWatch = AccountWatch(
      container: container,
      pollSeconds: configuration.notifies ? nil : Int64(configuration.pollSeconds))
    index = try FolderIndex(path: home.index + "/folders.sqlite")
    token = String(UInt64.random(in: .min ... .max), radix: 36)
  }

  /// The container's id, after a look whether it still is the one that the home belongs to. One
  /// that can't be reached now is taken at its word; it is asked again when it is back.
  private static func check(
    _ store: any ObjectStore, _ configuration: Configuration
  ) throws -> ContainerID {
    let expected = configuration.containerID
    guard let id = ContainerID(hexadecimal: expected) else {
      throw ControlError(
        .badContainer, "The configuration has no valid container id.",
        remedy: "See cairn.conf(5).")
    }
    do {
      guard let root = try Container.root(of: store) else {
        throw ControlError(
          .badContainer, "There is no container at \(configuration.location) any more.",
          remedy: "Mount or restore it; nothing is changed until then.")
      }
      guard root.id == id else {
        throw ControlError(
          .badContainer, "Another container stands at \(configuration.location) now.",
          remedy: "Put the right one back, or correct cairn.conf.")
      }
    } catch let error as CloudError {
      guard error.isWorthRetrying else { throw error }
    }
    return id
  }

  /// Publishes the profile again if an interrupted `init` left it out.
  private static func publish(_ account: Account, _ container: Container) throws -> Person {
    do {
      try container.publishProfile()
    } catch let error as CloudError where error.isWorthRetrying {
      // The container is away. The daemon starts all the same: what it has can be read, and what
      // is edited meanwhile waits.
      return try IdentityLog.fold([account.origin], of: account.user)
    }
    guard let me = try container.people.person(account.user) else {
      throw ControlError(
        .notAuthenticated, "The container doesn't know this account.",
        remedy: "Check that cairn.conf names the right container.")
    }
    // Of a container that can't be reached nothing newer is known.
    do { _ = try container.refreshMe() } catch let error as CloudError {
      guard error.isWorthRetrying else { throw error }
    }
    return me
  }

  /// How events name a person: handle and name; the id where they can't be had now.
  private static func name(of user: UserID, in container: Container) -> String {
    do {
      guard let person = try container.people.person(user) else { return user.description }
      return "\(person.handle) (\(person.name))"
    } catch {
      return user.description
    }
  }

  // MARK: Life

  /// Starts the watch program and all mounts.
  func start() throws {
    try tellConfiguration()
    let process = try WatchProcess(executable: Programs.watch) { [weak self] events in
      self?.take(events)
    }
    watch.withLock { $0 = process }
    guard container.isAnonymous || inbox.start(),
      container.isAnonymous
        || steward.start(events, onMisplaced: { [weak self] in self?.rehome($0) })
    else {
      throw ControlError(
        .limitExceeded, "The system has no more threads.", remedy: "Raise the limit `ulimit -u`.")
    }
    var zones: Set<ZoneID> = []
    let unfinished = tidyNestings()
    for entry in try container.mounts() where !unfinished.contains(entry.zone) {
      guard let zone = try container.zone(entry.zone) else { continue }
      try makeMount(zone, entry)
      zones.insert(zone.id)
    }
    for zone in zones { excludeParts(of: zone) }
    // All at once: which directories are watched depends on what lies in what.
    watchMounts()
    // Whoever joins a share is known from then on.
    _ = events.listen(after: events.last) { [accountWatch] event in
      // What one log has come to may be what all have.
      let isNews =
        event.kind.hasPrefix("share.") || event.mount != nil && event.kind.hasPrefix("container.")
      if isNews { accountWatch.hint() }
    }
    container.onClone { [accountWatch] in accountWatch.hint() }
    _ = PosixThread.run("cairn-returns") { [self] in finishReturns() }
    guard
      container.isAnonymous || accountWatch.start({ [weak self] in try self?.lookAtAccount() })
    else {
      throw ControlError(
        .limitExceeded, "The system has no more threads.", remedy: "Raise the limit `ulimit -u`.")
    }
  }

  /// Ends all mounts and the watch program.
  func stop() {
    inbox.stop()
    steward.stop()
    // It answers from its thread, which an anonymous home doesn't have.
    if !container.isAnonymous { accountWatch.stop() }
    let all = mounts.withLock { $0.removeAll() }
    let waiters = all.map { mount in
      let waiter = Waiter<Void>()
      mount.mailbox.post(.stop(forget: false, waiter))
      return waiter
    }
    for waiter in waiters { _ = waiter.wait(until: nil) }
    watch.withLock { process in
      process?.stop()
      process = nil
    }
  }

  @discardableResult
  func startMount(_ zone: Zone, path: [UInt8]) throws -> Mount {
    try startMount(zone, MountEntry(zone: zone.id, device: container.account.device.id, path: path))
  }

  /// Mirrors a part of a zone; the zone's other mounts leave it out from here on.
  @discardableResult
  func startMount(_ zone: Zone, _ entry: MountEntry) throws -> Mount {
    let mount = try makeMount(zone, entry)
    // Whoever takes a share again means it.
    unforgotten.withLock { $0[zone.id] = nil }
    excludeParts(of: zone.id)
    watchMounts([mount])
    return mount
  }

  @discardableResult
  private func makeMount(_ zone: Zone, _ entry: MountEntry) throws -> Mount {
    let mount = Mount(
      zone: zone, entry: entry, nameOf: { [container] user in Self.name(of: user, in: container) },
      pollSeconds: configuration.notifies ? nil : Int64(configuration.pollSeconds),
      events: events, log: log, onEnd: { [weak self] in self?.mountEnded($0, $1) },
      onReturn: { [weak self] in self?.watchAgain($0) })
    var settings = MountEngine.Settings(
      handle: me.handle, host: configuration.deviceName, token: token, boot: Host.boot,
      keepFree: configuration.keepFree, lanes: 2)
    settings.offLimits = offLimits
    try mount.start(
      index: index, nested: self,
      settings: settings)
    mounts.withLock { $0.insert(mount) }
    return mount
  }

  /// Tells the mounts of a zone which of its directories have mounts of their own, or are about to.
  func excludeParts(of zone: ZoneID, and more: [RecordID] = []) {
    let siblings = mounts(of: zone)
    let bases = Set(siblings.map(\.part.base) + more).subtracting([.root])
    for mount in siblings { mount.exclude(bases.subtracting([mount.part.base])) }
  }

  /// Ends a mount; its folder isn't a mirror any more, and keeps its files.
  func endMount(_ mount: Mount) { stopMount(mount, forget: true) }

  /// Ends a mount's thread; `forget` takes the mark and the index's rows away too.
  private func stopMount(_ mount: Mount, forget: Bool) {
    // Only one who ends it may wait for it.
    guard mounts.withLock({ $0.remove(mount.part) }) != nil else { return }
    watchMounts()
    excludeParts(of: mount.zone.id)
    let waiter = Waiter<Void>()
    mount.mailbox.post(.stop(forget: forget, waiter))
    _ = waiter.wait(until: nil)
  }

  /// Ends the work on a mount, to be started again with another zone object; the folder stays a
  /// mirror.
  func pause(_ mount: Mount) { stopMount(mount, forget: false) }

  // MARK: Mounts

  /// All mounts, in the order of their paths.
  var allMounts: [Mount] { mounts.withLock { $0.all } }

  /// The mount of a zone; if only parts of it are mirrored, one of those.
  func mount(of zone: ZoneID) -> Mount? { mounts(of: zone).first }

  /// The mounts of a zone and of its parts.
  func mounts(of zone: ZoneID) -> [Mount] { mounts.withLock { $0.mounts(of: zone) } }

  /// The mount that a path is in, and the path within it.
  func mount(at path: [UInt8]) -> (mount: Mount, relative: [UInt8])? {
    mounts.withLock { $0.mount(at: path) }
  }
}

/// The other programs of Cairn.
enum Programs {
  /// `cairn-watch`, beside this program.
  static var watch: String {
    var buffer = [CChar](repeating: 0, count: 4_096)
    let length = readlink("/proc/self/exe", &buffer, buffer.count)
    let own = buffer.prefix(max(0, length)).map { UInt8(bitPattern: $0) }
    let folder = own.lastIndex(of: UInt8(ascii: "/")).map { own.prefix($0) } ?? []
    return String(decoding: folder, as: UTF8.self) + "/cairn-watch"
  }
}
