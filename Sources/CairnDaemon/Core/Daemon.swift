import CairnCloud
import CairnControl
import CairnFolders
import CairnStore
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
  private let mounts = Mutex<[ZoneID: Mount]>([:])
  private let nextNumber = Mutex(0)
  private let watch = Mutex<WatchProcess?>(nil)
  private let barriers = Mutex<(next: Int, waiting: [Int: @Sendable () -> Void])>((0, [:]))
  /// Held while a zone goes to another database: two at once would fold into one index.
  let rehoming = Mutex(())
  let stopRequested = Waiter<Void>()
  private let inbox: InboxWatch
  /// Tends the shares that this person administers.
  let steward: Steward

  /// Opens everything that the home's configuration names.
  init(home: Home, log: Logger) throws {
    self.home = home
    self.log = log
    guard let configuration = try Configuration.load(home.configuration) else {
      throw ControlError(
        .notAuthenticated, "There is no account in this home yet.",
        remedy: "Run `cairn init --container DIR --name NAME --handle HANDLE` first.")
    }
    self.configuration = configuration
    let store = DirectoryStore(root: configuration.containerPath)
    let account = try Account.load(home.keys + "/" + AccountFile.name)
    container = try Container(
      store: store, id: try Self.check(store, configuration), account: account,
      indexFolder: home.index)
    me = try Self.publish(account, container)
    inbox = InboxWatch(container: container, events: events)
    steward = Steward(container: container, log: log)
    index = try FolderIndex(path: home.index + "/folders.sqlite")
    token = String(UInt64.random(in: .min ... .max), radix: 36)
  }

  /// The container's id, after a look whether it still is the one that the home belongs to. One
  /// that can't be reached now is taken at its word; it is asked again when it is back.
  private static func check(
    _ store: DirectoryStore, _ configuration: Configuration
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
          .badContainer, "There is no container at \(configuration.containerPath) any more.",
          remedy: "Mount or restore it; nothing is changed until then.")
      }
      guard root.id == id else {
        throw ControlError(
          .badContainer, "Another container stands at \(configuration.containerPath) now.",
          remedy: "Put the right one back, or correct cairn.conf.")
      }
    } catch let error as CloudError {
      guard error.isWorthRetrying else { throw error }
    }
    return id
  }

  /// Publishes the profile again if an interrupted `init` left it out.
  private static func publish(_ account: Account, _ container: Container) throws -> Person {
    try container.publishProfile()
    guard let me = try container.people.person(account.user) else {
      throw ControlError(
        .notAuthenticated, "The container doesn't know this account.",
        remedy: "Check that cairn.conf names the right container.")
    }
    return me
  }

  // MARK: Life

  /// Starts the watch program and all mounts.
  func start() throws {
    let process = try WatchProcess(executable: Programs.watch) { [weak self] events in
      self?.take(events)
    }
    watch.withLock { $0 = process }
    guard inbox.start(), steward.start(events, onMisplaced: { [weak self] in self?.rehome($0) })
    else {
      throw ControlError(
        .limitExceeded, "The system has no more threads.", remedy: "Raise the limit `ulimit -u`.")
    }
    for entry in try container.mounts() {
      guard let zone = try container.zone(entry.zone) else { continue }
      try startMount(zone, path: entry.path)
    }
  }

  /// Ends all mounts and the watch program.
  func stop() {
    inbox.stop()
    steward.stop()
    let all = mounts.withLock { mounts in
      defer { mounts = [:] }
      return Array(mounts.values)
    }
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
    let number = nextNumber.withLock { number in
      number += 1
      return number
    }
    let mount = Mount(
      zone: zone, path: path, number: number,
      pollSeconds: configuration.notifies ? nil : Int64(configuration.pollSeconds),
      events: events, log: log)
    try mount.start(
      index: index,
      settings: MountEngine.Settings(
        handle: me.handle, host: configuration.deviceName, token: token))
    mounts.withLock { $0[zone.id] = mount }
    watch.withLock { $0?.watch(root: number, path: path) }
    return mount
  }

  /// Ends a mount; its folder isn't a mirror any more, and keeps its files.
  func endMount(_ mount: Mount) {
    _ = mounts.withLock { $0.removeValue(forKey: mount.zone.id) }
    watch.withLock { $0?.unwatch(root: mount.number) }
    let waiter = Waiter<Void>()
    mount.mailbox.post(.stop(forget: true, waiter))
    _ = waiter.wait(until: nil)
  }

  /// Ends the work on a mount, to be started again with another zone object; the folder stays a
  /// mirror.
  func pause(_ mount: Mount) {
    _ = mounts.withLock { $0.removeValue(forKey: mount.zone.id) }
    watch.withLock { $0?.unwatch(root: mount.number) }
    let waiter = Waiter<Void>()
    mount.mailbox.post(.stop(forget: false, waiter))
    _ = waiter.wait(until: nil)
  }

  // MARK: Mounts

  /// All mounts, in the order of their paths.
  var allMounts: [Mount] {
    mounts.withLock { Array($0.values) }.sorted { $0.path.lexicographicallyPrecedes($1.path) }
  }

  func mount(of zone: ZoneID) -> Mount? { mounts.withLock { $0[zone] } }

  /// The mount that a path is in, and the path within it.
  func mount(at path: [UInt8]) -> (mount: Mount, relative: [UInt8])? {
    for mount in allMounts {
      if path == mount.path { return (mount, []) }
      let prefix = mount.path + [UInt8(ascii: "/")]
      if path.starts(with: prefix) { return (mount, Array(path.dropFirst(prefix.count))) }
    }
    return nil
  }

  // MARK: Watching

  /// Calls back when everything that happened in the folders before this call was told to the
  /// mounts.
  func afterHints(_ body: @escaping @Sendable () -> Void) {
    let token = barriers.withLock { barriers in
      barriers.next += 1
      barriers.waiting[barriers.next] = body
      return barriers.next
    }
    watch.withLock { $0?.sync(token: token) }
  }

  private func take(_ events: [WatchEvent]) {
    let byNumber = Dictionary(uniqueKeysWithValues: allMounts.map { ($0.number, $0) })
    var hints: [Int: [Mount.Message]] = [:]
    /// Hints go before a barrier that comes after them.
    func flush() {
      for (number, messages) in hints { byNumber[number]?.mailbox.hint(messages) }
      hints = [:]
    }
    for event in events {
      switch event {
      case .changed(let root, let path), .written(let root, let path), .writing(let root, let path):
        hints[root, default: []].append(.changed(path))
      case .tree(let root, let path): hints[root, default: []].append(.tree(path))
      case .ready(let root, let directories):
        byNumber[root]?.watching.withLock { $0 = Mount.Watching(directories: directories) }
        hints[root, default: []].append(.everything)
      case .overflow, .restarted:
        for mount in byNumber.values { hints[mount.number, default: []].append(.everything) }
      case .limit(let root, _):
        byNumber[root]?.watching.withLock { watching in
          watching.unwatched += 1
          watching.note =
            "the kernel's limit of watches is reached; raise fs.inotify.max_user_watches"
        }
      case .lost(let root): hints[root, default: []].append(.everything)
      case .failed(let root, let message):
        byNumber[root]?.watching.withLock { $0.note = message }
        hints[root, default: []].append(.everything)
      case .unwatched: break
      case .synced(let token):
        flush()
        barriers.withLock { $0.waiting.removeValue(forKey: token) }?()
      }
    }
    flush()
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
