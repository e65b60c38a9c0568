import CairnIdentity
import CairnPlan
import CairnReplica
import CairnZone

/// The end of the previous run, and the damage that it may have caused. After everything was
/// checked, the index notes the present run.
struct LastRun {
  /// A damaged file, as it was when it was checked.
  struct Damage {
    var local: NodeRow.Local
    var file: DamageRule.File
  }

  /// The present start of the machine and mounting of the file systems, as text; nil if unknown.
  let name: String?
  /// The kind of stop of the machine since the previous run. A new mounting of a file system is as
  /// bad.
  private(set) var stop = DamageRule.LastStop.none
  /// A Boolean value that indicates whether the index has the present run.
  private(set) var isNextNoted = false
  /// The files that may be damaged, as the first scan found them.
  private(set) var suspects: [RecordID: NodeRow.Local] = [:]
  /// The remains of damaged files, until they are moved to the rescue folder.
  private(set) var damaged: [RecordID: Damage] = [:]
  /// A Boolean value that indicates whether files were read that may not be on the disk yet.
  var hasRead = true
  /// The earliest ctime of an inode whose name a power cut may have removed.
  private var undone: Int64?
  /// The watch for changes of the calendar.
  var calendar = CalendarWatch()
  /// A Boolean value that indicates whether the whole folder was scanned in the present run.
  var hasLooked = false
  /// The last entry of the log that the index knew at the start, if the index alone is older than
  /// it was: this device's later entries were sent from the folder, and the index forgot them.
  private(set) var remembered: UInt64?
  /// The same entry, also if the folder was never completely compared.
  private(set) var seen: UInt64?

  init() { name = nil }

  /// Creates the state from the index's note and the name of the present run. The note may be lost.
  init(_ last: (boot: String?, isClean: Bool), now: String?, isForgotten: Bool = false) {
    name = now
    stop = DamageRule.LastStop(
      last: last.boot, wasClean: last.isClean, now: now, isForgotten: isForgotten,
      isOfIndex: RunName(last.boot)?.differsByIndex(from: RunName(now)) == true)
    hasRead = !last.isClean
    // Where files may have been damaged, the run counts after their check.
    isNextNoted = stop == .none && now != nil
  }

  /// A Boolean value that indicates whether changes in the first scan may be damage. Later writes
  /// to these files are noticed, and no damage.
  var findsSuspects: Bool { stop.mayHaveDamaged && !isNextNoted }

  /// Notes the last entry of the log that the index knows at the start of the run. Does nothing
  /// unless the index alone may be older.
  /// - Parameters:
  ///   - sequence: The position of the entry.
  ///   - wasCompared: A Boolean value that indicates whether the folder was compared before.
  mutating func remember(through sequence: UInt64, wasCompared: Bool) {
    guard stop == .indexCut else { return }
    seen = sequence
    if wasCompared { remembered = sequence }
  }

  /// Notes that a power cut may have undone names that were created or changed since a ctime.
  mutating func doubtNames(since change: Int64?) { undone = change }

  /// The same for a scan: entries that the first scan doesn't find don't count as deleted, nor do
  /// missing entries of a directory that is readable only later.
  func undoneSince(late: Bool) -> Int64? { findsSuspects && (late || !hasLooked) ? undone : nil }

  mutating func suspect(_ rows: [NodeRow]) {
    for row in rows { suspects[row.id] = row.local }
  }

  /// Returns whether the file is as the first scan found it, and was not checked since.
  func isSuspect(_ id: RecordID, _ local: NodeRow.Local) -> Bool {
    suspects[id]?.isSameVersion(as: local) == true
  }

  /// Notes the check of a file that the stop may have damaged.
  mutating func judge(_ id: RecordID, _ local: NodeRow.Local, _ file: DamageRule.File) {
    clear(id)
    if DamageRule.isDamaged(file, after: stop) { damaged[id] = Damage(local: local, file: file) }
  }

  /// Returns whether the file still is in the state in which the stop left it.
  func isDamaged(_ id: RecordID, _ local: NodeRow.Local) -> Bool {
    damaged[id]?.local.isSameVersion(as: local) == true
  }

  /// Removes a file that is undamaged, was moved to the rescue folder, or has changed since its
  /// check.
  mutating func clear(_ id: RecordID) {
    suspects[id] = nil
    damaged[id] = nil
  }

  /// A Boolean value that indicates whether the run may be noted: only without suspects, because a
  /// second stop must find them again.
  var mayNoteNext: Bool { !isNextNoted && suspects.isEmpty && damaged.isEmpty }

  mutating func noteNext() { isNextNoted = true }

  /// Notes that no waiting step may still remove a file that came back by the stop.
  mutating func forgetStop() { (stop, remembered, seen) = (.none, nil, nil) }

  /// The rule that is broken; nil if none is. All of them hold between any two sync cycles.
  var brokenRule: String? {
    (suspects.isEmpty && damaged.isEmpty) || findsSuspects
      ? nil : "files are suspected of damage, and nothing stopped"
  }
}
