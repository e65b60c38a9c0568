import CairnCloud
import CairnFolders
import CairnIndex
import CairnStore
import CairnZone

/// One person's machine: their disk, their way to the container, and the daemon with the engine of
/// the production code, which ends and starts anew. It must not know what is checked.
///
/// `@unchecked Sendable`: a story, and all that it owns, is run by one thread.
final class Device: @unchecked Sendable {
  let number: Int
  let account: Account
  let disk: SimulatedDisk
  let store: SimulatedStore
  let clock: SimulatedClock
  let trace: Trace
  /// What the daemon has open; nil while it doesn't run.
  private(set) var open: Container?
  /// Up to where the log was read here, and the digest of the entry there. Forgotten with the index
  /// and when a person has the log repaired.
  var remembered: (sequence: UInt64, head: Bytes32)?
  let container: ContainerID
  let zoneID: ZoneID
  /// Whether this person was removed and has given up the folder.
  private(set) var isOut = false
  private let machine: Machine
  var zones: IndexFiles { machine.zones }
  var folders: FolderIndex { machine.folders }
  private(set) var zone: Zone?
  private(set) var engine: MountEngine?
  private var starts = 0
  private var isAttached = false
  /// Whether this machine's daemon is in the middle of a turn.
  private(set) var isWorking = false
  /// Whether it does what its person asked for.
  private(set) var isAsked = false
  /// What waits to be told to the engine.
  var waiting: [SimulatedDisk.Hint] = []
  /// Hints were lost, or nobody watched: look at everything.
  var needsFullScan = true
  /// What becomes of wake-ups, and after how many rounds of work one comes that is on its way.
  var wakeFate = Step.WakeFate.heard
  private var lateWake = 0
  /// Whether hints were lost, and nobody has looked at everything since.
  var hasMissed = false
  /// Whether the zone had all that was in the folder when its person copied it.
  var copyWasQuiet = false
  var unfinished: [UnfinishedFile] = []
  /// When the engine wants to be called again.
  private(set) var deadline: Int64?
  private(set) var lastError: String?
  private(set) var turns = 0

  init(
    number: Int, scene: Scene, store: MemoryStore, traits: SimulatedDisk.Traits,
    machine: Machine, time: SimulatedClock.Source, trace: Trace
  ) throws {
    self.number = number
    self.trace = trace
    let member = scene.members[number]
    // What one story has it learn the next one must not know.
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

  /// The process ended in the middle: what it had begun is undone.
  struct Ended: Error {}

  // MARK: The daemon's life

  /// Starts the daemon, unless it runs.
  func start() throws {
    guard engine == nil else { return }
    starts += 1
    let open = try Container(store: store, id: container, account: account, indexes: zones)
    self.open = open
    // Where an entry of the account's log was read in part, the zone isn't in the list yet.
    if try open.zone(zoneID) == nil { try open.refresh() }
    guard let zone = try open.zone(zoneID) else {
      isOut = true
      return
    }
    self.zone = zone
    isAttached = false
    needsFullScan = true
    engine = MountEngine(
      zone: zone, path: SimulatedDisk.folderPath, index: folders,
      settings: MountEngine.Settings(
        handle: Scene.handle(number), host: "desk", token: "\(starts)",
        // Every other time only the file system stopped, and was mounted anew.
        boot: "\(disk.boots / 2)"),
      clock: clock, disk: disk)
    engine?.hintZone()
  }

  /// Ends the daemon in order, if its disk lets it.
  func end() {
    do { try engine?.close() } catch { trace.note("    daemon \(number) can't end: \(error)") }
    stop()
  }

  /// Ends the daemon at once.
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

  /// What the indexes held at a moment.
  struct Indexes {
    var zones: IndexFiles.Rows
    var folders: IndexRows
    /// How many durable writes there had been.
    var durable: Int
  }

  /// What the indexes hold now, to go back to after a power cut.
  func copyIndexes() throws -> Indexes {
    Indexes(
      zones: try zones.rows(), folders: try folders.rows(), durable: folders.durableWriteCount)
  }

  func restoreIndexes(_ copies: Indexes) throws {
    remembered = nil
    try zones.replaceAll(by: copies.zones)
    try folders.replaceAll(by: copies.folders)
  }

  /// Whether its daemon runs, knows all that happened in the folder, and has nothing to do.
  var isQuiet: Bool {
    get throws {
      guard let engine, engine.isSettled, !isWorking, !needsFullScan else { return false }
      return try waiting.isEmpty && disk.hints.isEmpty && unfinished.isEmpty && !disk.isRootHidden
        && engine.pendingCount() == 0
    }
  }

  // MARK: Work

  /// What a round of turns came to.
  enum Outcome: Equatable {
    case busy
    case idle(until: Int64?)
    case failed
    case ended
  }

  /// Leaves the folder and the zone to themselves, as the daemon does when a share is over.
  func leave() {
    stop()
    isOut = true
    remembered = nil
  }

  /// Takes part again, from the beginning.
  func join() {
    stop()
    isOut = false
  }

  /// Lets the daemon work for some turns, as the mount's thread does.
  func work(turns limit: Int) -> Outcome {
    precondition(!isWorking, "a daemon has one thread for a mount")
    isWorking = true
    defer { isWorking = false }
    return SodiumDice.with(number) {
      var outcome = Outcome.busy
      for _ in 0..<limit {
        outcome = turn()
        if disk.isDead { return .ended }
        if outcome != .busy { break }
      }
      return outcome
    }
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
      defer { engine.checkInvariants() }
      let turn = try engine.turn()
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

  private func attach(_ engine: MountEngine) throws {
    guard !isAttached else { return }
    try engine.attach()
    isAttached = true
  }

  /// Does what a person asks the daemon for, between two of its turns. What fails is said.
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

  /// Somebody else wrote, and what tells it comes as it does.
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

  /// What is on its way comes when the daemon has worked without it.
  func hearLate() {
    guard lateWake > 0 else { return }
    lateWake -= 1
    if lateWake == 0 { hintZone() }
  }
}
