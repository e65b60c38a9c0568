import CairnPlan
import CairnReplica
import CairnZone

/// The state of a mount's deletions. They are gathered for a moment, because the whole folder may
/// be about to be removed. Then they are sent to the zone. A mass deletion is held until the person
/// confirms it. `DeletionBrake` decides. Times are those of the engine's clock.
struct HeldDeletions {
  /// The next check whether deleted entries appeared in another mount.
  struct Look {
    var due: Int64
    var count = 0
  }

  private(set) var brake = DeletionBrake()
  /// The time until which deletions are gathered.
  private(set) var gathering: Int64?
  /// The time of the last scan of the folder. The time without deletions is counted up to the scan
  /// and not up to now: a sync cycle may read a large file between the scan and the decision, and
  /// later deletions are unseen.
  private(set) var lastLook: Int64 = 0
  /// The time since which deletions are held, in nanoseconds since 1970; nil if none are.
  private(set) var since: Int64?
  private var look: Look?
  /// A Boolean value that indicates whether the counts of waiting deletions may have changed.
  private(set) var isStale = false

  /// The time of the next step without an event.
  var deadline: Int64? { look?.due }

  /// A Boolean value that indicates whether deletions are still gathered, by the last scan of the
  /// folder.
  var isGathering: Bool { gathering.map { lastLook < $0 } ?? false }

  /// A Boolean value that indicates whether remote changes are kept out of the folder, because it
  /// may be about to be removed.
  var keepsOut: Bool { isGathering && brake.keepsOut(at: lastLook) }

  /// Notes a scan of the folder. It sees all changes up to its time that hints reported.
  mutating func look(at now: Int64) {
    lastLook = now
    // The deleted entries came back by themselves.
    if let end = gathering, now > end + DeletionBrake.memory { gathering = nil }
  }

  /// Notes deletions that weren't counted before. `all` returns the number of files before them;
  /// nil if they are more than `DeletionBrake.many`.
  mutating func found(of all: () throws -> Int?) rethrows {
    try brake.found(at: lastLook, of: all)
  }

  /// Notes the deletion of a name below the root that this mount doesn't mirror.
  mutating func sawOther(at now: Int64) { brake.sawOther(at: now) }

  /// Notes that something was created in the folder.
  mutating func sawGrowth() { brake.sawGrowth(at: lastLook) }

  /// Returns the verdict on the waiting deletions; `left` is the number of files in the folder.
  mutating func verdict(
    waiting: Int, left: () throws -> Int
  ) rethrows -> DeletionBrake.Verdict {
    try brake.verdict(waiting: waiting, now: lastLook, left: left)
  }

  mutating func gather(until end: Int64) { gathering = max(gathering ?? end, end) }

  mutating func stopGathering() { gathering = nil }

  /// Notes that deletions of so many files were sent to the zone.
  mutating func went(_ files: Int, at now: Int64) { brake.went(files, at: now) }

  /// Notes the time of day since which the deletions are held.
  mutating func hold(since date: Int64, _ now: Int64) {
    gathering = nil
    since = date
    look = Look(due: now + .second)
  }

  /// Notes a scan of the folder, or changes of the zone.
  mutating func mayHaveChanged() { isStale = true }

  /// Returns whether the held deletions must be counted again: a mount that scans its folder later
  /// may still find entries that were moved there.
  mutating func takeStale(_ now: Int64) -> Bool {
    guard since != nil else { return false }
    if let last = look, last.due <= now {
      look =
        last.count < 6
        ? Look(due: now + .second << Int64(last.count), count: last.count + 1) : nil
      isStale = true
    }
    defer { isStale = false }
    return isStale
  }

  /// Forgets the deletions, after the person's decision or because nothing is missing any more.
  mutating func release() {
    since = nil
    look = nil
    brake = DeletionBrake()
  }

  /// The rule that is broken; nil if none is. All of them hold between any two sync cycles.
  var brokenRule: String? {
    look == nil || since != nil ? nil : "held deletions are looked at, and none are held"
  }
}
