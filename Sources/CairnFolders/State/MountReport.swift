import CairnZone

/// A mount's reports to people: progress, problems, rescued files and events.
public final class MountReport {
  /// The progress, for a person who watches.
  public struct Progress: Sendable {
    /// The number of records that wait in either direction.
    public var pending = 0
    /// The number of these that wait for the person's confirmation (`Held`).
    public var waiting = 0
    /// The number of these that changed here and go to the zone.
    public var pendingLocal = 0
    /// The number of these that changed in the zone and come to the folder.
    public var pendingRemote = 0
    /// The number of records committed to the zone since the daemon started.
    public var sent = 0
    /// The number of changes received from the zone since the daemon started.
    public var arrived = 0
    /// The bytes of files read for the zone since the daemon started.
    public var bytesRead: UInt64 = 0
    /// The bytes of files written into the folder since the daemon started.
    public var bytesWritten: UInt64 = 0

    /// Creates the progress of a mount that has done nothing.
    public init() {}

    /// A Boolean value that indicates whether nothing waits except for a confirmation.
    public var isSettled: Bool { pending == waiting }
  }

  /// A file that was moved to the rescue folder for the person.
  public struct Rescued: Sendable, Hashable {
    /// The path of the bytes, relative to the folder.
    public var path: [UInt8]
    /// The earlier path.
    public var of: [UInt8]
    /// The reason.
    public var reason: String
    /// The time in nanoseconds since 1970.
    public var time: Int64
  }

  /// Deletions that wait for the person's confirmation, because they are so many at once.
  public struct Held: Sendable, Hashable {
    /// The number of files and symbolic links.
    public var files: Int
    /// The number of directories.
    public var directories: Int
    /// The number of files and symbolic links on which both sides had agreed.
    public var of: Int
    /// The time of the first, in nanoseconds since 1970.
    public var since: Int64
  }

  /// The records of the zone that aren't selected for the folder.
  public struct LeftOut: Sendable, Hashable {
    /// The number of files and symbolic links.
    public var files = 0
    /// The number of directories.
    public var directories = 0
    /// The sum of the files' sizes in bytes.
    public var bytes: UInt64 = 0
    /// A Boolean value that indicates whether nothing changed since they were counted.
    var isCurrent = true
  }

  /// The attributes beside the executable bit and the time.
  public struct Metadata: Sendable, Hashable {
    /// The attributes that the zone carries.
    public internal(set) var carried: CarriedAttributes = []
    /// Those of them that this device applies.
    public internal(set) var applied: CarriedAttributes = []
    /// A Boolean value that indicates whether this device applies what the zone of another person
    /// carries.
    public internal(set) var isChosen = false

    /// Creates the report of a folder that wasn't opened.
    public init() {}
  }

  /// An event, for `cairn events`.
  public enum Happening: Sendable, Hashable {
    /// Local changes are about to be committed to the zone.
    case sending(records: Int)
    /// Changes of the zone are about to be applied to the folder.
    case receiving(records: Int)
    /// Local changes were committed to the zone: their number, and the entry of its log.
    case sent(records: Int, sequence: UInt64)
    /// Changes that were about to be committed were not, for now; with the reason as a sentence.
    case notSent(reason: String)
    /// Changes of the zone were applied to the folder.
    case received(records: Int)
    /// A conflict copy was made.
    case conflict(path: [UInt8], copy: [UInt8])
    /// A text that changed on both sides was merged.
    case merged(path: [UInt8])
    /// A file was moved to the rescue folder.
    case rescued(Rescued)
    /// Deletions wait for a confirmation.
    case held(Held)
    /// They don't wait any more, for that reason.
    case released(String)
    /// A person has opened a file on this device.
    case opened(path: [UInt8])
    /// They have closed it.
    case closed(path: [UInt8])
    /// A path has a problem.
    case problem(PathProblem)
    /// A path is in order again.
    case solved(PathProblem)
  }

  /// The engine's knowledge of the folder's disk.
  public struct DiskReport: Sendable {
    /// The abilities of the folder's file system; nil until the folder was attached.
    public internal(set) var fileSystem: FileSystemTraits?
    /// The time of the last scan, in nanoseconds.
    public internal(set) var scanTook: Int64 = 0
    /// The files that a person has open on this device.
    public internal(set) var open: [OpenFile] = []
    /// The problem of too little space.
    public internal(set) var shortage: PathProblem?
    /// The attributes of its entries beside the executable bit and the time.
    public internal(set) var metadata = Metadata()

    /// Creates the report of a folder that wasn't opened.
    public init() {}
  }

  /// The progress after a sync cycle.
  public var progress = Progress()
  /// The progress within a sync cycle.
  public let board = WorkBoard()
  /// The engine's knowledge of the folder's disk.
  public internal(set) var disk = DiskReport()
  /// The names that are left out of the mirror, by rule.
  public internal(set) var ignored: [IgnoredNames] = []
  /// The present problems by path.
  public private(set) var problems: [[UInt8]: PathProblem] = [:]
  /// The files that were moved to the rescue folder since the daemon started.
  public private(set) var rescued: [Rescued] = []
  /// The conflict copies made since the daemon started.
  public private(set) var conflicts: [[UInt8]] = []
  /// The deletions that wait for a confirmation.
  public internal(set) var held: Held?
  /// The records that aren't selected; nil if everything is.
  public internal(set) var leftOut: LeftOut?
  /// Moves that were undone, the latest last: reported until the person may write.
  private(set) var undone: [PathProblem] = []
  /// Notices that are no problems.
  private(set) var notices: [PathProblem] = []
  /// The reason that the container accepts nothing now.
  public private(set) var refusal: PathProblem?
  private var happenings: [Happening] = []

  /// Returns the events since the last call.
  public func takeHappenings() -> [Happening] {
    defer { happenings = [] }
    return happenings
  }

  /// Adds the files that earlier runs moved to the rescue folder, as found on the disk.
  func load(rescued: [Rescued], conflicts: [[UInt8]]) {
    self.rescued = rescued
    self.conflicts = conflicts
  }

  /// Replaces the conflict copies by those in the folder.
  func load(conflicts: [[UInt8]]) { self.conflicts = conflicts }

  func add(_ found: [PathProblem]) {
    for problem in found where problems.updateValue(problem, forKey: problem.path) != problem {
      happenings.append(.problem(problem))
    }
  }

  func clearProblem(at path: [UInt8]) {
    if let problem = problems.removeValue(forKey: path) { happenings.append(.solved(problem)) }
  }

  /// Replaces the problems after a full scan by those that no scan can solve.
  func setProblems(_ rest: [[UInt8]: PathProblem]) { problems = rest }

  /// Replaces the open files, and reports the differences.
  func setOpen(_ files: [OpenFile]) {
    let (before, after) = (Set(disk.open.map(\.record)), Set(files.map(\.record)))
    for file in disk.open where !after.contains(file.record) { happened(.closed(path: file.path)) }
    for file in files where !before.contains(file.record) { happened(.opened(path: file.path)) }
    disk.open = files
  }

  func happened(_ happening: Happening) {
    switch happening {
    case .rescued(let entry): rescued.append(entry)
    case .conflict(_, let copy): conflicts.append(copy)
    default: break
    }
    happenings.append(happening)
  }

  /// Reports a move into this folder that was undone because of a missing permission.
  func undid(_ problem: PathProblem) {
    undone.removeAll { $0.path == problem.path }
    undone = undone.suffix(99) + [problem]
    happenings.append(.problem(problem))
  }

  func forgetUndone() { undone = [] }

  /// Reports that something waits for space on the disk; nil if nothing does.
  func setShortage(_ problem: PathProblem?) {
    guard disk.shortage != problem else { return }
    if let problem, disk.shortage == nil { happenings.append(.problem(problem)) }
    if let old = disk.shortage, problem == nil { happenings.append(.solved(old)) }
    disk.shortage = problem
  }

  /// Reports the reason that the container accepts nothing; nil if it does.
  func setRefusal(_ problem: PathProblem?) {
    guard refusal != problem else { return }
    if let problem, refusal == nil { happenings.append(.problem(problem)) }
    if let old = refusal, problem == nil { happenings.append(.solved(old)) }
    refusal = problem
  }

  /// All present reports by path.
  public var allProblems: [PathProblem] {
    (problems.values + undone + notices + [disk.shortage, refusal].compactMap { $0 }).sorted {
      $0.path.lexicographicallyPrecedes($1.path)
    }
  }

  func setNotices(_ new: [PathProblem]) {
    let (before, after) = (Set(notices), Set(new))
    for notice in new where !before.contains(notice) { happenings.append(.problem(notice)) }
    for notice in notices where !after.contains(notice) { happenings.append(.solved(notice)) }
    notices = new
  }
}
