import CairnPlan
import CairnZone

/// An engine's memory of single records between sync cycles: their waiting times, the reasons, and
/// the reported problems. It has no access to the disk, the zone or the clock.
struct RetryQueue {
  /// The memory of one record.
  struct Work {
    /// The end of the waiting time, and the reason.
    var wait: Wait?
    /// A Boolean value that indicates whether the record is scanned or read first, and thus left
    /// out of the next plan.
    var isLeftOut = false
    /// The number of successive plans without an effect.
    var stalls = 0
    /// The time since which its file has looked the same while it was open for writing.
    var quiet: OpenFileState?
    /// The reported problem.
    var told: PathProblem?
    /// The state in which the zone refused the record, because of a missing permission or missing
    /// space.
    var refused: Refused?
    /// A Boolean value that indicates whether the record was about to be deleted in the zone, was
    /// found on the disk, and was scanned again.
    var wasLookedAgain = false
    /// A Boolean value that indicates whether its deletion was counted; until both sides agree
    /// again.
    var isCounted = false

    fileprivate var isNothing: Bool {
      wait == nil && !isLeftOut && stalls == 0 && quiet == nil && told == nil && refused == nil
        && !wasLookedAgain && !isCounted
    }
  }

  /// The state on the disk when the zone refused a record; nothing if it was deleted.
  struct Refused {
    var shown: NodeRow.Local?
  }

  /// A version that became a conflict copy, and the record that it was in conflict with.
  private struct Copied: Hashable {
    var id: RecordID
    var kind: Node.Kind
    var modified: Int64

    init(_ node: Node, for id: RecordID) {
      (self.id, kind, modified) = (id, node.kind, node.attributes.modified)
    }
  }

  /// The numbers of records that the rules are about.
  private struct Counts {
    /// The records that wait for space.
    var room = 0
    /// The refused records.
    var refused = 0
    /// The records that wait for a permission, and weren't refused.
    var notRefused = 0

    mutating func add(_ work: Work, _ number: Int) {
      if work.refused != nil { refused += number }
      switch work.wait?.reason {
      case .room: room += number
      case .notAllowed where work.refused == nil: notRefused += number
      default: break
      }
    }
  }

  private var works: [RecordID: Work] = [:]
  /// The counts of `works`.
  private var counts = Counts()
  /// The time of the last copy of such a version, and how many there were.
  private var copied: [Copied: (at: Int64, times: Int)] = [:]
  /// The maximum number of remembered conflict copies.
  private static let mostCopied = 10_000
  /// The allowance with which the zone refused a change.
  private(set) var refusedUnder: Allowance?
  /// A Boolean value that indicates whether the disk may have changed since records were refused.
  var mayShowOther = false
  /// The last place with too little space.
  private(set) var shortage: Room?

  /// The memory of one record; empty for most.
  subscript(id: RecordID) -> Work {
    get { works[id] ?? Work() }
    set {
      let old =
        newValue.isNothing
        ? works.removeValue(forKey: id) : works.updateValue(newValue, forKey: id)
      if let old { counts.add(old, -1) }
      counts.add(newValue, 1)
    }
  }

  private mutating func change(
    where isMeant: (Work) -> Bool, _ change: (inout Work) -> Void
  ) {
    for id in works.filter({ isMeant($0.value) }).map(\.key) { change(&self[id]) }
  }

  // MARK: Waiting

  /// Lets a record wait, longer each time.
  mutating func postpone(
    _ id: RecordID, _ reason: Wait.Reason, _ explanation: String, _ now: Int64
  ) {
    let tries = works[id]?.wait.map { $0.reason == reason ? $0.tries + 1 : 0 } ?? 0
    self[id].wait = Wait(
      reason: reason, explanation: explanation, until: now + Wait.delay(reason, tries: tries),
      tries: tries)
  }

  /// Ends the waiting of a record, because it changed.
  mutating func release(_ id: RecordID) {
    if works[id]?.wait != nil { self[id].wait = nil }
  }

  /// Lets the records with a past waiting time be tried again.
  mutating func makeDue(_ now: Int64) {
    change(where: { $0.wait.map { !$0.isDue && $0.until <= now } ?? false }) {
      $0.wait?.isDue = true
    }
  }

  /// Lets the records that wait for a reason be tried in the next sync cycle.
  mutating func hurry(_ reason: Wait.Reason) {
    change(where: { $0.wait?.reason == reason }) { $0.wait?.until = 0 }
  }

  /// Lets unreadable or obstructed records be tried again because of changes at these paths: they
  /// may be readable now, or gone.
  mutating func hurry(at paths: Set<[UInt8]>) {
    guard !paths.isEmpty else { return }
    let reasons: Set<Wait.Reason> = [.unreadable, .obstructed]
    change(where: { work in
      work.wait.map { reasons.contains($0.reason) } == true
        && work.told.map { paths.contains($0.path) } ?? false
    }) { $0.wait?.until = 0 }
  }

  /// Lets everything be tried again at once, except waiting that doesn't depend on time.
  mutating func retryNow() {
    let others: Set<Wait.Reason> = [.busy, .held, .notAllowed]
    change(where: { $0.wait.map { !others.contains($0.reason) } ?? false }) { $0.wait = nil }
  }

  /// Ends the waiting of all records except these.
  mutating func keepWaiting(_ dirty: Set<RecordID>) {
    for (id, work) in works where work.wait != nil && !dirty.contains(id) { self[id].wait = nil }
  }

  /// A Boolean value that indicates whether a record waits for a time.
  var isWaiting: Bool { works.contains { $0.value.wait != nil } }

  /// Returns the number of records that wait for a reason.
  func count(_ reason: Wait.Reason) -> Int { works.count { $0.value.wait?.reason == reason } }

  /// The records that wait for something else than their turn: neither other files nor other
  /// records come first.
  var stuck: [RecordID] {
    works.compactMap { id, work in
      guard let reason = work.wait?.reason, reason != .transfer, reason != .blocked else {
        return nil
      }
      return id
    }
  }

  /// The records whose time hasn't come.
  var notDue: Set<RecordID> {
    Set(works.lazy.filter { $0.value.wait?.isDue == false }.map(\.key))
  }

  /// The records whose time has come.
  var due: [RecordID] { works.filter { $0.value.wait?.isDue == true }.map(\.key) }

  /// The time at which the first waiting record is tried again.
  var deadline: Int64? { works.values.lazy.compactMap { $0.wait?.until }.min() }

  /// Returns whether a record waits for a time that hasn't come.
  func isWaiting(_ id: RecordID) -> Bool { works[id]?.wait?.isDue == false }

  // MARK: Plans

  /// Returns those of a batch that may be planned now. A record that was left out of one plan is in
  /// the next one.
  mutating func takePlannable(_ batch: [RecordID]) -> [RecordID] {
    let ids = batch.filter { works[$0]?.isLeftOut != true && !isWaiting($0) }
    change(where: \.isLeftOut) { $0.isLeftOut = false }
    return ids
  }

  /// Notes that both sides agree on a record.
  mutating func settle(_ id: RecordID) {
    guard works[id] != nil else { return }
    self[id].wait = nil
    self[id].stalls = 0
    self[id].isCounted = false
  }

  /// Counts a plan without an effect for a record, and returns their number.
  mutating func countStall(_ id: RecordID) -> Int {
    self[id].stalls += 1
    return self[id].stalls
  }

  /// Forgets the finished work when nothing is left to do.
  mutating func forgetFinishedWork() {
    change(where: { $0.stalls > 0 || $0.quiet != nil }) { ($0.stalls, $0.quiet) = (0, nil) }
  }

  // MARK: Conflict copies

  /// Notes that a version became a conflict copy, because of a record.
  mutating func becameCopy(_ node: Node, for id: RecordID, _ now: Int64) {
    if copied.count >= Self.mostCopied { copied = [:] }
    let copy = Copied(node, for: id)
    copied[copy] = (now, (copied[copy]?.times ?? 0) + 1)
  }

  /// Returns whether this version became a conflict copy a while ago, because of the record. A
  /// person may put it there again, so this ends: after ten minutes, and twice as long each time.
  func wasCopied(_ node: Node, for id: RecordID, _ now: Int64) -> Bool {
    guard let last = copied[Copied(node, for: id)] else { return false }
    return now - last.at < 600 * .second << min(Int64(last.times - 1), 8)
  }

  // MARK: Deletions

  /// Counts deletions as they come.
  /// - Returns: True if one of them wasn't counted before.
  mutating func count(_ deleted: Set<RecordID>) -> Bool {
    let fresh = deleted.filter { works[$0]?.isCounted != true }
    for id in fresh { self[id].isCounted = true }
    return !fresh.isEmpty
  }

  /// Returns whether a record that is about to be deleted in the zone, and is on the disk, was not
  /// scanned again.
  mutating func needsAnotherLook(_ id: RecordID) -> Bool {
    defer { self[id].wasLookedAgain = true }
    return works[id]?.wasLookedAgain != true
  }

  /// Notes that these records are really gone.
  mutating func areGone(_ deleted: [RecordID]) {
    for id in deleted where works[id]?.wasLookedAgain == true { self[id].wasLookedAgain = false }
  }

  // MARK: Refusals

  /// Lets a change wait until the zone permits it.
  mutating func refuse(
    _ id: RecordID, under allowance: Allowance, shown: NodeRow.Local?, _ explanation: String,
    _ now: Int64
  ) {
    refusedUnder = allowance
    self[id].refused = Refused(shown: shown)
    postpone(id, .notAllowed, explanation, now)
  }

  /// The refused records, with their states on the disk at that time.
  var refused: [(id: RecordID, shown: NodeRow.Local?)] {
    works.compactMap { id, work in work.refused.map { (id, $0.shown) } }
  }

  /// Notes the zone's present allowance, and returns whether refused changes are tried again.
  mutating func allows(_ allowance: Allowance) -> Bool {
    guard let before = refusedUnder, before != allowance else { return false }
    let isMore = allowance.isMore(than: before)
    refusedUnder = isMore ? nil : allowance
    return isMore
  }

  /// Lets a refused change be tried again.
  mutating func retry(_ id: RecordID, in report: MountReport) {
    self[id].refused = nil
    if self[id].wait?.reason == .notAllowed { self[id].wait = nil }
    solve(id, in: report)
  }

  // MARK: Room

  /// Lets a record wait until there is enough space.
  mutating func waitForRoom(_ id: RecordID, _ room: Room, _ now: Int64) {
    shortage = room
    postpone(id, .room, "waits for room on the disk", now)
  }

  /// Returns the number of records that wait for space, and the last place with too little; nil
  /// once no record does.
  mutating func takeShortage() -> (room: Room, waiting: Int)? {
    if counts.room == 0 { shortage = nil }
    return shortage.map { ($0, counts.room) }
  }

  // MARK: What people are told

  /// The problems of records that cannot be sent or received now, by path.
  var told: [[UInt8]: PathProblem] {
    Dictionary(works.values.compactMap(\.told).map { ($0.path, $0) }) { first, _ in first }
  }

  /// Reports a record that has to wait, instead of an earlier problem of it (perhaps under another
  /// path).
  mutating func tell(_ problem: PathProblem, of id: RecordID, in report: MountReport) {
    if let before = works[id]?.told, before.path != problem.path { solve(id, in: report) }
    self[id].told = problem
    report.add([problem])
  }

  /// Ends the reported problem of a record.
  mutating func solve(_ id: RecordID, in report: MountReport) {
    guard let problem = works[id]?.told else { return }
    self[id].told = nil
    guard report.problems[problem.path] == problem else { return }
    // All records without a path in the folder are reported under its root.
    let others = problem.path.isEmpty ? works.values.compactMap(\.told) : []
    if let other = others.first(where: \.path.isEmpty) {
      report.add([other])
    } else {
      report.clearProblem(at: problem.path)
    }
  }

  /// The reported records that don't wait: they may be in order without the failed step, too,
  /// because somebody deleted them, for example.
  var perhapsNeedless: [RecordID] {
    works.filter { $0.value.told != nil && $0.value.wait == nil }.map(\.key)
  }

  // MARK: Invariants

  /// The rule that is broken; nil if none is. All of them hold between any two sync cycles.
  /// - Complexity: O(1).
  var brokenRule: String? {
    if counts.notRefused > 0 {
      return "records wait for an allowance, and nobody knows what was refused"
    }
    if counts.refused > 0, refusedUnder == nil { return "what was refused waits for nothing" }
    if counts.room > 0, shortage == nil { return "records wait for room, and nobody knows where" }
    return nil
  }
}
