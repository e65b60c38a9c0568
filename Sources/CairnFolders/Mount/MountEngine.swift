public import CairnCloud
import CairnPlan
import CairnZone
import Glibc

/// One mounted folder and its zone, brought to agreement turn by turn: look, read, plan, act. It
/// has one owner, which calls it from one thread at a time; it never waits and never wakes by
/// itself. It owns the order of a turn and nothing else: what is remembered from one to the next is
/// in the parts of `MountState`, what is done in a turn in the types that its steps name. It must
/// not know stores or encryption.
public final class MountEngine {
  /// What the owner decides about a mount.
  public struct Settings: Sendable {
    /// Who stands in the names of conflict copies: this person's handle.
    public var handle: String
    /// Who stands in the names of conflict copies: this machine's name.
    public var host: String
    /// Names files on their way; different at each start.
    public var token: String

    /// Which start of the machine this is, and which mounting of the file system that the index is
    /// on, in a text that is only compared; nil if that isn't known.
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

  let state: MountState

  /// Joins a folder and a zone; nothing is touched before `attach`. `onDirectories` gets the
  /// directories that a look sees, by their paths in the folder and their inodes, while the look
  /// goes on: whoever watches the folder may not know one of them.
  public init(
    zone: Zone, scope: MountScope = MountScope(), path: [UInt8], index: FolderIndex,
    settings: Settings, clock: any MountClock, disk: any Disk = SystemDisk(),
    onDirectories: @escaping ([FolderHint]) -> Void = { _ in }
  ) {
    state = MountState(
      zone: zone, scope: scope, path: path, index: index, settings: settings, clock: clock,
      disk: disk, onDirectories: onDirectories)
  }

  /// The zone that the folder mirrors, or a part of it.
  public var zone: Zone { state.zone }
  /// Which records of the zone the folder shows.
  public var scope: MountScope { state.scope }
  /// The folder's absolute path.
  public var path: [UInt8] { state.path }
  /// What the folder mirrors.
  public var part: ZonePart { state.part }
  /// What happened, for `cairn events`; the owner takes it after each turn.
  public var report: MountReport { state.report }
  /// Who owns the mounts that may stand in this one's folder.
  public var nested: (any NestedMounts)? {
    get { state.references.owner }
    set { state.references.owner = newValue }
  }

  // MARK: Hints

  /// Something may have changed there; the path is relative to the folder.
  public func hint(changed hint: FolderHint) { state.attention.look(at: [hint]) }

  /// A whole directory may have changed.
  public func hint(tree hint: FolderHint) { state.attention.look(in: hint) }

  /// Anything may have changed: events were lost, or nobody watched.
  public func hintEverything() { state.hintEverything() }

  /// The zone's log may have grown.
  public func hintZone() { state.exchange.needsPull = true }

  /// Tries again at once what waits for its time; somebody wants to know.
  public func retryNow() {
    state.exchange.retryNow()
    state.agenda.retryNow()
    state.attention.retryNow()
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

  /// Does one bounded piece of work. The order is the protocol:
  ///
  /// 1. The folder must be the one that is mirrored, or an empty mount point would be a deletion.
  /// 2. What an earlier turn did and couldn't write is written, or it would seem a person's doing.
  /// 3. The folder is looked at, then the log is read: both trees are as new as can be.
  /// 4. Who has no right to be here any more is shown out before anything is planned.
  /// 5. What stands in the folder and isn't this mount's to plan comes first: modes, other mounts,
  ///    displaced files, and what waits for a right.
  /// 6. A batch of what differs is read, planned and carried out: in the folder first, then in the
  ///    zone, so that a deletion that leaves was looked at last of all (`advance`).
  ///
  /// What is noted on the way is durable before the next step relies on it, so a turn may end
  /// anywhere: the next one begins with what this one left.
  /// - Throws: `CloudError` if the container can't be used now, `FolderError` if the folder can't,
  ///   and what SQLite says about the index. Everything about single paths is in `report`.
  public func turn() throws -> Turn {
    defer {
      assert(
        {
          state.checkInvariants(); return true
        }())
    }
    do { try RootCheck(state).findRoot() } catch let error as FolderError {
      guard try DepartureCheck(state).isRootDeleted() else { throw error }
      return .ended(.rootDeleted)
    }
    try RunKeeper(state).noteCalendar()
    if let end = state.exchange.pause(state.clock.now) { return .idle(until: end) }
    try FolderSteps(state).finishPortion()
    try ParkedFiles(state).takeUpIfNeeded()
    try recognizeOwnCommit()
    try FolderLook(state).look()
    try JournalKeeper(state).settleJournal()
    try ZonePull(state).pullIfNeeded()
    try ParkedFiles(state).takeUpUnknown()
    if let departure = try departure() { return .ended(departure) }
    try PermissionKeeper(state).showPermission()
    if state.references.areDue, try ReferenceKeeper(state).tendReferences() { return .more }
    try SecondLook(state).lookAgain()
    try AllowanceKeeper(state).retryRefused()
    let batch = try Arrivals(state).keepIdentity(MoveBack(state).undoMoves(nextBatch()))
    guard !batch.isEmpty else { return try rest() }
    try PendingRecords(state).countPending(exactly: false)
    try ContentReading(state).readContents(batch)
    try Advance(state).advance(batch)
    try PendingRecords(state).countPending(exactly: false)
    return .more
  }

  /// What the zone took of a commit whose answer got lost is found out before the folder is looked
  /// at. While that can't be found out, what changes meanwhile is counted all the same.
  private func recognizeOwnCommit() throws {
    guard state.exchange.mayHaveSent else { return }
    do { try SentCommits(state).recognizeOwnCommit() } catch let error as CloudError {
      try PendingRecords(state).countUnseen()
      throw error
    }
  }

  /// Nothing differs that could be planned now: brings up to date what people are told, and what
  /// the index notes of that.
  private func rest() throws -> Turn {
    // What was found on the way is looked at before anybody is told that all is done.
    if state.exchange.needsPull || state.attention.hasNews { return .more }
    try LinkNotices(state).noticeLinks()
    try state.countIgnored()
    try DeletionGate(state).tendHeld()
    try RunKeeper(state).noteRun()
    try Comparison(state).noteCompared()
    RoomKeeper(state).tellRoom()
    if state.agenda.count(.container) == 0 { ZoneCommits(state).sendAgain() }
    try PendingRecords(state).countPending(exactly: true)
    try state.solveNeedless()
    if report.progress.isSettled {
      // An idle daemon is small.
      state.exchange.contents = [:]
      state.agenda.forgetFinishedWork()
    }
    return .idle(until: nextDeadline())
  }

  /// The dirty records to work on now: those that wait for a time stay out until it comes.
  private func nextBatch() throws -> [RecordID] {
    state.agenda.makeDue(state.clock.now)
    let waiting = state.agenda.notDue
    let limit = Self.batchLimit + waiting.count
    return try state.read { tree in
      if state.exchange.sendsFirst {
        let own = try tree.dirty(limit: limit, side: .local).filter { !waiting.contains($0) }
        if !own.isEmpty { return own }
      }
      return try tree.dirty(limit: limit).filter { !waiting.contains($0) }
    }
  }

  private func nextDeadline() -> Int64? {
    [
      state.displaced.nextDeadline, state.held.deadline, state.attention.unread.due,
      state.agenda.deadline,
    ].compactMap { $0 }.min()
  }

  private static let batchLimit = 4_000

  /// Checks what holds between any two turns, however the last one ended. Debug builds do it after
  /// each turn by themselves.
  public func checkInvariants() { state.checkInvariants() }

  /// Gives back what the indexes remember of their files; for the moment when work runs out.
  /// - Throws: what SQLite says about an index.
  public func releaseMemory() throws {
    try state.index.releaseMemory()
    try zone.releaseMemory()
  }

  /// Whether nothing is left to do for what is known now, displaced files included, but for
  /// deletions that wait for a word.
  public var isSettled: Bool {
    report.progress.isSettled && state.displaced.isQuiet && state.attention.unread.isQuiet
  }
}
