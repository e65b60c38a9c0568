import CairnCloud
import CairnZone

/// What a mount has to tell people: progress, problems, what was set aside, what happened.
public final class MountReport {
  /// How far the work is, for a person who watches.
  public struct Progress: Sendable {
    /// Records that wait in either direction.
    public var pending = 0
    /// Of these, the ones that wait for a word of the person (`Held`).
    public var waiting = 0
    /// Of these, the ones that changed here and go to the zone.
    public var pendingLocal = 0
    /// Of these, the ones that changed in the zone and come to the folder.
    public var pendingRemote = 0
    /// Records committed to the zone since the daemon started.
    public var sent = 0
    /// Changes that came from the zone since the daemon started.
    public var arrived = 0
    /// Bytes of files read for the zone since the daemon started.
    public var bytesRead: UInt64 = 0
    /// Bytes of files written into the folder since the daemon started.
    public var bytesWritten: UInt64 = 0

    /// Nothing done yet.
    public init() {}

    /// Whether nothing waits but what waits for a word.
    public var isSettled: Bool { pending == waiting }
  }

  /// Something that was set aside for the person, and where it is.
  public struct Rescued: Sendable, Hashable {
    /// Where the bytes are, relative to the folder.
    public var path: [UInt8]
    /// Where they stood.
    public var of: [UInt8]
    /// Why they were set aside.
    public var reason: String
    /// When, in nanoseconds since 1970.
    public var time: Int64
  }

  /// Deletions that wait for a word of the person, since they are so much at once.
  public struct Held: Sendable, Hashable {
    /// Files and symlinks.
    public var files: Int
    /// Directories.
    public var directories: Int
    /// How many files and symlinks both sides had agreed on.
    public var of: Int
    /// Since when, in nanoseconds since 1970.
    public var since: Int64
  }

  /// Something that happened, for `cairn events`.
  public enum Happening: Sendable, Hashable {
    /// Local changes are about to be committed to the zone.
    case sending(records: Int)
    /// Changes of the zone are about to be applied to the folder.
    case receiving(records: Int)
    /// Local changes were committed to the zone: how many, and as which entry of its log.
    case sent(records: Int, sequence: UInt64)
    /// What was about to be committed wasn't, for now: why, as a sentence.
    case notSent(reason: String)
    /// Changes of the zone were applied to the folder.
    case received(records: Int)
    /// A conflict copy was made.
    case conflict(path: [UInt8], copy: [UInt8])
    /// Bytes were set aside.
    case rescued(Rescued)
    /// Deletions wait for a word.
    case held(Held)
    /// They don't any more: what was said, or happened.
    case released(String)
    /// A path is in trouble.
    case problem(Problem)
    /// A path is in order again.
    case solved(Problem)
  }

  /// How far the work is, after a turn.
  public var progress = Progress()
  /// How far it is in the middle of one.
  public let board = WorkBoard()
  /// What is left out of the mirror, and by which rules.
  public internal(set) var ignored: [IgnoredNames] = []
  /// The paths in trouble now.
  public private(set) var problems: [[UInt8]: Problem] = [:]
  /// What was set aside since the daemon started.
  public private(set) var rescued: [Rescued] = []
  /// The conflict copies made since the daemon started.
  public private(set) var conflicts: [[UInt8]] = []
  /// The deletions that wait for a word.
  public internal(set) var held: Held?
  /// Moves that were undone, the latest last: told until the person may write.
  private(set) var undone: [Problem] = []
  /// What isn't wrong, but good to know.
  private(set) var notices: [Problem] = []
  /// What waits for room on the disk.
  public private(set) var shortage: Problem?
  /// Why the container takes nothing now.
  public private(set) var refusal: Problem?
  private var happenings: [Happening] = []

  /// What happened since the last call.
  public func takeHappenings() -> [Happening] {
    defer { happenings = [] }
    return happenings
  }

  /// What earlier runs set aside, found again on the disk.
  func load(rescued: [Rescued], conflicts: [[UInt8]]) {
    self.rescued = rescued
    self.conflicts = conflicts
  }

  func add(_ found: [Problem]) {
    for problem in found where problems.updateValue(problem, forKey: problem.path) != problem {
      happenings.append(.problem(problem))
    }
  }

  func clearProblem(at path: [UInt8]) {
    if let problem = problems.removeValue(forKey: path) { happenings.append(.solved(problem)) }
  }

  /// Everything is looked at anew; these are what no look can solve.
  func setProblems(_ rest: [[UInt8]: Problem]) { problems = rest }

  func happened(_ happening: Happening) {
    switch happening {
    case .rescued(let entry): rescued.append(entry)
    case .conflict(_, let copy): conflicts.append(copy)
    default: break
    }
    happenings.append(happening)
  }

  /// A move into this folder was undone for want of a right.
  func undid(_ problem: Problem) {
    undone.removeAll { $0.path == problem.path }
    undone = undone.suffix(99) + [problem]
    happenings.append(.problem(problem))
  }

  func forgetUndone() { undone = [] }

  /// What waits for room on the disk, if anything does.
  func setShortage(_ problem: Problem?) {
    guard shortage != problem else { return }
    if let problem, shortage == nil { happenings.append(.problem(problem)) }
    if let old = shortage, problem == nil { happenings.append(.solved(old)) }
    shortage = problem
  }

  /// Why the container takes nothing, if it doesn't.
  func setRefusal(_ problem: Problem?) {
    guard refusal != problem else { return }
    if let problem, refusal == nil { happenings.append(.problem(problem)) }
    if let old = refusal, problem == nil { happenings.append(.solved(old)) }
    refusal = problem
  }

  /// Everything that people are to be told of now, by its path.
  public var allProblems: [Problem] {
    (problems.values + undone + notices + [shortage, refusal].compactMap { $0 }).sorted {
      $0.path.lexicographicallyPrecedes($1.path)
    }
  }

  func setNotices(_ new: [Problem]) {
    let (before, after) = (Set(notices), Set(new))
    for notice in new where !before.contains(notice) { happenings.append(.problem(notice)) }
    for notice in notices where !after.contains(notice) { happenings.append(.solved(notice)) }
    notices = new
  }
}
