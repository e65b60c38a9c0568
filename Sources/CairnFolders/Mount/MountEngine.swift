public import CairnCloud
import CairnPlan
import CairnZone
import Glibc

/// One mounted folder and its zone, brought to agreement turn by turn: look, read, plan, act. It
/// has one owner, which calls it from one thread at a time; it never waits and never wakes by
/// itself. What it remembers from one turn to the next is in its parts, each with the rules that
/// hold for it. It must not know stores or encryption.
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
  /// What happened, for `cairn events`; the owner takes it after each turn.
  public let report = MountReport()

  /// The folder, if it is there.
  var folder = MountRoot.unattached
  /// Where to look.
  var attention = Attention()
  /// What waits, and why.
  var agenda = Agenda()
  /// How it stands with the zone's log.
  var exchange = Exchange()
  /// Steps that were carried out, until the index has them.
  var portion = Portion.written
  /// The files that were displaced and wait for their second look.
  var kept = KeptFiles()
  /// Deletions that wait for more of them, or for a word.
  var held = HeldDeletions()
  /// How the run before this one ended.
  var lastRun = LastRun()
  /// The places where other mounts stand.
  var references = References()
  /// What the person may do, and what the files show of it.
  var permission = ShownPermission()
  /// When people are told of links and numbers again.
  var notices = Notices()

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
  /// Who owns the mounts that may stand in this one's folder.
  public var nested: (any NestedMounts)? {
    get { references.owner }
    set { references.owner = newValue }
  }
  /// Whether this person may not write now.
  var isReadOnly: Bool { permission.isReadOnly }
  var mount: Int64 { folder.attached?.mount ?? 0 }
  var root: Descriptor? { folder.attached?.root }
  var staging: Staging? { folder.attached?.staging }
  var scanner: Scanner? { folder.attached?.scanner }
  var identity: FileStat? { folder.attached?.identity }
  var stagingName: FileNameBytes { Staging.folder(of: part, isFile: scope.only != nil) }

  // MARK: Hints

  /// Something may have changed there; the path is relative to the folder.
  public func hint(changed hint: FolderHint) { attention.look(at: [hint]) }

  /// Something may have changed at these paths, where directories stand now.
  func hint(changed paths: [[UInt8]]) { attention.look(at: paths) }

  /// A whole directory may have changed.
  public func hint(tree hint: FolderHint) { attention.look(in: hint) }

  /// Anything may have changed: events were lost, or nobody watched.
  public func hintEverything() { attention.lookEverywhere() }

  /// The zone's log may have grown.
  public func hintZone() { exchange.needsPull = true }

  /// Tries again at once what waits for its time; somebody wants to know.
  public func retryNow() {
    exchange.retryNow()
    agenda.retryNow()
    attention.retryNow()
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
          checkInvariants(); return true
        }())
    }
    do { try findRoot() } catch let error as FolderError {
      guard try isRootDeleted() else { throw error }
      return .ended(.rootDeleted)
    }
    if let end = exchange.pause(clock.now) { return .idle(until: end) }
    try finishPortion()
    if attention.needsParked, let staging { try takeUpParked(staging) }
    if exchange.mayHaveSent { try recognizeOwnCommit() }
    try look()
    try settleJournal()
    try pullIfNeeded()
    if let departure = try departure() { return .ended(departure) }
    try showPermission()
    if references.areDue { try tendReferences() }
    try checkKept()
    try retryWelcome()
    let batch = try undoMoves(nextBatch())
    guard !batch.isEmpty else { return try rest() }
    try readContents(batch)
    try advance(batch)
    try countPending(exactly: false)
    return .more
  }

  /// Nothing differs that could be planned now: brings up to date what people are told, and what
  /// the index notes of that.
  private func rest() throws -> Turn {
    // What was found on the way is looked at before anybody is told that all is done.
    if exchange.needsPull || attention.hasNews { return .more }
    try noticeLinks()
    try tendHeld()
    try noteRun()
    try noteCompared()
    tellRoom()
    try countPending(exactly: true)
    try solveNeedless()
    if report.progress.isSettled {
      // An idle daemon is small.
      exchange.contents = [:]
      agenda.forgetFinishedWork()
    }
    return .idle(until: nextDeadline())
  }

  /// Checks what holds between any two turns, however the last one ended: each part what it owns,
  /// and here what holds between them. Debug builds do it after each turn by themselves.
  public func checkInvariants() {
    agenda.checkInvariants()
    attention.checkInvariants()
    held.checkInvariants()
    lastRun.checkInvariants()
    if case .staged = portion { preconditionFailure("steps wait half way into the folder") }
    precondition(
      held.since != nil || report.held == nil, "people are told of deletions that don't wait")
  }

  /// Gives back what the indexes remember of their files; for the moment when work runs out.
  /// - Throws: what SQLite says about an index.
  public func releaseMemory() throws {
    try index.releaseMemory()
    try zone.releaseMemory()
  }

  /// Whether nothing is left to do for what is known now, displaced files included, but for
  /// deletions that wait for a word.
  public var isSettled: Bool {
    report.progress.isSettled && kept.isQuiet && attention.unread.isQuiet
  }

  func pullIfNeeded() throws {
    guard exchange.needsPull else { return }
    exchange.needsPull = false
    do { try pull() } catch {
      exchange.needsPull = true
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
    held.mayHaveChanged()
    while !isComplete {
      let token = try index.read(mount) { (seen: try $0.seen, head: try $0.seenHead) }
      let head = zone.header.sequence
      let changes = try zone.read { view in
        try Self.check(token, in: view)
        return token.seen < head ? try view.changes(after: token.seen, limit: 5_000) : nil
      }
      guard let changes else { return }
      try mark(changes.ids, through: changes.through)
      for id in changes.ids { agenda.release(id) }
      references.areDue = true
      report.progress.arrived += changes.ids.count
      isComplete = changes.through >= head
    }
  }

  /// The dirty records to work on now: those that wait for a time stay out until it comes.
  private func nextBatch() throws -> [RecordID] {
    agenda.makeDue(clock.now)
    let waiting = agenda.notDue
    let limit = Self.batchLimit + waiting.count
    return try index.read(mount) { tree in
      if exchange.sendsFirst {
        let own = try tree.dirty(limit: limit, side: .local).filter { !waiting.contains($0) }
        if !own.isEmpty { return own }
      }
      return try tree.dirty(limit: limit).filter { !waiting.contains($0) }
    }
  }

  private func nextDeadline() -> Int64? {
    [kept.nextDeadline, held.deadline, attention.unread.due, agenda.deadline]
      .compactMap { $0 }.min()
  }

  static let batchLimit = 4_000
}
