import CairnPlan
import CairnReplica
import CairnZone

/// An engine's state between sync cycles, in parts with their own rules, and the zone, the index,
/// the disk and the clock that its parts need. The types that work on it (`FolderScan`,
/// `ReconcileBatch`, `FolderSteps`, ...) keep nothing beyond a sync cycle.
final class MountState {
  /// The zone that the folder mirrors, or a part of it.
  let zone: Zone
  /// The folder's absolute path.
  let path: [UInt8]
  let settings: MountSettings
  let index: FolderIndex
  let clock: any MountClock
  private let realDisk: any Disk
  /// The disk as the engine sees it: without abilities that the file system doesn't have.
  var disk: any Disk {
    guard let traits = report.disk.fileSystem, traits.isLimited else { return realDisk }
    return NamedDisk(realDisk, traits)
  }
  let endWatch: EndWatch
  /// The events, for `cairn events`.
  let report = MountReport()
  /// The transfers beside the sync cycle, and their complete files.
  let transfers: Transfers
  /// The function that receives the directories which a scan sees.
  let onDirectories: ([FolderHint]) -> Void

  /// The records of the zone that the folder shows.
  var scope: MountScope
  /// The folder, if it is attached.
  var folder = MountRoot.unattached
  /// The parts to scan.
  var scanQueue = ScanQueue()
  /// The waiting records, and the reasons.
  var retries = RetryQueue()
  /// The state of the exchange with the zone's log.
  var zoneSync = ZoneSyncState()
  /// Applied steps that the index doesn't have yet.
  var portion = Portion.written
  /// The replaced files that wait for their second check.
  var displaced = DisplacedFiles()
  /// Deletions that wait for others, or for a confirmation.
  var held = HeldDeletions()
  /// The end of the previous run.
  var lastRun = LastRun()
  /// The places of other mounts.
  var references = References()
  /// The person's permission, and its effect on the files.
  var permission = ShownPermission()
  /// The times of the next notices about links and counts.
  var notices = Notices()

  init(
    zone: Zone, scope: MountScope, path: [UInt8], index: FolderIndex,
    settings: MountSettings, clock: any MountClock, disk: any Disk, transfers: Transfers,
    onDirectories: @escaping ([FolderHint]) -> Void
  ) {
    self.transfers = transfers
    self.onDirectories = onDirectories
    self.zone = zone
    endWatch = EndWatch(zone)
    self.scope = scope
    self.path = path
    self.index = index
    self.settings = settings
    self.clock = clock
    realDisk = disk
  }

  /// Adopts the traits of the folder's file system; nil until they are known.
  func adopt(_ traits: FileSystemTraits?) { report.disk.fileSystem = traits }

  /// The part of a zone that the folder mirrors.
  var part: ZonePart { ZonePart(zone.id, base: scope.base) }
  /// The one mirrored file under its name on the disk; nil for a folder.
  var only: OnlyFile? { scope.only.map { OnlyFile(name: $0, id: scope.base) } }
  /// A Boolean value that indicates whether this person can only view now.
  var isReadOnly: Bool { permission.isReadOnly }
  var mount: Int64 { folder.attached?.mount ?? 0 }
  var root: Descriptor? { folder.attached?.root }
  /// The staging folders of an attached folder; this opens them if they are closed. Nil if `.cairn`
  /// is gone.
  var staging: Staging? { get throws(FolderError) { try folder.attached?.staging.open() } }
  var scanner: Scanner? { folder.attached?.scanner }
  var identity: FileStat? { folder.attached?.identity }
  /// The largest length of the path of a directory in the folder.
  var longestPath: Int { Descriptor.longestPath(below: path) }
  var stagingName: FileNameBytes { Staging.folder(of: part, isFile: scope.only != nil) }

  /// Tries everything that the file system of the folder may not keep.
  func probeFileSystem() throws -> FileSystemTraits {
    guard folder.attached != nil else {
      throw FolderError(.detached, path, "the folder isn't attached")
    }
    let directory = try Descriptor.openRoot(path, on: realDisk).openDirectory(
      [stagingName, Array("staging".utf8)])
    return try FileSystemTraits.probe(in: directory, isThorough: true)
  }

  // MARK: The index

  /// Reads this mount's rows of the index, all as of one moment.
  func read<Result>(_ body: (FolderTree) throws -> Result) throws -> Result {
    try index.read(mount, body)
  }

  /// Changes this mount's rows of the index, all or nothing.
  func write<Result>(_ body: (FolderTree) throws -> Result) throws -> Result {
    try index.write(mount, body)
  }

  /// Changes this mount's rows with the next transaction. The change is lost if that one fails, or
  /// if the process ends before: then the sync cycle must find it again.
  func writeSoon(_ body: (FolderTree) throws -> Void) throws {
    try index.writeSoon(mount, body)
  }

  /// Changes this mount's rows so that a power cut doesn't undo it.
  func writeDurably(_ body: (FolderTree) throws -> Void) throws {
    try index.writeDurably(mount, body)
  }

  /// Calls the planner with the three trees as they are now.
  func planning<Result>(
    holdsDeletions: Bool = false, _ decide: (MountTrees) throws -> Result
  ) throws -> Result {
    try zone.read { view in
      try read { tree in
        try decide(
          MountTrees(
            zone: view, folder: tree, scope: scope, holdsDeletions: holdsDeletions,
            mayBeOlder: folder.attached?.isCompared != true,
            startsAfter: folder.attached?.startsAfter ?? .max, lastRun: lastRun,
            fetched: transfers.fetched, longestPath: longestPath,
            wasCopied: { [retries, now = clock.now] in retries.wasCopied($0, for: $1, now) }))
      }
    }
  }

  // MARK: Where to look, and what waits

  /// Adds hints about the present paths of directories.
  func hint(changed paths: [[UInt8]]) { scanQueue.look(at: paths) }

  /// Notes that anything may have changed.
  func hintEverything() { scanQueue.lookEverywhere() }

  /// Lets a record wait, longer each time.
  func postpone(_ id: RecordID, _ reason: Wait.Reason, _ explanation: String) {
    if retries[id].wait?.reason != reason { notices.mayHaveBytes() }
    retries.postpone(id, reason, explanation, clock.now)
  }

  /// Reports a record that has to wait.
  func tell(_ problem: PathProblem, of id: RecordID) { retries.tell(problem, of: id, in: report) }

  /// Ends the reported problem of a record.
  func solve(_ id: RecordID) { retries.solve(id, in: report) }

  /// Counts the ignored names, if they may have changed.
  func countIgnored() throws {
    guard notices.mayHaveIgnored else { return }
    report.ignored = try write { try $0.ignored.count() }
    notices.mayHaveIgnored = false
  }

  /// Ends the problems of records that came in order without the failed step: because somebody
  /// deleted them, for example.
  func solveNeedless() throws {
    let candidates = retries.perhapsNeedless
    guard !candidates.isEmpty else { return }
    let needless = try read { tree in try candidates.filter { try !tree.isDirty($0) } }
    for id in needless { solve(id) }
  }

  // MARK: Invariants

  /// Checks the rules that hold between any two sync cycles, also after an error: those of each
  /// part, and those between the parts.
  /// - Returns: The rule that is broken; nil if none is.
  /// - Complexity: O(*n*) in the number of transfers that began or ended since the last check.
  func findBrokenRule() -> String? {
    if case .staged = portion { return "steps wait half way into the folder" }
    if held.since == nil, report.held != nil {
      return "people are told of deletions that don't wait"
    }
    return transfers.findBrokenRule() ?? retries.brokenRule ?? scanQueue.brokenRule
      ?? held.brokenRule ?? lastRun.brokenRule
  }
}
