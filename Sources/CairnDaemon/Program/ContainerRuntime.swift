import CairnContainer
import CairnControl
import CairnIdentity
import CairnStore
import CairnThreads
import CairnZone
import Glibc
import Logging

/// One container at work: the parts that keep this device in step with it, and the operations that
/// may be asked about it. It owns their beginning and their end, and decides nothing.
final class ContainerRuntime: Sendable {
  private let one: OpenContainer
  private let mounts: Mounts
  private let events: EventLog
  private let persons: Persons
  private let places: Places
  private let problems: AccountProblems
  private let troubles: LogTroubles
  private let watch: AccountWatch
  private let inbox: InboxWatch
  private let presence: PresenceWatch
  private let steward: Maintenance
  private let departures: Departures
  private let mirrors: Mirrors
  private let people: PeopleWatch
  private let keeper: AccountKeeper
  private let pausing: Pausing
  /// Nil where they are off.
  private let wakes: Wakes?
  private let moving: ContainerMoving
  private let programs: ProgramTable
  private let attempts: ProgramAttempts

  /// Opens a container. `home` has the places of all containers of the home, and `ending` is the
  /// end of the daemon. `isAlone` indicates that the home has no other container: a daemon with
  /// others goes on when this device is revoked in one of them.
  init(
    _ one: OpenContainer, mounts: Mounts, home: HomePlaces, events: EventLog, log: Logger,
    ending: Waiter<Ending>, isAlone: Bool
  ) throws {
    self.one = one
    programs = ProgramTable(one.home)
    attempts = try ProgramAttempts(one.home)
    self.mounts = mounts
    self.events = events
    home.add(mounts, folder: one.configuration.location.folder)
    watch = AccountWatch(one)
    problems = AccountProblems(events: events, log: log)
    inbox = InboxWatch(one, events: events, problems: problems)
    steward = Maintenance(container: one.container, log: log)
    departures = Departures(one, events: events, log: log) { [watch] in watch.hint() }
    mirrors = Mirrors(
      one, mounts: mounts, places: home, departures: departures, events: events, log: log
    ) { [watch] in watch.hint() }
    people = PeopleWatch(one, problems: problems, watch: watch)
    let wake = one.configuration.wake
    wakes =
      wake.isOn && !one.container.isAnonymous
      ? Wakes(one.container, one.store, wake, log: log) : nil
    persons = Persons(container: one.container)
    presence = PresenceWatch(one, mounts: mounts, events: events, persons: persons, log: log)
    moving = ContainerMoving(one: one, mounts: mounts, persons: persons, log: log, ending: ending)
    troubles = LogTroubles(
      one: one, mounts: mounts, persons: persons, problems: problems, events: events)
    places = Places(one: one, mounts: mounts, home: home, log: log)
    keeper = AccountKeeper(
      mirrors: mirrors, departures: departures, people: people, problems: problems,
      troubles: troubles, places: places, watch: watch,
      ending: isAlone ? ending : Waiter<Ending>(), steward: steward)
    pausing = Pausing(one, log: log) { [keeper] zone, isPaused in
      let wanted = zone.map { mounts.of($0) } ?? mounts.all
      let path = zone == nil ? nil : wanted.first?.path
      events.add(
        isPaused ? .trafficPaused : .trafficResumed, mount: path == nil ? nil : wanted.first?.id,
        path: path,
        text: (zone == nil ? "all traffic with the container " : "the traffic of this folder ")
          + (isPaused ? "is paused" : "continues"))
      for mount in wanted { mount.mailbox.hint([isPaused ? .zone : .resumed]) }
      guard zone == nil, !isPaused else { return }
      one.store.hintEverybody()
      keeper.hint()
    }
  }

  // MARK: Life

  /// Starts the watch program, all mounts and the threads.
  func start() throws {
    try mounts.startWatching(Programs.watch)
    problems.set("configuration", try Configuration.problem(in: one.home))
    guard one.container.isAnonymous || inbox.start(),
      one.container.isAnonymous
        || steward.start(events, onMisplaced: { [mirrors] in mirrors.rehome($0) })
    else { throw Failures.noThreads }
    pausing.start()
    try startWakes()
    try mirrors.startAll()
    guard one.container.isAnonymous || presence.start() else { throw Failures.noThreads }
    // A person who joins a share is known from then on.
    _ = events.listen(after: events.last) { [keeper] event in
      // What one log has come to may be what all have.
      let isNews =
        event.kind.hasPrefix("share.") || event.mount != nil && event.kind.hasPrefix("container.")
      if isNews { keeper.hint() }
    }
    one.container.devices.onClone { [keeper] in keeper.hint() }
    _ = PosixThread.run("cairn-moves") { [one] in
      ProgramUploads(one.home).clean(at: time(nil))
      // An error is that of the account, which others report. The next move continues it.
      if !one.container.isAnonymous { try? one.container.recordMoves.resume() }
    }
    guard one.container.isAnonymous || keeper.start() else { throw Failures.noThreads }
  }

  /// Starts wake-ups; if that fails, others are polled, as without wake-ups.
  private func startWakes() throws {
    guard let wakes else { return }
    do { try wakes.start() } catch {
      problems.set(
        "wakes",
        Control.Problem(code: error.code, message: error.message, remedy: error.remedy))
    }
    _ = events.listen(after: events.last) { [wakes] event in
      let kinds = ["share.", "mount.", "device.", "user."]
      if kinds.contains(where: { event.kind.hasPrefix($0) }) { wakes.hint() }
    }
  }

  /// Ends the threads; `end` follows.
  func stop() {
    pausing.stop()
    one.traffic.end()
    inbox.stop()
    steward.stop()
    keeper.stop()
  }

  /// Ends the mounts and the watch program.
  func stopMounts() { mounts.stop() }

  /// Tells others what was written last, after the mounts have ended.
  func end() {
    presence.stop()
    wakes?.end()
    one.store.end()
    // A container that is opened again must not stay in memory.
    one.container.devices.onClone {}
  }

  // MARK: Operations

  /// The things that a request may name.
  private var contents: ContainerContents {
    ContainerContents(one: one, mounts: mounts, programs: programs)
  }

  /// The person's handle.
  var handle: String { one.me.handle }

  /// A Boolean value that indicates whether no folder is being scanned, sent or received. Work that
  /// waits for a person or a container doesn't count.
  var isIdle: Bool {
    mounts.all.allSatisfy { mount in
      switch mount.atWork().phase {
      case .starting, .scanning, .sending, .receiving: false
      case .idle, .waiting, .held, .offline, .paused, .detached, .damaged: true
      }
    }
  }

  /// Returns the operations about this container, the things in it, and its state. `daemon` returns
  /// the state of the daemon itself. Called once.
  func work(
    notices: DesktopNotices, daemon: @escaping @Sendable () -> Control.DaemonStatus
  ) -> HomeRoutes.Open {
    var routes = ControlRoutes()
    // An answer takes memory, and a mount without work gives it back.
    routes.afterwards = { [mounts] in mounts.any?.mailbox.post(.answered) }
    let teller = MountPresenter(one: one, mounts: mounts)
    let settling = Settling(mounts: mounts, traffic: one.traffic)
    let status = StatusOperations(
      one: one, mounts: mounts, teller: teller, settling: settling, problems: problems,
      troubles: troubles, watch: watch, events: events, daemon: daemon, wakes: wakes,
      inbox: inbox, programs: programs)
    addOperations(to: &routes, notices: notices, status: status, teller, settling)
    if one.container.isAnonymous { routes.refuseAllButReading() }
    return HomeRoutes.Open(
      routes: routes, contents: contents, status: { try status.status(Control.Status()) })
  }

  private func addOperations(
    to routes: inout ControlRoutes, notices: DesktopNotices, status: StatusOperations,
    _ teller: MountPresenter, _ settling: Settling
  ) {
    let records = RecordPaths(one: one, mounts: mounts)
    let log = LogPresenter(one: one, persons: persons)
    let targets = TargetResolver(one: one, mounts: mounts)
    let metrics = MetricsPresenter(
      status: { try status.status(Control.Status()) }, mounts: mounts, events: events)
    routes.document("/metrics", type: Metrics.type) { try metrics.text() }
    let views = ViewZones(one, mounts)
    let doctor = DoctorOperations(one: one, mounts: mounts, troubles: troubles)
    let all: [any Operations] = [
      status, doctor,
      DiagnosisOperations(one: one, status: status, doctor: doctor, events: events),
      UserOperations(one: one, persons: persons, people: people),
      UserAccessOperations(one: one, persons: persons, shares: shares),
      GroupOperations(one: one, persons: persons, shares: shares),
      DropOperations(one: one, mounts: mounts, persons: persons, inbox: inbox),
      DeviceOperations(one: one, watch: watch, persons: persons),
      ZoneOperations(
        one: one, mounts: mounts, shares: shares, persons: persons, presence: presence),
      RightsOperations(one: one, targets: targets, persons: persons),
      LogOperations(targets: targets, teller: log),
      WhyOperations(targets: targets, teller: log),
      ChangesOperations(targets: targets, persons: persons), SchemaOperations(shares: shares),
      KeepingOperations(one: one, shares: shares), GarbageOperations(one: one),
      ContainerOperations(one: one, mounts: mounts, persons: persons), moving,
      HistoryOperations(targets: targets, persons: persons),
      ForgetOperations(one: one, targets: targets),
      RestoreOperations(targets: targets, persons: persons, settling: settling),
      PauseOperations(targets: targets, traffic: one.traffic, pausing: pausing),
      TransferOperations(targets: targets, traffic: one.traffic),
      HeldOperations(targets: targets), SelectOperations(targets: targets),
      MetadataOperations(one: one, targets: targets, shares: shares),
      ViewOperations(targets: targets, zones: views),
      ViewWriting(zones: views, persons: persons),
      ConflictOperations(one: one, targets: targets),
      RescueOperations(home: one.home, mounts: mounts, targets: targets),
      ContentOperations(one: one, targets: targets), UploadOperations(targets: targets),
      DirectoryOperations(),
      SettingsOperations(home: one.home, traffic: one.traffic, notices: notices, events: events),
      VerifyOperations(
        one: one, mounts: mounts, shares: shares, persons: persons, records: records),
      RepairOperations(
        one: one, mounts: mounts, shares: shares, persons: persons, records: records, watch: watch),
      ProgramOperations(
        container: one.container, home: one.home, table: programs, attempts: attempts),
      ProgramAnswers(one: one, shares: shares, table: programs),
      EventOperations(events: events) { [mounts] in [mounts] },
    ]
    for operations in all + mirroring(teller, settling) + sharing {
      operations.add(to: &routes)
    }
  }

  private var shares: Shares {
    Shares(one: one, mounts: mounts, events: events, steward: steward, persons: persons)
  }

  /// The operations that give folders to zones, and take them.
  private func mirroring(_ teller: MountPresenter, _ settling: Settling) -> [any Operations] {
    let folders = MountOperations(mirrors: mirrors, persons: persons, presence: presence)
    let nested = NestedShares(
      mirrors: mirrors, shares: shares, places: places, settling: settling)
    return [
      folders,
      AddOperation(mirrors: mirrors, shares: shares, places: places, teller: teller),
      PublicOperations(
        mirrors: mirrors, folders: folders, places: places, teller: teller, settling: settling,
        persons: persons),
      AcceptOperation(
        mirrors: mirrors, departures: departures, shares: shares, places: places, teller: teller,
        settling: settling, persons: persons, inbox: inbox),
      MoveOperation(mirrors: mirrors, places: places),
      EndingOperations(
        mirrors: mirrors, departures: departures, shares: shares, settling: settling),
      ShareTakingOut(mirrors: mirrors, shares: shares, settling: settling),
      PurgeOperation(
        mirrors: mirrors, departures: departures, shares: shares, persons: persons),
      ShareCreation(
        mirrors: mirrors, shares: shares, places: places, nested: nested,
        parts: ShareParts(
          mirrors: mirrors, shares: shares, places: places, teller: teller, settling: settling,
          nested: nested),
        metadata: MetadataOperations(
          one: one, targets: TargetResolver(one: one, mounts: mounts), shares: shares)),
    ]
  }

  /// The operations on participants of shares and their rights.
  private var sharing: [any Operations] {
    let invitations = InvitationOperations(
      one: one, shares: shares, persons: persons, inbox: inbox)
    return [
      invitations, AccessOperations(mirrors: mirrors, shares: shares, persons: persons),
      SuccessionOperations(mirrors: mirrors, shares: shares, persons: persons),
      LinkOperations(one: one, shares: shares, persons: persons),
      RequestOperations(one: one, shares: shares, persons: persons, invitations: invitations),
    ]
  }
}
