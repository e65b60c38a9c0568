import CairnCloud
import CairnControl
import CairnFolders
import CairnStore
import CairnSystem
import CairnThreads
import CairnZone
import Logging
import Synchronization

/// A mounted folder at work: owns the engine of one mount on a thread of its own, feeds it hints,
/// and publishes how it stands. It must not know formats or keys.
final class Mount: Sendable {
  /// What the mount's thread is told.
  enum Message: Sendable {
    case changed(FolderHint)
    case tree(FolderHint)
    case everything
    case zone
    /// Answer when nothing is pending in either direction.
    case settle(Waiter<Void>)
    /// Run something with the engine, between two turns.
    case run(@Sendable (MountEngine) -> Void)
    /// The daemon answered somebody, which took memory; there is nothing to do.
    case answered
    /// End; the folder stays a mirror or not.
    case stop(forget: Bool, Waiter<Void>)
  }

  let zone: Zone
  /// What is mirrored, and where.
  let entry: MountEntry
  let mailbox = Mailbox<Message>(limit: 50_000, overflow: .everything)
  let snapshot = Mutex(Snapshot())
  /// What cairn-watch says about the folder.
  let watching = Mutex(Watching())
  /// Whether the thread takes no more messages.
  let hasEnded = Mutex(false)
  let events: EventLog
  let clock = SystemClock()
  let pollSeconds: Int64?
  /// How events name a person.
  private let nameOf: @Sendable (UserID) -> String
  private let log: Logger
  /// Called, on the mount's thread, when the mount is over; again and again, with pauses, until it
  /// is ended.
  private let onEnd: @Sendable (Mount, Departure) -> Void
  /// Called, on the mount's thread, when the folder is back after it had been away.
  private let onReturn: @Sendable (Mount) -> Void

  /// What cairn-watch says about the folder.
  struct Watching: Sendable {
    var directories = 0
    var unwatched = 0
    var note: String?
  }

  init(
    zone: Zone, entry: MountEntry, nameOf: @escaping @Sendable (UserID) -> String,
    pollSeconds: Int64?, events: EventLog, log: Logger,
    onEnd: @escaping @Sendable (Mount, Departure) -> Void,
    onReturn: @escaping @Sendable (Mount) -> Void
  ) {
    self.onReturn = onReturn
    self.nameOf = nameOf
    self.zone = zone
    self.entry = entry
    self.pollSeconds = pollSeconds
    self.events = events
    self.log = log
    self.onEnd = onEnd
  }

  /// What is mirrored.
  var part: ZonePart { entry.part }
  /// The absolute path of the folder, or of the one file.
  var path: [UInt8] { entry.path }
  /// Whether one file is mirrored by itself.
  var isFile: Bool { entry.isFile }
  /// The folder that is mirrored, or holds the one file.
  var folder: [UInt8] { isFile ? WatchRoots.parent(of: path) : path }
  /// How the mount is named in answers and events: its zone's id, with the record if it's a part.
  var id: String { part.description }

  /// Which records the mount shows, as far as they don't depend on other mounts.
  var scope: MountScope {
    MountScope(
      base: part.base, only: isFile ? FileName(WatchRoots.relative(path, to: folder)) : nil)
  }

  /// Leaves directories out that have mounts of their own.
  func exclude(_ directories: Set<RecordID>) {
    mailbox.post(
      .run { [log, path] engine in
        do { try engine.exclude(directories) } catch {
          log.warning("\(Control.Path(path)): can't leave out what is mirrored elsewhere: \(error)")
        }
      })
  }

  /// Starts the thread.
  func start(
    index: FolderIndex, nested: any NestedMounts, settings: MountEngine.Settings
  ) throws {
    let started = PosixThread.run("cairn-mount") { [self] in
      let engine = MountEngine(
        zone: zone, scope: scope, path: folder, index: index, settings: settings, clock: clock)
      engine.nested = nested
      run(engine)
    }
    guard started else {
      throw ControlError(
        .limitExceeded, "The system has no more threads.", remedy: "Raise the limit `ulimit -u`.")
    }
  }

  // MARK: The thread

  private func run(_ engine: MountEngine) {
    var loop = Loop()
    // A lost hint costs time, never correctness; without a subscription there is polling.
    var subscription: Subscription?
    while true {
      if subscription == nil { subscription = follow() }
      let messages = mailbox.take(
        until: [loop.deadline, loop.rest.begins].compactMap { $0 }.min())
      if !loop.isWorkDue(messages, clock.now) {
        rest(engine, &loop)
        continue
      }
      var stopping: (Bool, Waiter<Void>)?
      for message in messages {
        switch message {
        case .stop(let forget, let waiter): stopping = (forget, waiter)
        default: take(message, engine, &loop)
        }
      }
      if let (forget, waiter) = stopping {
        subscription?.cancel()
        end(engine, forget)
        for waiting in loop.waiters { waiting.complete(()) }
        hasEnded.withLock { $0 = true }
        return waiter.complete(())
      }
      if loop.isPollDue(clock.now) { engine.hintZone() }
      work(engine, &loop)
    }
  }

  /// What the thread remembers between two turns.
  private struct Loop {
    var isAttached = false
    var waiters: [Waiter<Void>] = []
    /// The first look waits until the folder is watched: what changes between the look and the
    /// watch would be missed.
    var isWatched = false
    var deadline: Int64?
    var nextPoll: Int64?
    var failures = 0
    var wasDetached = false
    var share: Share?
    /// Gives memory back to the system after much was done.
    var rest = Rest()

    /// After a failure: not at once again, and later each time.
    mutating func backOff(_ now: Int64) {
      failures += 1
      deadline = now + Int64(min(30, 1 << min(failures, 5))) * 1_000_000_000
    }

    /// Whether there is more to do than to give memory back.
    func isWorkDue(_ messages: [Message], _ now: Int64) -> Bool {
      let isAnswered = messages.allSatisfy { if case .answered = $0 { true } else { false } }
      return !isAnswered || deadline.map { $0 <= now } ?? false
    }

    func isPollDue(_ now: Int64) -> Bool { nextPoll.map { $0 <= now } ?? false }
  }

  private func follow() -> Subscription? {
    do {
      return try zone.follow { [mailbox] in mailbox.hint([.zone]) }
    } catch {
      return nil
    }
  }

  private func take(_ message: Message, _ engine: MountEngine, _ loop: inout Loop) {
    switch message {
    case .changed(let hint): engine.hint(changed: hint)
    case .tree(let hint): engine.hint(tree: hint)
    case .everything:
      loop.isWatched = true
      engine.hintEverything()
    case .zone: engine.hintZone()
    case .settle(let waiter):
      engine.hintZone()
      engine.retryNow()
      loop.waiters.append(waiter)
    case .run(let body): body(engine)
    case .answered, .stop: break
    }
  }

  private func work(_ engine: MountEngine, _ loop: inout Loop) {
    guard loop.isWatched else { return }
    do {
      if !loop.isAttached {
        try engine.attach()
        loop.isAttached = true
      }
      // After a failure it stays told until a turn succeeds.
      if loop.failures == 0 { publish(engine, phase: engine.phase) }
      let turn = try engine.turn()
      if case .ended = turn {} else { loop.failures = 0 }
      if loop.wasDetached {
        loop.wasDetached = false
        onReturn(self)
      }
      try finish(turn, engine, &loop)
    } catch {
      fail(error, engine, &loop)
    }
    tell(engine)
    tellShare(&loop)
  }

  private func finish(
    _ turn: MountEngine.Turn, _ engine: MountEngine, _ loop: inout Loop
  ) throws {
    switch turn {
    case .ended(let why): giveUp(why, &loop)
    case .more:
      publish(engine, phase: engine.phase)
      loop.deadline = 0
    case .idle(let deadline):
      publish(engine, phase: engine.report.held == nil ? .idle : .held)
      loop.nextPoll = pollSeconds.map { clock.now + $0 * 1_000_000_000 }
      loop.deadline = [deadline, loop.nextPoll].compactMap { $0 }.min()
      guard engine.isSettled else { return }
      for waiter in loop.waiters { waiter.complete(()) }
      loop.waiters = []
      rest(engine, &loop)
    }
  }

  /// Gives memory back if it is time, once nothing is left to do.
  private func rest(_ engine: MountEngine, _ loop: inout Loop) {
    guard loop.isAttached, engine.isSettled else { return loop.rest.wait() }
    let done = engine.report.progress.sent + engine.report.progress.arrived
    guard loop.rest.isDue(done: done, resident: Rest.resident, now: clock.now) else { return }
    do { try engine.releaseMemory() } catch {
      log.warning("\(Control.Path(path)): an index can't give memory back: \(error)")
    }
    _ = cairn_malloc_trim()
    _ = cairn_release_code()
    loop.rest.gaveBack(leaving: Rest.resident)
  }

  /// The share ended, or the person did away with its folder; the daemon does the rest.
  private func giveUp(_ why: Departure, _ loop: inout Loop) {
    loop.backOff(clock.now)
    onEnd(self, why)
  }

  private func fail(_ error: any Error, _ engine: MountEngine, _ loop: inout Loop) {
    if let why = departure(of: engine) { return giveUp(why, &loop) }
    loop.backOff(clock.now)
    var phase = Control.Phase.offline
    if let error = error as? FolderError, error.code == .detached || error.code == .notFound {
      phase = .detached
      loop.wasDetached = true
    } else if (error as? CloudError)?.code == .accountTemporarilyUnavailable {
      // What changed here waits; what others change still comes.
      phase = .sending
    } else if let error = error as? CloudError, !error.isWorthRetrying || zone.trouble != nil {
      phase = .damaged
    }
    engine.hintZone()
    var reason = Failures.control(error)
    if phase == .detached, zone.scope == .shared {
      reason.message += " If that was to leave the share, run `cairn share leave`."
    }
    publish(engine, phase: phase, failure: reason)
    if loop.failures == 1 {
      log.warning("\(Control.Path(path)): \(reason.message) \(reason.remedy)")
      events.add(.problem, mount: self, path: nil, text: reason.message)
    }
  }

  /// A folder that is gone, of a share that is over: an earlier run was interrupted.
  private func departure(of engine: MountEngine) -> Departure? {
    do { return try engine.departure() } catch {
      // What is wrong with the index or the container is told by the error that led here.
      return nil
    }
  }

  private func end(_ engine: MountEngine, _ forget: Bool) {
    do {
      guard forget else { return try engine.close() }
      try engine.forget()
      try engine.detach()
    } catch {
      let act = forget ? "forgotten" : "ended in order"
      log.warning("\(Control.Path(path)): can't be \(act): \(error)")
    }
  }

  private func publish(
    _ engine: MountEngine, phase: Control.Phase, failure: ControlError? = nil
  ) {
    let report = engine.report
    let new = Snapshot(
      phase: phase, progress: report.progress, problems: report.allProblems,
      rescued: report.rescued, conflicts: report.conflicts, held: report.held,
      shortage: report.shortage, failure: failure,
      trouble: failure == nil ? nil : trouble(of: engine))
    let before = snapshot.withLock { snapshot in
      defer { snapshot = new }
      return snapshot
    }
    tellHistory(before, new)
    let old = before.phase
    guard old != phase else { return }
    if phase == .offline {
      events.add(.containerLost, mount: self, path: nil, text: new.note ?? "the container is away")
    } else if old == .offline {
      events.add(.containerFound, mount: self, path: nil, text: "the container is back")
    }
    // Going to work and becoming idle again is no news.
    let isWorthTelling: Set<Control.Phase> = [.detached, .offline, .damaged, .held]
    if isWorthTelling.contains(phase) || isWorthTelling.contains(old) {
      events.add(.mountPhase, mount: self, path: nil, text: "\(old.rawValue) → \(phase.rawValue)")
    }
  }

  /// What the log has come to, if that is why the mount doesn't go on.
  private func trouble(of engine: MountEngine) -> LogTrouble? {
    do { return try zone.trouble ?? engine.lostToken() } catch {
      // The index can't be read; that is the failure, then.
      return nil
    }
  }

  private func tellHistory(_ before: Snapshot, _ now: Snapshot) {
    if let trouble = now.trouble, before.trouble != trouble {
      events.add(.containerDamaged, mount: self, path: path, text: trouble.message)
    } else if before.trouble != nil, now.trouble == nil {
      events.add(
        .containerRepaired, mount: self, path: path,
        text: "the log in the container is what was read here again")
    }
  }

  private func tell(_ engine: MountEngine) {
    for happening in engine.report.takeHappenings() { events.add(happening, of: self) }
  }

  /// Tells who joined since the last turn, and other changes of the share.
  private func tellShare(_ loop: inout Loop) {
    let share = zone.header.share
    defer { loop.share = share }
    guard let share, let before = loop.share, share != before else { return }
    let joined = share.participants.values.filter { participant in
      participant.acceptance == .accepted
        && before.participants[participant.user]?.acceptance != .accepted
    }
    for participant in joined {
      events.add(
        .shareAccepted, mount: self, path: path, text: "\(nameOf(participant.user)) takes part")
    }
    guard joined.isEmpty else { return }
    events.add(.shareSaved, mount: self, path: path, text: "the share changed")
  }
}

extension MountEngine {
  /// What the engine is about to do, in a word.
  var phase: Control.Phase {
    if report.progress.isSettled { return .scanning }
    return report.progress.sent >= report.progress.arrived ? .sending : .receiving
  }
}
