import CairnContainer
import CairnFolders
import CairnIdentity
import CairnIndex
import CairnReplica
import CairnStore
import CairnZone

/// One person's machine: the disk, the connection to the container, and the daemon with the
/// production engine, which ends and starts again. It must not know the checks.
///
/// `@unchecked Sendable`: one thread runs a story and everything that it owns.
final class Device: @unchecked Sendable {
  let number: Int
  let account: Account
  let disk: SimulatedDisk
  let store: SimulatedStore
  let clock: SimulatedClock
  let trace: Trace
  /// The daemon's open container; nil while it is stopped.
  private(set) var open: Container?
  /// The last log position that was read here, with the digest of its entry. It is forgotten with
  /// the index, and when a person repairs the log.
  var remembered: (sequence: UInt64, head: Bytes32)?
  let container: ContainerID
  let zoneID: ZoneID
  /// A Boolean value that indicates whether this person was removed and has given up the folder.
  private(set) var isOut = false
  private let machine: Machine
  var zones: IndexFiles { machine.zones }
  var folders: FolderIndex { machine.folders }
  private(set) var zone: Zone?
  private(set) var engine: MountEngine?
  private var starts = 0
  /// The number of times that the file system of the indexes was mounted again.
  var indexMountings = 0
  private var isAttached = false
  /// A Boolean value that indicates whether this machine's daemon is inside a sync cycle.
  private(set) var isWorking = false
  /// A Boolean value that indicates whether it performs a request of its person.
  private(set) var isAsked = false
  /// The hints that wait for the engine.
  var waiting: [SimulatedDisk.Hint] = []
  /// Hints were lost, or nobody watched: everything must be scanned.
  var needsFullScan = true
  /// The fate of push messages, and the number of rounds of work until a delayed one arrives.
  var wakeFate = Step.WakeFate.heard
  private var lateWake = 0
  /// A Boolean value that indicates whether hints were lost without a full scan since.
  var hasMissed = false
  /// A Boolean value that indicates whether the zone had everything in the folder when its person
  /// copied it.
  var copyWasQuiet = false
  var unfinished: [UnfinishedFile] = []
  /// The time of the engine's next call.
  private(set) var deadline: Int64?
  private(set) var lastError: String?
  /// A Boolean value that indicates whether texts are merged.
  var mergesText = false
  /// The number of new entries after which a scan pauses; nil for the usual one.
  var stretch: Int?
  /// The number of merged texts.
  private(set) var merged = 0
  private(set) var turns = 0

  init(
    number: Int, scene: Scene, store: MemoryStore, traits: SimulatedDisk.Traits,
    machine: Machine, time: SimulatedClock.Source, trace: Trace
  ) throws {
    self.number = number
    self.trace = trace
    let member = scene.members[number]
    // The memory of one story must not reach the next.
    account = member.account.apart()
    container = scene.container
    zoneID = scene.zone
    clock = SimulatedClock(time)
    disk = SimulatedDisk(traits: traits, clock: clock, trace: trace)
    self.store = SimulatedStore(store, of: scene.zone, clock: clock, trace: trace)
    let disk = self.disk
    self.machine = machine
    try machine.begin(with: member) { [disk] in disk.isDead }
    self.store.isDead = { [disk] in disk.isDead }
    try MountMark.claim(SimulatedDisk.folderPath, for: ZonePart(zoneID), on: disk)
    disk.syncAll()
    disk.hints = []
  }

  /// The process ended in the middle: unfinished work is undone.
  struct Ended: Error {}

  // MARK: The daemon's life

  /// Starts the daemon if it is stopped.
  func start() throws {
    guard engine == nil else { return }
    starts += 1
    let open = try Container(store: store, id: container, account: account, indexes: zones)
    self.open = open
    // If an entry of the account's log was read in part, the zone is not in the list yet.
    if try open.zone(zoneID) == nil { try open.refresh() }
    guard let zone = try open.zone(zoneID) else {
      isOut = true
      return
    }
    self.zone = zone
    isAttached = false
    needsFullScan = true
    var settings = MountSettings(
      handle: Scene.handle(number), host: "desk", token: "\(starts)",
      // In every second case only the file system stopped and was mounted again.
      boot: "\(disk.boots / 2) \(indexMountings)")
    settings.mergesText = mergesText
    if let stretch { settings.stretch = stretch }
    engine = MountEngine(
      zone: zone, path: SimulatedDisk.folderPath, index: folders, settings: settings,
      clock: clock, disk: disk)
    engine?.hintZone()
  }

  /// Ends the daemon cleanly, if its disk allows it.
  func end() {
    do { try engine?.close() } catch { trace.note("    daemon \(number) can't end: \(error)") }
    stop()
  }

  /// Kills the daemon.
  func stop() {
    engine = nil
    zone = nil
    open = nil
    disk.isDead = false
    disk.closeAll()
    disk.forgetInterruptions()
    deadline = nil
  }

  func deleteIndexes(_ loss: Step.IndexLoss) throws {
    stop()
    remembered = nil
    if loss != .zones {
      disk.wasForgotten = true
      try folders.replaceAll(by: machine.noFolders)
    }
    if loss != .folders { try zones.replaceAll(by: machine.noZones) }
  }

  /// The contents of the indexes at one moment.
  struct Indexes {
    var zones: IndexFiles.Rows
    var folders: IndexRows
    /// The number of durable writes by then.
    var durable: Int
  }

  /// Copies the indexes, as a state to return to after a power cut.
  func copyIndexes() throws -> Indexes {
    Indexes(
      zones: try zones.rows(), folders: try folders.rows(), durable: folders.durableWriteCount)
  }

  func restoreIndexes(_ copies: Indexes) throws {
    remembered = nil
    try zones.replaceAll(by: copies.zones)
    try folders.replaceAll(by: copies.folders)
  }

  /// A Boolean value that indicates whether the daemon runs, knows everything in the folder, and
  /// has nothing to do.
  var isQuiet: Bool {
    get throws {
      guard let engine, engine.isSettled, !isWorking, !needsFullScan else { return false }
      return try waiting.isEmpty && disk.hints.isEmpty && unfinished.isEmpty && !disk.isRootHidden
        && engine.pendingCount() == 0
    }
  }

  // MARK: Work

  /// The result of a round of sync cycles.
  enum Outcome: Equatable {
    case busy
    case idle(until: Int64?)
    case failed
    case ended
  }

  /// Detaches folder and zone, like the daemon after the end of a share.
  func leave() {
    stop()
    isOut = true
    remembered = nil
  }

  /// Joins the share again, from the beginning.
  func join() {
    stop()
    isOut = false
  }

  /// Lets the daemon work for some sync cycles, like the mount's thread.
  func work(turns limit: Int) -> Outcome {
    precondition(!isWorking, "a daemon has one thread for a mount")
    isWorking = true
    defer { isWorking = false }
    return SodiumDice.with(number) { IndexOrder.apart { workAlone(limit) } }
  }

  private func workAlone(_ limit: Int) -> Outcome {
    var outcome = Outcome.busy
    for _ in 0..<limit {
      outcome = turn()
      if disk.isDead { return .ended }
      if outcome != .busy { break }
    }
    return outcome
  }

  private func turn() -> Outcome {
    turns += 1
    disk.turn = turns
    do {
      if isOut { return try acceptAnew() }
      try start()
      guard let engine else { return .failed }
      try attach(engine)
      tellEngine(engine)
      defer { precondition(engine.brokenRule == nil, engine.brokenRule ?? "") }
      defer { checkRowsInMemory() }
      let turn = try engine.turn()
      for case .merged in engine.report.takeHappenings() { merged += 1 }
      if !disk.isDead { disk.settledTurn = turns }
      trace.mix(turn)
      trace.note("    daemon \(number): \(turn)")
      lastError = nil
      switch turn {
      case .more: return .busy
      case .idle(let until):
        deadline = until
        return .idle(until: until)
      case .ended:
        try giveUp()
        return .busy
      }
    } catch {
      if isOver {
        do {
          try giveUp()
          return .busy
        } catch {
          lastError = "\(error)"
          return .failed
        }
      }
      engine?.hintZone()
      lastError = "\(error)"
      trace.note("    daemon \(number): \(error)")
      return .failed
    }
  }

  /// Checks that the rows of the folder's index in memory are those of its table.
  private func checkRowsInMemory() {
    do {
      let areTrue = try folders.areCachedRowsTrue(of: ZonePart(zoneID))
      precondition(areTrue, "a row of the folder's index in memory isn't that of the table")
    } catch {
      // The index is closed to a daemon that ended.
      trace.note("    daemon \(number) can't read its index: \(error)")
    }
  }

  private func attach(_ engine: MountEngine) throws {
    guard !isAttached else { return }
    try engine.attach()
    isAttached = true
  }

  /// Performs a person's request to the daemon, between two of its sync cycles. Errors are
  /// reported.
  func ask(_ body: (Container, Zone, MountEngine) throws -> Void) {
    precondition(!isWorking, "a daemon has one thread for a mount")
    (isWorking, isAsked) = (true, true)
    defer { (isWorking, isAsked) = (false, false) }
    SodiumDice.with(number) {
      do {
        try start()
        guard let open, let zone, let engine else { return }
        try attach(engine)
        try body(open, zone, engine)
      } catch {
        lastError = "\(error)"
        trace.note("    asked of \(number): \(error)")
      }
    }
  }

  private func tellEngine(_ engine: MountEngine) {
    waiting += disk.hints
    disk.hints = []
    if needsFullScan {
      engine.hintEverything()
      needsFullScan = false
      hasMissed = false
    }
    for hint in waiting {
      switch hint {
      case .changed(let hint): engine.hint(changed: hint)
      case .tree(let hint): engine.hint(tree: hint)
      }
    }
    waiting = []
  }

  func hintZone() { engine?.hintZone() }

  /// Delivers the message that somebody wrote, with its fate.
  func wake() {
    switch wakeFate {
    case .heard: hintZone()
    case .lost: break
    case .late: lateWake = 2
    case .doubled:
      hintZone()
      lateWake = 2
    }
  }

  /// Delivers delayed messages after the daemon worked without them.
  func hearLate() {
    guard lateWake > 0 else { return }
    lateWake -= 1
    if lateWake == 0 { hintZone() }
  }
}
