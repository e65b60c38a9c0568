import CairnCloud
import CairnPlan
import CairnZone

/// What an engine remembers from one turn to the next, in parts, each with the rules that hold for
/// it; and what all who work on it need: the zone, the index, the disk and the clock. Those who
/// work on it (`FolderLook`, `Advance`, `FolderSteps`, ...) own nothing that outlives a turn.
final class MountState {
  /// The zone that the folder mirrors, or a part of it.
  let zone: Zone
  /// The folder's absolute path.
  let path: [UInt8]
  let settings: MountEngine.Settings
  let index: FolderIndex
  let clock: any MountClock
  let disk: any Disk
  /// What happened, for `cairn events`.
  let report = MountReport()
  /// Who is told of the directories that a look sees.
  let onDirectories: ([FolderHint]) -> Void

  /// Which records of the zone the folder shows.
  var scope: MountScope
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
  var displaced = DisplacedFiles()
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

  init(
    zone: Zone, scope: MountScope, path: [UInt8], index: FolderIndex,
    settings: MountEngine.Settings, clock: any MountClock, disk: any Disk,
    onDirectories: @escaping ([FolderHint]) -> Void
  ) {
    self.onDirectories = onDirectories
    self.zone = zone
    self.scope = scope
    self.path = path
    self.index = index
    self.settings = settings
    self.clock = clock
    self.disk = disk
  }

  /// What the folder mirrors.
  var part: ZonePart { ZonePart(zone.id, base: scope.base) }
  /// The one file that is mirrored, under its name on the disk; nil for a folder.
  var only: OnlyFile? { scope.only.map { OnlyFile(name: $0, id: scope.base) } }
  /// Whether this person may not write now.
  var isReadOnly: Bool { permission.isReadOnly }
  var mount: Int64 { folder.attached?.mount ?? 0 }
  var root: Descriptor? { folder.attached?.root }
  var staging: Staging? { folder.attached?.staging }
  var scanner: Scanner? { folder.attached?.scanner }
  var identity: FileStat? { folder.attached?.identity }
  var stagingName: FileNameBytes { Staging.folder(of: part, isFile: scope.only != nil) }

  // MARK: The index

  /// Reads this mount's rows of the index, all as of one moment.
  func read<Result>(_ body: (FolderTree) throws -> Result) throws -> Result {
    try index.read(mount, body)
  }

  /// Changes this mount's rows of the index, all or nothing.
  func write<Result>(_ body: (FolderTree) throws -> Result) throws -> Result {
    try index.write(mount, body)
  }

  /// Changes them so that a power cut doesn't take it back.
  func writeDurably(_ body: (FolderTree) throws -> Void) throws {
    try index.writeDurably(mount, body)
  }

  /// Asks the pure core about the three trees as they are now.
  func planning<Result>(
    holdsDeletions: Bool = false, _ decide: (MountTrees) throws -> Result
  ) throws -> Result {
    try zone.read { view in
      try read { tree in
        try decide(
          MountTrees(
            zone: view, folder: tree, scope: scope, holdsDeletions: holdsDeletions,
            mayBeOlder: folder.attached?.isCompared != true,
            startsAfter: folder.attached?.startsAfter ?? .max, lastRun: lastRun))
      }
    }
  }

  // MARK: Where to look, and what waits

  /// Something may have changed at these paths, where directories stand now.
  func hint(changed paths: [[UInt8]]) { attention.look(at: paths) }

  /// Anything may have changed.
  func hintEverything() { attention.lookEverywhere() }

  /// Lets a record wait, longer each time.
  func postpone(_ id: RecordID, _ reason: Wait.Reason, _ explanation: String) {
    agenda.postpone(id, reason, explanation, clock.now)
  }

  /// Tells of a record that has to wait.
  func tell(_ problem: Problem, of id: RecordID) { agenda.tell(problem, of: id, in: report) }

  /// What was told of a record is over.
  func solve(_ id: RecordID) { agenda.solve(id, in: report) }

  /// Counts what is left out of the mirror, if that may have changed.
  func countIgnored() throws {
    guard notices.mayHaveIgnored else { return }
    report.ignored = try write { try $0.countIgnored() }
    notices.mayHaveIgnored = false
  }

  /// A record comes in order without the step that failed, too: somebody deletes it, say.
  func solveNeedless() throws {
    let candidates = agenda.perhapsNeedless
    guard !candidates.isEmpty else { return }
    let needless = try read { tree in try candidates.filter { try !tree.isDirty($0) } }
    for id in needless { solve(id) }
  }

  // MARK: Invariants

  /// Checks what holds between any two turns, however the last one ended: each part what it owns,
  /// and here what holds between them.
  func checkInvariants() {
    agenda.checkInvariants()
    attention.checkInvariants()
    held.checkInvariants()
    lastRun.checkInvariants()
    if case .staged = portion { preconditionFailure("steps wait half way into the folder") }
    precondition(
      held.since != nil || report.held == nil, "people are told of deletions that don't wait")
  }
}
