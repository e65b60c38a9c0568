import CairnControl
import CairnFolders
import CairnReplica
import CairnStore
import CairnSystem
import CairnThreads
import CairnZone
import Logging
import Synchronization

/// The actor of a mount: it owns the engine, gives it hints, runs its sync cycles, and publishes
/// its state. One thread at a time runs a step of it. The steps of a sync cycle are unknown here.
struct MountActor {
  private let mount: Mount
  private let engine: MountEngine
  private let owner: Mount.Owner
  private let events: EventLog
  private let log: Logger
  private let clock = SystemClock()

  private var following: Following
  private var isAttached = false
  /// A Boolean value that indicates whether the folder is watched. The first scan waits for that: a
  /// change between the scan and the watch would be missed.
  private var isWatched = false
  /// The waiters until nothing waits any more.
  private var waiters: [Waiter<Void>] = []
  /// The time of the next sync cycle without a message.
  private var deadline: Int64?
  private var nextPoll: Int64?
  /// The times of new attempts after failed sync cycles.
  private var trial = BackOff(longest: 30)
  private var wasDetached = false
  /// The zone at its last report, and whether its log was read to its end then.
  private var told: (header: ZoneHeader, isWhole: Bool)?
  /// The watch for devices that change unusually much.
  private var bursts: BurstLook
  /// The return of memory to the system after much work.
  private var rest = Rest()
  /// The scans without a hint.
  private var regular = RegularScans()

  init(
    _ mount: Mount, _ engine: MountEngine, _ owner: Mount.Owner, _ following: Following,
    events: EventLog, log: Logger
  ) {
    self.mount = mount
    self.engine = engine
    self.owner = owner
    self.following = following
    self.events = events
    self.log = log
    bursts = BurstLook(mount)
    mount.work.follow(engine.report.board) { events.hints.hint() }
  }

  // MARK: Messages

  /// Takes the messages, and runs one sync cycle if there is work.
  mutating func step() -> ActorPool.Next {
    do { try following.begin { [mount] in [try Self.follow(mount)] } } catch {
      // The container is unavailable: it is tried again before each check.
    }
    let messages = mount.mailbox.takeNow()
    guard isWorkDue(messages) else {
      giveMemoryBack()
      return next
    }
    var endings: [(forget: Bool, waiter: Waiter<Void>)] = []
    for message in messages {
      if case .stop(let forget, let waiter) = message {
        endings.append((forget, waiter))
      } else {
        take(message)
      }
    }
    guard endings.isEmpty else {
      end(endings)
      return .ended
    }
    if nextPoll.map({ $0 <= clock.now }) ?? false { engine.hintZone() }
    if regular.isEverythingDue(clock.now) { lookEverywhere() }
    if regular.isUnwatchedDue(clock.now) { lookAtUnwatched() }
    work()
    return next
  }

  /// The time of the next step without a message.
  private var next: ActorPool.Next { .at([deadline, rest.begins].compactMap { $0 }.min()) }

  private static func follow(_ mount: Mount) throws -> Subscription {
    try mount.zone.follow { [mailbox = mount.mailbox] in mailbox.hint([.log]) }
  }

  /// Returns whether there is other work than the return of memory.
  private func isWorkDue(_ messages: [Mount.Message]) -> Bool {
    let isAnswered = messages.allSatisfy { if case .answered = $0 { true } else { false } }
    return !isAnswered || deadline.map { $0 <= clock.now } ?? false
  }

  private mutating func take(_ message: Mount.Message) {
    switch message {
    case .changed(let hint): engine.hint(changed: hint)
    case .tree(let hint): engine.hint(tree: hint)
    case .everything:
      isWatched = true
      lookEverywhere()
    case .watching: lookAtUnwatched()
    case .zone: engine.hintZone()
    case .log: engine.hintLog()
    case .transferred: break
    case .resumed:
      engine.hintZone()
      engine.retryNow()
    case .settle(let waiter):
      // Nobody reported the changes in directories that are not watched.
      lookAtUnwatched()
      engine.hintZone()
      engine.retryNow()
      waiters.append(waiter)
    case .ask(let body): body(engine)
    case .answered, .stop: break
    }
  }

  private mutating func lookEverywhere() {
    regular.beginEverything(clock.now)
    engine.hintEverything()
  }

  /// Scans the directories that are not watched, if there are any.
  private mutating func lookAtUnwatched() {
    let parts = mount.snapshot.withLock { $0.watching.parts }
    guard !parts.isEmpty else { return }
    regular.beginUnwatched(clock.now)
    for part in parts {
      if part.isEmpty { engine.hintEverything() } else { engine.hint(tree: FolderHint(part)) }
    }
  }

  private mutating func end(_ endings: [(forget: Bool, waiter: Waiter<Void>)]) {
    following.end()
    let forget = endings.contains(where: \.forget)
    do {
      if forget {
        try engine.forget()
        try engine.detach()
      } else {
        try engine.close()
      }
    } catch {
      let act = forget ? "forgotten" : "ended in order"
      log.warning("\(Control.Path(mount.path)): can't be \(act): \(error)")
    }
    for waiter in waiters { waiter.complete() }
    // Messages that came too late get an answer, too.
    for message in mount.mailbox.close() {
      switch message {
      case .settle(let waiter), .stop(_, let waiter): waiter.complete()
      case .ask(let body): body(nil)
      case .changed, .tree, .everything, .watching, .zone, .log, .transferred, .resumed, .answered:
        break
      }
    }
    for ending in endings { ending.waiter.complete() }
  }

  // MARK: Work

  private mutating func work() {
    guard isWatched else { return }
    do {
      if !isAttached {
        try engine.attach()
        isAttached = true
      }
      // A failure is shown until a sync cycle succeeds.
      if trial.failures == 0 { publish(phase: engine.phase) }
      let turn = try engine.turn()
      if case .ended = turn {} else { trial.succeed() }
      if wasDetached {
        wasDetached = false
        owner.onReturn(mount)
      }
      try finish(turn)
    } catch {
      fail(error)
    }
    for happening in engine.report.takeHappenings() { events.add(happening, of: mount) }
    tellZone()
    tellBursts()
  }

  /// Reports devices that have changed or deleted unusually many files.
  private mutating func tellBursts() {
    do {
      for burst in try bursts.look(now: clock.now, owner) {
        events.add(
          .changesMany, mount: mount.id, path: mount.path,
          text: "\(burst.text): `\(burst.rewind)` reverts it")
        mount.snapshot.withLock { $0.bursts = bursts.standing(at: clock.now) }
      }
    } catch {
      log.warning("\(Control.Path(mount.path)): the index can't be read: \(error)")
    }
  }

  private mutating func finish(_ turn: MountEngine.Turn) throws {
    switch turn {
    case .ended(let why): giveUp(why)
    case .more:
      publish(phase: engine.phase)
      deadline = 0
    case .idle(let next):
      // While the container accepts nothing, waiting changes are on their way.
      publish(phase: engine.restingPhase)
      nextPoll = following.pause.map { clock.now + $0 }
      restRegular()
      deadline = [next, nextPoll, regular.next].compactMap { $0 }.min()
      guard engine.isSettled else { return }
      engine.rest()
      for waiter in waiters { waiter.complete() }
      waiters = []
      giveMemoryBack()
    }
  }

  /// Plans the next scans without a hint.
  private mutating func restRegular() {
    let isWatched = mount.snapshot.withLock { $0.watching.isWhole }
    regular.rest(clock.now, took: engine.report.disk.scanTook, isWatched: isWatched)
    mount.snapshot.withLock { $0.watching.scanEvery = isWatched ? nil : regular.pause }
  }

  /// Returns memory to the system if it is time, once nothing is left to do.
  private mutating func giveMemoryBack() {
    guard isAttached, engine.isSettled else { return rest.wait() }
    let done = engine.report.progress.sent + engine.report.progress.arrived
    guard rest.isDue(done: done, resident: Rest.resident, now: clock.now) else { return }
    do { try engine.releaseMemory() } catch {
      log.warning("\(Control.Path(mount.path)): an index can't give memory back: \(error)")
    }
    _ = cairn_malloc_trim()
    _ = cairn_release_code()
    rest.gaveBack(leaving: Rest.resident)
  }

  /// Ends the mount because the share ended, or the person removed its folder; the owner does the
  /// rest.
  private mutating func giveUp(_ why: Departure) {
    backOff()
    owner.onEnd(mount, why)
  }

  /// Postpones the next sync cycle after a failure, longer each time.
  private mutating func backOff() { deadline = trial.fail(now: clock.now) }

  private mutating func fail(_ error: any Error) {
    if let why = departure() { return giveUp(why) }
    // A zone that is stored elsewhere is in order, and waits.
    let trouble = mount.zone.trouble
    let phase = Control.Phase(
      of: error, isLogInTrouble: trouble.map { $0.kind != .elsewhere } ?? false)
    engine.hintZone()
    guard phase != .paused else {
      // Nothing is tried until somebody resumes it with a message.
      deadline = nil
      return publish(phase: phase)
    }
    let isNews = trial.failures == 0
    backOff()
    if phase == .detached { wasDetached = true }
    var reason = Failures.control(error)
    if phase == .detached, mount.zone.scope == .shared {
      reason.message += " If that was to leave the share, run `cairn share leave`."
    }
    publish(phase: phase, failure: reason)
    if isNews {
      log.warning("\(Control.Path(mount.path)): \(reason.message) \(reason.remedy)")
      events.add(.problem, mount: mount.id, path: nil, text: reason.message)
    }
  }

  /// Returns the departure if the folder of an ended share is gone: an earlier run was interrupted.
  private func departure() -> Departure? {
    do { return try engine.departure() } catch {
      // Problems of the index or the container are reported by the error that led here.
      return nil
    }
  }

  // MARK: How it stands

  /// The phases that are events; the start and the end of work are none.
  private static let isNews: Set<Control.Phase> = [.detached, .offline, .damaged, .held]

  private func publish(phase: Control.Phase, failure: ControlError? = nil) {
    let report = engine.report
    let trouble = failure == nil ? nil : trouble()
    let (before, now) = mount.snapshot.withLock { snapshot in
      let before = snapshot
      var watching = before.watching
      watching.scanEvery = watching.isWhole ? nil : regular.pause
      snapshot = MountSnapshot(
        phase: phase, progress: report.progress, watching: watching, disk: report.disk,
        problems: report.allProblems,
        rescued: report.rescued, conflicts: report.conflicts,
        absent: MountSnapshot.Absent(
          hindrances: engine.hindrances, ignored: report.ignored, selection: engine.selection,
          leftOut: report.leftOut),
        held: report.held, failure: failure,
        bursts: bursts.standing(at: clock.now), trouble: trouble)
      return (before, snapshot)
    }
    events.hints.hint()
    tellLog(before.damage, now.damage)
    let old = before.phase
    guard old != phase else { return }
    if phase == .offline {
      events.add(
        .containerLost, mount: mount.id, path: nil, text: now.note ?? "the container is away")
    } else if old == .offline, phase != .paused {
      events.add(.containerFound, mount: mount.id, path: nil, text: "the container is back")
    }
    if Self.isNews.contains(phase) || Self.isNews.contains(old) {
      events.add(
        .mountPhase, mount: mount.id, path: nil, text: "\(old.rawValue) → \(phase.rawValue)")
    }
  }

  /// Returns the state of the log, if it is the reason that the mount doesn't continue.
  private func trouble() -> LogTrouble? {
    do { return try mount.zone.trouble ?? engine.lostToken() } catch {
      // The index is unreadable; that is the failure, then.
      return nil
    }
  }

  private func tellLog(_ before: LogTrouble?, _ now: LogTrouble?) {
    if let now, before != now {
      events.add(.containerDamaged, mount: mount.id, path: mount.path, text: now.message)
    } else if before != nil, now == nil {
      events.add(
        .containerRepaired, mount: mount.id, path: mount.path,
        text: "the log in the container is what was read here again")
    }
  }

  /// Reports changes of the zone as a whole since the last sync cycle.
  private mutating func tellZone() {
    // In this order: the header may have more entries than the log had at the first line, and
    // never fewer.
    let isWhole = mount.zone.isReadThrough
    let (last, now) = (told, mount.zone.header)
    told = (now, isWhole)
    guard let last else { return }
    let before = last.header
    tell(
      ShareNews(before: before.share, wasWhole: last.isWhole, now: now.share, me: owner.me))
    // An owner's other devices must learn of it before anything is deleted.
    if before.genesis != nil, before.history != now.history {
      events.add(
        .historyChanged, mount: mount.id, path: mount.path,
        text: "the history policy was changed: `cairn history policy` shows it")
    }
  }

  /// Reports new members, and other changes of the share.
  private func tell(_ news: ShareNews) {
    for user in news.joined {
      events.add(
        .shareAccepted, mount: mount.id, path: mount.path,
        text: "\(owner.nameOf(user)) joined")
    }
    let author = news.author.map { owner.told($0).person }
    let name = news.author.map { owner.nameOf($0.user) } ?? ""
    for user in news.removed {
      events.add(
        .shareSaved, mount: mount.id, path: mount.path,
        text: "\(name) removed \(owner.nameOf(user))", by: author)
    }
    for change in news.own {
      events.add(
        .shareRights, mount: mount.id, path: mount.path,
        text: "\(name) changed your part: \(change.text)", by: author)
    }
    for claim in news.claims {
      events.add(
        .shareClaimed, mount: mount.id, path: mount.path, text: claim.text(owner.nameOf),
        by: author)
    }
    guard news.isChanged else { return }
    events.add(.shareSaved, mount: mount.id, path: mount.path, text: "the share changed")
  }
}
