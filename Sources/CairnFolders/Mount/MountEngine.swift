import CairnIdentity
import CairnPlan
import CairnReplica
import CairnZone
import Glibc

/// One mounted folder and its zone. Sync cycles make them equal: scan, read, plan, act. The engine
/// has one owner, which calls it from one thread at a time. It never waits and never wakes by
/// itself. It owns only the order of a sync cycle. The memory between two cycles is in the parts of
/// `MountState`, and the work of a cycle in the types that its steps name. It must not know stores
/// or encryption.
public final class MountEngine {
  let state: MountState
  /// The broken rule that stopped the mount for the rest of this run; nil if none did.
  public private(set) var brokenRule: String?

  /// Creates an engine for a folder and a zone; nothing is touched before `attach`. `onDirectories`
  /// gets the directories that a scan sees, with their paths in the folder and their inodes, while
  /// the scan runs: the watch program may not know one of them. `executor` carries out transfers;
  /// `onTransfer` is called on any thread when a sync cycle can continue with the result of one.
  public init(
    zone: Zone, scope: MountScope = MountScope(), path: [UInt8], index: FolderIndex,
    settings: MountSettings, clock: any MountClock, disk: any Disk = SystemDisk(),
    executor: any TransferExecutor = TransfersAtOnce(),
    onTransfer: @escaping @Sendable () -> Void = {},
    onDirectories: @escaping ([FolderHint]) -> Void = { _ in }
  ) {
    state = MountState(
      zone: zone, scope: scope, path: path, index: index, settings: settings, clock: clock,
      disk: disk, transfers: Transfers(executor, onTransfer), onDirectories: onDirectories)
  }

  /// The zone that the folder mirrors, or a part of it.
  public var zone: Zone { state.zone }
  /// The records of the zone that the folder shows.
  public var scope: MountScope { state.scope }
  /// The folder's absolute path.
  public var path: [UInt8] { state.path }
  /// The part of a zone that the folder mirrors.
  public var part: ZonePart { state.part }
  /// The events for `cairn events`; the owner takes them after each sync cycle.
  public var report: MountReport { state.report }
  /// The owner of the mounts that may be in this one's folder.
  public var nested: (any NestedMounts)? {
    get { state.references.owner }
    set { state.references.owner = newValue }
  }

  // MARK: Hints

  /// Something may have changed there; the path is relative to the folder.
  public func hint(changed hint: FolderHint) { state.scanQueue.look(at: [hint]) }

  /// A whole directory may have changed.
  public func hint(tree hint: FolderHint) { state.scanQueue.look(in: hint) }

  /// Anything may have changed: events were lost, or nobody watched.
  public func hintEverything() { state.hintEverything() }

  /// The zone's log may have grown.
  public func hintZone() { state.zoneSync.needsPull = true }

  /// The store notified of the zone's log (`Zone.follow`), perhaps of this mount's own commit.
  public func hintLog() { state.zoneSync.isHinted = true }

  /// Retries everything that waits for a time at once, because somebody asks for the result.
  public func retryNow() {
    state.zoneSync.retryNow()
    state.retries.retryNow()
    state.scanQueue.retryNow()
  }

  // MARK: Turns

  /// The result of a sync cycle.
  public enum Turn: Sendable, Equatable {
    /// There is more to do right now.
    case more
    /// Nothing to do until a hint comes, or until that time of the engine's clock.
    case idle(until: Int64?)
    /// The mount is over. The next action of the engine's owner depends on the reason.
    case ended(Departure)
  }

  /// Performs one bounded piece of work. The order is the protocol:
  ///
  /// 1. The folder must be the mirrored one, or an empty mount point would be a deletion.
  /// 2. Steps of an earlier sync cycle that could not be written are written, or they would seem a
  ///    person's changes.
  /// 3. The folder is scanned, then the log is read: both trees are as new as possible.
  /// 4. A person without a right to be here is removed before anything is planned.
  /// 5. Entries of the folder that aren't planned by this mount come first: modes, other mounts,
  ///    replaced files, and changes that wait for a permission.
  /// 6. The results of transfers are taken in, and the bytes that a batch of differences needs are
  ///    handed out, in both directions. No sync cycle waits for them.
  /// 7. The differences with known bytes are planned and applied: in the folder first, then in the
  ///    zone, so that a deletion is checked last of all (`advance`).
  ///
  /// Each note is durable before the next step relies on it, so a sync cycle may end anywhere: the
  /// next one begins with its state.
  /// - Throws: `CloudError` if the container cannot be used now, or a rule of the state is broken;
  ///   `FolderError` if the folder cannot be used, and SQLite's error about the index. Everything
  ///   about single paths is in `report`.
  public func turn() throws -> Turn {
    if let brokenRule { throw Self.stop(brokenBy: brokenRule) }
    let turn = Result { try cycle() }
    brokenRule = state.findBrokenRule()
    if case .failure(let error as BrokenRule) = turn { brokenRule = error.rule }
    if let brokenRule { throw Self.stop(brokenBy: brokenRule) }
    return try turn.get()
  }

  /// The error of each sync cycle after a rule of the state was broken: a plan from such a state
  /// may be wrong.
  private static func stop(brokenBy rule: String) -> CloudError {
    CloudError(
      .internalError,
      "this folder isn't synced any more: a rule of Cairn's own is broken (\(rule))",
      remedy: "your files are in order; run `cairn stop` and `cairn start` to begin anew, and "
        + "report this with `cairn doctor --report FILE`")
  }

  /// Performs one sync cycle in one session of the index: it reads in one transaction between two
  /// changes.
  private func cycle() throws -> Turn {
    let turn = try state.index.session { try steps() }
    // Another mount's failed transaction may have taken marks of this one along.
    if case .idle = turn, state.zoneSync.noteLosses(state.index.losses) { return .more }
    return turn
  }

  private func steps() throws -> Turn {
    do { try RootCheck(state).findRoot() } catch let error as FolderError {
      guard try DepartureCheck(state).isRootDeleted() else { throw error }
      return .ended(.rootDeleted)
    }
    try CrashDamage(state).noteCalendar()
    if let end = state.zoneSync.pause(state.clock.now) { return .idle(until: end) }
    try FolderSteps(state).finishPortion()
    try ParkedFiles(state).takeUpIfNeeded()
    try recognizeOwnCommit()
    try FolderScan(state).look()
    try IntentLogKeeper(state).settleJournal()
    try ZonePull(state).pullIfNeeded()
    try MetadataKeeper(state).follow()
    try ParkedFiles(state).takeUpUnknown()
    if let departure = try departure() ?? MountSelection(state).departure(isAtRest: false) {
      state.transfers.cancelAll()
      return .ended(departure)
    }
    try TransferIntake(state).reconsider()
    try ModeBits(state).showPermission()
    state.references.makeDue(state.clock.now)
    if state.references.areDue, try NestedShareUpkeep(state).tendReferences() { return .more }
    try ReplacedFileCheck(state).lookAgain()
    try QuotaRetry(state).retryRefused()
    try TransferIntake(state).takeIn()
    let batch = try Arrivals(state).keepIdentity(MoveBack(state).undoMoves(nextBatch()))
    guard !batch.isEmpty else {
      let isAtRest = state.displaced.isQuiet
      if let end = try MountSelection(state).departure(isAtRest: isAtRest) { return .ended(end) }
      return try rest()
    }
    try PendingRecords(state).countPending(exactly: false)
    try Uploads(state).handOut(batch)
    try TransferIntake(state).takeIn()
    try ReconcileBatch(state).advance(batch)
    try PendingRecords(state).countPending(exactly: false)
    return .more
  }

  /// Determines whether the zone accepted a commit without an answer, before the folder is scanned.
  /// While that is unknown, the folder is scanned all the same, and nothing is planned.
  private func recognizeOwnCommit() throws {
    guard state.zoneSync.mayHaveSent else { return }
    do { try SentCommits(state).recognizeOwnCommit() } catch let error as CloudError {
      try SentCommits(state).rememberSent()
      try FolderScan(state).look()
      try PendingRecords(state).countPending(exactly: true)
      throw error
    }
  }

  /// Nothing can be planned now: updates the report for people, and the index's notes for it.
  private func rest() throws -> Turn {
    // Another mount's failed transaction may have taken marks of this one along: then not
    // everything was compared.
    if state.zoneSync.noteLosses(state.index.losses) { return .more }
    // What was found on the way is looked at before anybody is told that all is done.
    if state.zoneSync.needsPull || state.scanQueue.hasNews { return .more }
    try PendingRecords(state).forgetSettledWaits()
    try LinkNotices(state).noticeLinks()
    try state.countIgnored()
    try state.findOpenFiles()
    try RescueShelf(state).refreshConflicts()
    try DeletionGate(state).tendHeld()
    // Records whose bytes are under way are still to be planned.
    if !state.transfers.isActive {
      try CrashDamage(state).noteRun()
      try Comparison(state).noteCompared()
    }
    DiskSpace(state).tellRoom()
    try SelectionKeeper(state).count()
    try Downloads(state).dropSettled()
    if state.retries.count(.container) == 0 { ZoneCommits(state).sendAgain() }
    try PendingRecords(state).countPending(exactly: true)
    try state.solveNeedless()
    if report.progress.isSettled {
      // An idle daemon is small.
      state.zoneSync.contents = [:]
      state.retries.forgetFinishedWork()
      state.transfers.forgetFirst()
    }
    return .idle(until: nextDeadline())
  }

  /// Returns the dirty records to work on now, without those that wait for a time.
  private func nextBatch() throws -> [RecordID] {
    state.retries.makeDue(state.clock.now)
    let waiting = state.retries.notDue.union(state.transfers.underWay.keys)
    let limit = Self.batchLimit + waiting.count
    return try state.read { tree in
      if state.zoneSync.sendsFirst {
        let own = try tree.dirty(limit: limit, side: .local).filter { !waiting.contains($0) }
        if !own.isEmpty { return own }
      }
      return try tree.dirty(limit: limit).filter { !waiting.contains($0) }
    }
  }

  /// A Boolean value that indicates whether bytes are on their way, in either direction.
  public var isTransferring: Bool { state.transfers.isActive }

  /// The problems that keep changes waiting now, in either direction.
  public var hindrances: [PathProblem] {
    state.retries.told.values.sorted { $0.path.lexicographicallyPrecedes($1.path) }
      + [report.disk.shortage, report.refusal].compactMap { $0 }
  }

  private func nextDeadline() -> Int64? {
    [
      state.displaced.nextDeadline, state.held.deadline, state.scanQueue.unread.due,
      state.retries.deadline, state.references.deadline,
    ].compactMap { $0 }.min()
  }

  private static let batchLimit = 4_000

  /// Tries what the file system of the folder keeps, on files of Cairn's own.
  /// - Returns: The result.
  /// - Throws: `FolderError` if the folder isn't attached, or takes no files.
  public func probeFileSystem() throws -> FileSystemTraits { try state.probeFileSystem() }

  /// Drops the pages of index files from memory, at the end of work.
  /// - Throws: Any SQLite error of an index.
  public func releaseMemory() throws {
    try state.index.releaseMemory()
    try zone.releaseMemory()
  }

  /// Closes what the mount needs only while there is work.
  public func rest() { state.folder.attached?.staging.close() }

  /// A Boolean value that indicates whether nothing known is left to do, including replaced files,
  /// except for deletions that wait for a confirmation.
  public var isSettled: Bool {
    report.progress.isSettled && state.displaced.isQuiet && state.scanQueue.unread.isQuiet
      && state.references.areDecided
  }
}
