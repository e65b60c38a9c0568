public import CairnCloud
import CairnPlan
import CairnZone
import Glibc

/// One mounted folder and its zone, brought to agreement turn by turn: look, read, plan, act. It
/// has one owner, which calls it from one thread at a time; it never waits and never wakes by
/// itself. It must not know stores or encryption.
public final class MountEngine {
  /// What the owner decides about a mount.
  public struct Settings: Sendable {
    /// Who stands in the names of conflict copies: this person's handle.
    public var handle: String
    /// Who stands in the names of conflict copies: this machine's name.
    public var host: String
    /// Names files on their way; different at each start.
    public var token: String

    /// Which start of the machine this is, as the kernel names it; nil if that isn't known.
    public var boot: String?
    /// Bytes that stay free on the file systems of the folder and of the index.
    public var keepFree: UInt64
    /// How many threads do a large piece of work at once, this one among them.
    public var lanes: Int
    /// What is never mirrored, wherever it stands in the folder.
    public var offLimits = OffLimits()

    /// Joins the parts.
    public init(
      handle: String, host: String, token: String, boot: String? = nil,
      keepFree: UInt64 = 64 << 20, lanes: Int = 1
    ) {
      self.lanes = lanes
      self.handle = handle
      self.host = host
      self.token = token
      self.boot = boot
      self.keepFree = keepFree
    }
  }

  /// The zone that the folder mirrors, or a part of it.
  public let zone: Zone
  /// Which records of the zone the folder shows.
  public internal(set) var scope: MountScope
  /// The folder's absolute path.
  public let path: [UInt8]
  let settings: Settings
  let index: FolderIndex
  let clock: any MountClock
  let disk: any Disk
  /// Who owns the mounts that may stand in this one's folder.
  public var nested: (any NestedMounts)?
  var root: Descriptor?
  var staging: Staging?
  var scanner: Scanner?
  /// What is never mirrored, as it was when the folder was attached.
  var offLimits = OffLimits()
  var mount: Int64 = 0
  var identity: FileStat?
  /// Whether this person may not write now.
  var isReadOnly = false
  /// What the modes of the files show; nil if nobody knows.
  var shownReadOnly: Bool?
  /// Whether the index notes that all of the folder was compared with the zone.
  var isCompared = false
  /// From where on in the log this device's changes can be this folder's; nil until it is read.
  var began: UInt64?

  /// What happened, for `cairn events`; the owner takes it after each turn.
  public var report = MountReport()

  var needsFullScan = false
  var needsPull = true
  /// Whether the zone may have taken a commit of this mount that the index knows nothing of.
  var mayHaveSent = false
  /// How often in a row somebody else's commit came before this mount's.
  var lostRaces = 0
  /// Until when this mount leaves the log to others, by the engine's clock.
  var yieldsUntil: Int64 = .min / 2
  /// Whether something may stand in the folder that we put there, and the index doesn't have yet.
  var mayHaveArrived = true
  /// Whether a parked file isn't any more what the index has; no look at the folder goes there.
  var needsLookAtParked = false
  /// What was put into the folder by steps that the index didn't get to know of.
  var arrived: Set<RecordID> = []
  /// Whether a step failed in this turn, maybe after it put something into the folder.
  var mayHaveFailedLate = false
  /// Whether mounts that stand in this folder may have to be looked after.
  var needsReferences = false
  /// Whether there are any.
  var hasReferences = false
  /// The contents read in this run, by their ids: their chunk lists aren't in the index.
  var contents: [ContentID: Content] = [:]
  var deferrals: [RecordID: Deferred] = [:]
  var kept = KeptFiles()
  /// Records to leave out of this turn's plan: they are looked at or read first.
  var skipped: Set<RecordID> = []
  var quietSince: [RecordID: QuietSince] = [:]
  var stalls: [RecordID: Int] = [:]
  /// What was told of records that have to wait.
  var troubles: [RecordID: Problem] = [:]
  /// What the zone gave when it refused something for want of a right or of room.
  var refusedUnder: Welcome?
  /// What was refused so, as the disk showed it then.
  var unwelcome: [RecordID: NodeRow.Local?] = [:]
  /// Whether the disk was looked at since the last turn.
  var didLook = false
  /// Whether links may have changed since they were last looked at, and whether the folder was
  /// shared then.
  var needsLinkCheck = true
  var noticedShare = false
  /// Whether the folder wasn't the one that was attached when it was last looked at.
  var isLost = false
  /// What was to be deleted in the zone, was found to be there, and was looked at again.
  var lookedAgain: Set<RecordID> = []
  /// Whether the folder is a copy of the one of the last run, and wasn't looked at yet.
  var isCopy = false
  /// What may have been damaged when the machine stopped, as the first look found it.
  var suspects: [RecordID: NodeRow.Local] = [:]
  /// How the machine stopped since the last run.
  var lastStop = DamageRule.LastStop.none
  /// Where there was too little room last.
  var shortage: Room?
  /// Whether this run is written down in the index.
  var isRunNoted = false
  /// Whether files were read that may not be on the disk yet.
  var hasRead = true
  /// Until when deletions are gathered, by the engine's clock.
  var gathering: Int64 = .min / 2
  /// The deletions that were counted as they came, until both sides agree again.
  var braked: Set<RecordID> = []
  /// Judges what was deleted here.
  var brake = DeletionBrake()
  /// Since when deletions wait for a word, in nanoseconds since 1970.
  var heldSince: Int64?
  /// When it is looked again whether what was deleted turned up in another mount, by the engine's
  /// clock, and how often it was looked.
  var heldLook: (due: Int64, count: Int)?
  /// Whether the numbers of what waits may have changed.
  var isHeldStale = false
  /// When it was last counted which side waits, by the engine's clock.
  var pendingCounted: Int64 = .min / 2
  var hints: [FolderHint] = []
  var listHints: Set<FolderHint> = []
  /// Directories that couldn't be read.
  var unread = Unread()
  /// Directories that the engine itself renamed: hints about what is in them may still name the
  /// old path, and nobody will say it again under the new one.
  var ownMoves: Set<[UInt8]> = []

  /// Joins a folder and a zone; nothing is touched before `attach`.
  public init(
    zone: Zone, scope: MountScope = MountScope(), path: [UInt8], index: FolderIndex,
    settings: Settings, clock: any MountClock, disk: any Disk = SystemDisk()
  ) {
    self.zone = zone
    self.scope = scope
    self.path = path
    self.index = index
    self.settings = settings
    self.clock = clock
    self.disk = disk
  }

  /// What the folder mirrors.
  public var part: ZonePart { ZonePart(zone.id, base: scope.base) }
  /// The one file that is mirrored, under its name on the disk; nil for a folder.
  var only: OnlyFile? { scope.only.map { OnlyFile(name: $0, id: scope.base) } }
  var stagingName: FileNameBytes { Staging.folder(of: part, isFile: scope.only != nil) }

  // MARK: Hints

  /// Something may have changed there; the path is relative to the folder.
  public func hint(changed hint: FolderHint) { hints.append(hint) }

  /// Something may have changed at these paths, where directories stand now.
  func hint(changed paths: [[UInt8]]) { hints += paths.map { FolderHint($0) } }

  /// A whole directory may have changed.
  public func hint(tree hint: FolderHint) { listHints.insert(hint) }

  /// Anything may have changed: events were lost, or nobody watched.
  public func hintEverything() { needsFullScan = true }

  /// The zone's log may have grown.
  public func hintZone() { needsPull = true }

  /// Tries again at once what waits for its time; somebody wants to know.
  public func retryNow() {
    yieldsUntil = .min / 2
    let last: Set<Deferred.Reason> = [.busy, .held, .unwelcome]
    for (id, deferral) in deferrals where !last.contains(deferral.reason) { deferrals[id] = nil }
    unread.retryNow()
  }

  // MARK: Turns

  /// What a turn came to.
  public enum Turn: Sendable, Equatable {
    /// There is more to do right now.
    case more
    /// Nothing to do until a hint comes, or until that time of the engine's clock.
    case idle(until: Int64?)
    /// The mount is over: what the owner of the engine has to do then depends on why.
    case ended(Departure)
  }

  /// Does one bounded piece of work.
  /// - Throws: `CloudError` if the container can't be used now, `FolderError` if the folder can't,
  ///   and what SQLite says about the index. Everything about single paths is in `report`.
  public func turn() throws -> Turn {
    do { try findRoot() } catch let error as FolderError {
      guard try isRootDeleted() else { throw error }
      return .ended(.rootDeleted)
    }
    guard clock.now >= yieldsUntil else { return .idle(until: yieldsUntil) }
    try recognizeOwnActs()
    try look()
    try forgetStrays()
    try pullIfNeeded()
    if let departure = try departure() { return .ended(departure) }
    try showPermission()
    if needsReferences { try tendReferences() }
    try checkKept()
    try retryWelcome()
    let batch = try undoMoves(nextBatch())
    guard !batch.isEmpty else {
      // What was found on the way is looked at before anybody is told that all is done.
      if needsPull || !hints.isEmpty || !listHints.isEmpty || !ownMoves.isEmpty { return .more }
      try noticeLinks()
      try tendHeld()
      try noteRun()
      try noteCompared()
      tellRoom()
      try countPending(exactly: true)
      try solveNeedless()
      if report.progress.isSettled { forgetFinishedWork() }
      return .idle(until: nextDeadline())
    }
    try readContents(batch)
    try advance(batch)
    try countPending(exactly: false)
    return .more
  }

  /// What is only needed while there is work goes, so that an idle daemon is small.
  private func forgetFinishedWork() {
    contents = [:]
    stalls = [:]
    quietSince = [:]
  }

  /// Gives back what the indexes remember of their files; for the moment when work runs out.
  /// - Throws: what SQLite says about an index.
  public func releaseMemory() throws {
    try index.releaseMemory()
    try zone.releaseMemory()
  }

  /// Whether nothing is left to do for what is known now, displaced files included, but for
  /// deletions that wait for a word.
  public var isSettled: Bool { report.progress.isSettled && kept.isQuiet && unread.isQuiet }

  func pullIfNeeded() throws {
    guard needsPull else { return }
    needsPull = false
    do { try pull() } catch {
      needsPull = true
      // What is changed here meanwhile is counted, and waits.
      try countPending(exactly: true)
      throw error
    }
  }

  func pull() throws {
    for refusal in try zone.pull().refused { report.note(refusal) }
    try noteBeginning()
    try checkBase()
    try takeRemoteChanges()
  }

  /// Marks what changed in the zone since the mount's change token.
  func takeRemoteChanges() throws {
    var isComplete = false
    isHeldStale = true
    while !isComplete {
      let token = try index.read(mount) { (seen: try $0.seen, head: try $0.seenHead) }
      let head = zone.header.sequence
      let changes = try zone.read { view in
        try Self.check(token, in: view)
        return token.seen < head ? try view.changes(after: token.seen, limit: 5_000) : nil
      }
      guard let changes else { return }
      try mark(changes.ids, through: changes.through)
      for id in changes.ids { deferrals[id] = nil }
      needsReferences = true
      report.progress.arrived += changes.ids.count
      isComplete = changes.through >= head
    }
  }

  /// The dirty records to work on now: those that wait for a time stay out until it comes. Who lost
  /// a race tries again before it turns to what others sent, or the slowest of many writers would
  /// lose for as long as the others write; but not for ever.
  private func nextBatch() throws -> [RecordID] {
    let now = clock.now
    for (id, deferral) in deferrals where deferral.until <= now { deferrals[id]?.isDue = true }
    let waiting = deferrals.filter { !$0.value.isDue }
    let limit = Self.batchLimit + waiting.count
    return try index.read(mount) { tree in
      if lostRaces % 8 != 0 {
        let own = try tree.dirty(limit: limit, side: .local).filter { waiting[$0] == nil }
        if !own.isEmpty { return own }
      }
      return try tree.dirty(limit: limit).filter { waiting[$0] == nil }
    }
  }

  private func nextDeadline() -> Int64? {
    ([kept.nextDeadline, heldLook?.due, unread.due] + deferrals.values.map(\.until))
      .compactMap { $0 }.min()
  }

  static let batchLimit = 4_000
}

/// The engine's clock: monotonic nanoseconds for waiting, wall time for names that people read. No
/// decision about records depends on it.
public protocol MountClock: Sendable {
  /// Monotonic nanoseconds.
  var now: Int64 { get }
  /// The time of day in nanoseconds since 1970.
  var date: Int64 { get }
  /// Year, month, day, hour and minute of local time.
  var wall: (year: Int, month: Int, day: Int, hour: Int, minute: Int) { get }
}
