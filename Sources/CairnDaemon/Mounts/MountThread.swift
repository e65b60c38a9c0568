import CairnCloud
import CairnControl
import CairnFolders
import CairnStore
import CairnSystem
import CairnThreads
import CairnZone
import Logging
import Synchronization

/// What the thread of a mount does: owns its engine, feeds it hints, lets it work, and publishes
/// how it stands. It must not know what a turn is made of.
struct MountThread {
  private let mount: Mount
  private let engine: MountEngine
  private let owner: Mount.Owner
  private let events: EventLog
  private let log: Logger
  private let clock = SystemClock()

  private var following: Following
  private var isAttached = false
  /// The first look waits until the folder is watched: what changes between the look and the
  /// watch would be missed.
  private var isWatched = false
  /// Those who wait until nothing is pending.
  private var waiters: [Waiter<Void>] = []
  /// When to work without a message.
  private var deadline: Int64?
  private var nextPoll: Int64?
  /// When to try again after turns that failed.
  private var trial = BackOff(longest: 30)
  private var wasDetached = false
  /// The zone as it was when its news were told last, and whether its log was read to its end then.
  private var told: (header: ZoneHeader, isWhole: Bool)?
  /// Who changes unusually much.
  private var bursts: BurstLook
  /// Gives memory back to the system after much was done.
  private var rest = Rest()
  /// Looks at all of the folder now and then.
  private var routine = RoutineLook()

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

  /// Works until it is told to end.
  mutating func run() {
    while true {
      do { try following.begin { [mount] in [try Self.follow(mount)] } } catch {
        // The container is away: it is tried again before each look.
      }
      let messages = mount.mailbox.take(
        until: [deadline, rest.begins].compactMap { $0 }.min())
      if !isWorkDue(messages) {
        giveMemoryBack()
        continue
      }
      var endings: [(forget: Bool, waiter: Waiter<Void>)] = []
      for message in messages {
        if case .stop(let forget, let waiter) = message {
          endings.append((forget, waiter))
        } else {
          take(message)
        }
      }
      if !endings.isEmpty { return end(endings) }
      if nextPoll.map({ $0 <= clock.now }) ?? false { engine.hintZone() }
      if routine.isDue(clock.now) { lookEverywhere() }
      work()
    }
  }

  private static func follow(_ mount: Mount) throws -> Subscription {
    try mount.zone.follow { [mailbox = mount.mailbox] in mailbox.hint([.zone]) }
  }

  /// Whether there is more to do than to give memory back.
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
    case .zone: engine.hintZone()
    case .resumed:
      engine.hintZone()
      engine.retryNow()
    case .settle(let waiter):
      engine.hintZone()
      engine.retryNow()
      waiters.append(waiter)
    case .ask(let body): body(engine)
    case .answered, .stop: break
    }
  }

  private mutating func lookEverywhere() {
    routine.begin(clock.now)
    engine.hintEverything()
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
    // Whoever asked too late is told so, too.
    for message in mount.mailbox.close() {
      switch message {
      case .settle(let waiter), .stop(_, let waiter): waiter.complete()
      case .ask(let body): body(nil)
      case .changed, .tree, .everything, .zone, .resumed, .answered: break
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
      // After a failure it stays told until a turn succeeds.
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

  /// Tells of devices that have changed or deleted unusually many files.
  private mutating func tellBursts() {
    do {
      for burst in try bursts.look(now: clock.now, owner) {
        events.add(
          .changesMany, mount: mount, path: mount.path,
          text: "\(burst.text): `\(burst.rewind)` takes it back")
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
      // While the container takes nothing, what waits is on its way.
      publish(phase: engine.restingPhase)
      nextPoll = following.pause.map { clock.now + $0 }
      routine.rest(clock.now)
      deadline = [next, nextPoll, routine.next].compactMap { $0 }.min()
      guard engine.isSettled else { return }
      for waiter in waiters { waiter.complete() }
      waiters = []
      giveMemoryBack()
    }
  }

  /// Gives memory back if it is time, once nothing is left to do.
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

  /// The share ended, or the person did away with its folder; the owner does the rest.
  private mutating func giveUp(_ why: Departure) {
    backOff()
    owner.onEnd(mount, why)
  }

  /// After a failure: not at once again, and later each time.
  private mutating func backOff() { deadline = trial.fail(now: clock.now) }

  private mutating func fail(_ error: any Error) {
    if let why = departure() { return giveUp(why) }
    // What is kept elsewhere is as it should be, and waits.
    let trouble = mount.zone.trouble
    let phase = Control.Phase(
      of: error, isLogInTrouble: trouble.map { $0.kind != .elsewhere } ?? false)
    engine.hintZone()
    guard phase != .paused else {
      // Nothing is tried until somebody resumes it, and says so.
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
      events.add(.problem, mount: mount, path: nil, text: reason.message)
    }
  }

  /// A folder that is gone, of a share that is over: an earlier run was interrupted.
  private func departure() -> Departure? {
    do { return try engine.departure() } catch {
      // What is wrong with the index or the container is told by the error that led here.
      return nil
    }
  }

  // MARK: How it stands

  /// Going to work and becoming idle again is none.
  private static let isNews: Set<Control.Phase> = [.detached, .offline, .damaged, .held]

  private func publish(phase: Control.Phase, failure: ControlError? = nil) {
    let report = engine.report
    let trouble = failure == nil ? nil : trouble()
    let (before, now) = mount.snapshot.withLock { snapshot in
      let before = snapshot
      snapshot = MountSnapshot(
        phase: phase, progress: report.progress, watching: before.watching,
        problems: report.allProblems, rescued: report.rescued, conflicts: report.conflicts,
        ignored: report.ignored, held: report.held, shortage: report.shortage, failure: failure,
        bursts: bursts.standing(at: clock.now), trouble: trouble)
      return (before, snapshot)
    }
    events.hints.hint()
    tellLog(before.damage, now.damage)
    let old = before.phase
    guard old != phase else { return }
    if phase == .offline {
      events.add(
        .containerLost, mount: mount, path: nil, text: now.note ?? "the container is away")
    } else if old == .offline, phase != .paused {
      events.add(.containerFound, mount: mount, path: nil, text: "the container is back")
    }
    if Self.isNews.contains(phase) || Self.isNews.contains(old) {
      events.add(.mountPhase, mount: mount, path: nil, text: "\(old.rawValue) → \(phase.rawValue)")
    }
  }

  /// What the log has come to, if that is why the mount doesn't go on.
  private func trouble() -> LogTrouble? {
    do { return try mount.zone.trouble ?? engine.lostToken() } catch {
      // The index can't be read; that is the failure, then.
      return nil
    }
  }

  private func tellLog(_ before: LogTrouble?, _ now: LogTrouble?) {
    if let now, before != now {
      events.add(.containerDamaged, mount: mount, path: mount.path, text: now.message)
    } else if before != nil, now == nil {
      events.add(
        .containerRepaired, mount: mount, path: mount.path,
        text: "the log in the container is what was read here again")
    }
  }

  /// Tells what became of the zone as a whole since the last turn.
  private mutating func tellZone() {
    // In this order: what is folded in between is more, and never less, than what was read whole.
    let isWhole = mount.zone.isReadThrough
    let (last, now) = (told, mount.zone.header)
    told = (now, isWhole)
    guard let last else { return }
    let before = last.header
    tell(ShareNews(before: before.share, wasWhole: last.isWhole, now: now.share))
    // An owner's other devices must hear of it before anything goes.
    if before.genesis != nil, before.history != now.history {
      events.add(
        .historyChanged, mount: mount, path: mount.path,
        text: "what is kept of the past was changed: `cairn history policy` shows it")
    }
  }

  /// Tells who joined, and other changes of the share.
  private func tell(_ news: ShareNews) {
    for user in news.joined {
      events.add(
        .shareAccepted, mount: mount, path: mount.path,
        text: "\(owner.nameOf(user)) takes part")
    }
    guard news.isChanged else { return }
    events.add(.shareSaved, mount: mount, path: mount.path, text: "the share changed")
  }
}

extension MountEngine {
  /// How it rests, in a word.
  fileprivate var restingPhase: Control.Phase {
    if report.held != nil { return .held }
    // While the container takes nothing, what waits is on its way.
    if report.refusal != nil { return .sending }
    return report.progress.isSettled ? .idle : .waiting
  }

  /// What the engine is about to do, in a word.
  fileprivate var phase: Control.Phase {
    if report.progress.isSettled { return .scanning }
    return report.progress.sent >= report.progress.arrived ? .sending : .receiving
  }
}
