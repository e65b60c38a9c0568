import CairnContainer
import CairnControl
import CairnFolders
import CairnIdentity
import CairnReplica
import CairnStore
import CairnThreads
import CairnZone
import Glibc
import Synchronization

/// The operations that report the state of everything, and wait for a state.
struct StatusOperations: Operations {
  let one: OpenContainer
  let mounts: Mounts
  let teller: MountPresenter
  let settling: Settling
  let problems: AccountProblems
  let troubles: LogTroubles
  let watch: AccountWatch
  let events: EventLog
  let daemon: @Sendable () -> Control.DaemonStatus
  let wakes: Wakes?
  let inbox: InboxWatch
  let programs: ProgramTable

  private var targets: TargetResolver { TargetResolver(one: one, mounts: mounts) }
  private static let mostChanges = 10

  func add(to routes: inout ControlRoutes) {
    routes.answer(Control.Status.self) { request, _ in try status(request) }
    routes.answer(Control.StatusWatch.self) { try watch($0, $1) }
    routes.answer(Control.Wait.self) { try wait($0, $1) }
    routes.answer(Control.WhoAmI.self) { _, _ in Control.WhoAmIReply(account: account) }
  }

  func status(_ request: Control.Status) throws -> Control.StatusReply {
    let wanted = try targets.mounts(at: request.path, for: Control.Status.self)
    // The reported logs must be as old as the reported state of the mounts.
    troubles.tell()
    let waiting = inbox.waiting
    return Control.StatusReply(
      daemon: daemon(),
      account: account,
      container: Control.ContainerStatus(
        id: one.container.id.description, path: Control.Path(one.configuration.location.text),
        fileSystem: one.configuration.fileSystem, reachable: isReachable, state: troubles.state,
        news: news, traffic: traffic),
      mounts: try wanted.map { try teller.describe($0) }, problems: problems.all,
      rescued: try HomeRescue(home: one.home).list(limit: HomeRescue.limit),
      ended: mounts.ended.newest,
      bursts: wanted.flatMap { mount in mount.snapshot.withLock { $0.bursts } },
      invitations: waiting.invitations, requests: waiting.requests,
      drops: waiting.drops == 0 ? nil : waiting.drops,
      programs: programs.asking,
      changed: events.events(after: 0).filter { $0.kind == Control.EventKind.shareRights.rawValue }
        .suffix(Self.mostChanges))
  }

  /// Reports the state of everything, and again after each change, until the client has gone.
  func watch(
    _ request: Control.StatusWatch, _ stream: ResponseStream
  ) throws -> Control.StatusReply {
    let watcher = StatusWatcher()
    stream.onDisconnect { watcher.leave() }
    events.hints.add(watcher)
    defer { events.hints.remove(watcher) }
    var told: Control.StatusReply?
    repeat {
      let now = try status(Control.Status(path: request.path))
      if now != told { try stream.status(now) }
      told = now
    } while watcher.awaitNews()
    throw ControlError(.operationCancelled, "Nobody watches any more.", remedy: "Nothing to do.")
  }

  private var news: Control.News {
    let news = one.store.news
    return Control.News(
      told: news.lateness == nil, lateSeconds: Double(news.lateness ?? 0) / 1e9,
      longestSeconds: news.lateness == nil ? 0 : Double(news.longest) / 1e9, deaf: news.isDeaf,
      wakes: wakes?.told)
  }

  private var traffic: Control.Traffic? {
    let (limits, pauses) = (one.traffic.limits, one.traffic.pauses)
    let isUnlimited = limits.upload == nil && limits.download == nil
    guard !isUnlimited || !pauses.isEmpty else { return nil }
    let folders = mounts.all.compactMap { mount in
      pauses.parts[mount.zone.id.description].map {
        Control.PausedFolder(path: Control.Path(mount.path), paused: Control.Paused($0))
      }
    }
    return Control.Traffic(
      paused: pauses.all.map { Control.Paused($0) }, folders: folders,
      limits: isUnlimited
        ? nil
        : Control.Limits(
          upload: limits.upload, download: limits.download, times: limits.times.texts,
          active: one.traffic.isLimited))
  }

  private var isReachable: Bool {
    do {
      return try ContainerFile.root(of: one.location().open(isReadOnly: true)) != nil
    } catch {
      return false
    }
  }

  /// This person, as the container knows them.
  private var account: Control.AccountStatus {
    Control.AccountStatus(
      user: one.container.account.user.description, handle: one.me.handle, name: one.me.name,
      device: one.container.account.device.id.description,
      deviceName: one.configuration.deviceName)
  }

  /// Waits until the folders of this device are known. Folders of the person's other devices are
  /// mirrored automatically if the configuration names a directory for them.
  private func awaitAccount(until deadline: Int64?, _ stream: ResponseStream) throws {
    while true {
      let slice = Monotonic.now + 500_000_000
      if watch.hasLooked(by: deadline.map { min($0, slice) } ?? slice) { return }
      if one.traffic.pause(of: nil) != nil { throw Settling.paused(one.traffic, nil) }
      stream.progress(
        Control.Progress(done: 0, total: nil, unit: "folders", what: "reading your account"))
      if let deadline, Monotonic.now >= deadline {
        throw ControlError(
          .timedOut, "Your account isn't read yet, so your folders are unknown.",
          remedy: "See `cairn status`, or wait longer.")
      }
    }
  }

  func wait(_ request: Control.Wait, _ stream: ResponseStream) throws -> Control.WaitReply {
    // A year is as good as forever, and any number is a valid request.
    let deadline = request.timeoutSeconds.map {
      Monotonic.now + Int64(min(max(0, $0), 3e7) * 1e9)
    }
    if request.path == nil, one.configuration.folder != nil {
      try awaitAccount(until: deadline, stream)
    }
    let wanted = try targets.mounts(at: request.path, for: Control.Wait.self)
    try settling.settle(wanted, until: deadline, stream)
    for mount in wanted {
      guard let held = mount.snapshot.withLock({ $0.held }) else { continue }
      let problem = HeldText.problem(held, of: mount)
      throw ControlError(
        problem.code, problem.message + " Everything else is up to date.", remedy: problem.remedy,
        path: problem.path)
    }
    return Control.WaitReply(mounts: try wanted.map { try teller.describe($0) })
  }
}
