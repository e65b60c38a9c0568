import CairnPlan
import CairnZone

/// What an engine remembers of single records from one turn to the next: what waits, until when,
/// why, and what people were told of it. It knows no disk, no zone and no clock.
struct Agenda {
  /// What is remembered of one record.
  struct Work {
    /// Until when it waits, and why.
    var wait: Wait?
    /// It is looked at or read first, and so left out of the next plan.
    var isLeftOut = false
    /// How often nothing came of its plan, one time after the other.
    var stalls = 0
    /// Since when its file looks the same, though somebody holds it open for writing.
    var quiet: Quiet?
    /// What people were told of it.
    var told: Problem?
    /// The zone refused it for want of a right or of room.
    var refused: Refused?
    /// It was to be deleted in the zone, was found to be there, and was looked at again.
    var wasLookedAgain = false
    /// Its deletion was counted as it came, until both sides agree again.
    var isCounted = false

    fileprivate var isNothing: Bool {
      wait == nil && !isLeftOut && stalls == 0 && quiet == nil && told == nil && refused == nil
        && !wasLookedAgain && !isCounted
    }
  }

  /// What a file that is held open for writing looked like, and since when.
  struct Quiet {
    var size: UInt64
    var modified: Int64
    var since: Int64
    /// Since when somebody holds it open.
    var open: Int64
  }

  /// What the disk showed when the zone refused a record; nothing if that was deleted.
  struct Refused {
    var shown: NodeRow.Local?
  }

  private var works: [RecordID: Work] = [:]
  /// What the zone gave when it refused something for want of a right or of room.
  private(set) var refusedUnder: Allowance?
  /// Whether the disk may show something else than when records were refused.
  var mayShowOther = false
  /// Where there was too little room last.
  private(set) var shortage: Room?

  /// What is remembered of a record; nothing of most.
  subscript(id: RecordID) -> Work {
    get { works[id] ?? Work() }
    set {
      guard !newValue.isNothing else { return forget(id) }
      works[id] = newValue
    }
  }

  private mutating func forget(_ id: RecordID) {
    if works[id] != nil { works[id] = nil }
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

  /// There is news of a record: it doesn't wait any more.
  mutating func release(_ id: RecordID) {
    if works[id]?.wait != nil { self[id].wait = nil }
  }

  /// Those whose time has come are tried again.
  mutating func makeDue(_ now: Int64) {
    change(where: { $0.wait.map { !$0.isDue && $0.until <= now } ?? false }) {
      $0.wait?.isDue = true
    }
  }

  /// What waits for that reason is tried in the next turn.
  mutating func hurry(_ reason: Wait.Reason) {
    change(where: { $0.wait?.reason == reason }) { $0.wait?.until = 0 }
  }

  /// Somebody did something to files that couldn't be read, or to what stood in the place of some:
  /// they may be readable now, or gone.
  mutating func hurry(at paths: Set<[UInt8]>) {
    guard !paths.isEmpty else { return }
    let reasons: Set<Wait.Reason> = [.unreadable, .obstructed]
    change(where: { work in
      work.wait.map { reasons.contains($0.reason) } == true
        && work.told.map { paths.contains($0.path) } ?? false
    }) { $0.wait?.until = 0 }
  }

  /// Everything is tried again at once but what isn't a matter of time.
  mutating func retryNow() {
    let others: Set<Wait.Reason> = [.busy, .held, .notAllowed]
    change(where: { $0.wait.map { !others.contains($0.reason) } ?? false }) { $0.wait = nil }
  }

  /// What waits for nothing any more, being none of these, doesn't wait.
  mutating func keepWaiting(_ dirty: Set<RecordID>) {
    for (id, work) in works where work.wait != nil && !dirty.contains(id) { self[id].wait = nil }
  }

  /// Whether anything waits for a time.
  var isWaiting: Bool { works.contains { $0.value.wait != nil } }

  /// How many records wait for that reason.
  func count(_ reason: Wait.Reason) -> Int { works.count { $0.value.wait?.reason == reason } }

  /// The records whose time hasn't come.
  var notDue: Set<RecordID> {
    Set(works.lazy.filter { $0.value.wait?.isDue == false }.map(\.key))
  }

  /// When the first of those that wait is tried again.
  var deadline: Int64? { works.values.lazy.compactMap { $0.wait?.until }.min() }

  /// Whether a record waits for a time that hasn't come.
  func isWaiting(_ id: RecordID) -> Bool { works[id]?.wait?.isDue == false }

  // MARK: Plans

  /// Those of a batch that may be planned now. Who was left out of one plan isn't of the next.
  mutating func takePlannable(_ batch: [RecordID]) -> [RecordID] {
    let ids = batch.filter { works[$0]?.isLeftOut != true && !isWaiting($0) }
    change(where: \.isLeftOut) { $0.isLeftOut = false }
    return ids
  }

  /// Both sides agree on a record.
  mutating func settle(_ id: RecordID) {
    guard works[id] != nil else { return }
    self[id].wait = nil
    self[id].stalls = 0
    self[id].isCounted = false
  }

  /// Nothing came of a record's plan; how often that is now.
  mutating func countStall(_ id: RecordID) -> Int {
    self[id].stalls += 1
    return self[id].stalls
  }

  /// Nothing is left to do: how it came to that needn't be known any more.
  mutating func forgetFinishedWork() {
    change(where: { $0.stalls > 0 || $0.quiet != nil }) { ($0.stalls, $0.quiet) = (0, nil) }
  }

  /// Whether a file that somebody holds open looks the same for so long, or is held open for so
  /// long, that it is read all the same: a log or a database must not stay behind for ever. What
  /// changes while it is read isn't taken.
  mutating func isQuiet(_ id: RecordID, size: UInt64, modified: Int64, _ now: Int64) -> Bool {
    let before = works[id]?.quiet
    if let before, before.size == size, before.modified == modified {
      return now - before.since >= 10 * .second || now - before.open >= 30 * .second
    }
    let open = before?.open ?? now
    self[id].quiet = Quiet(size: size, modified: modified, since: now, open: open)
    return now - open >= 30 * .second
  }

  // MARK: Deletions

  /// Counts deletions as they come.
  /// - Returns: whether any of them wasn't counted before.
  mutating func count(_ deleted: Set<RecordID>) -> Bool {
    let fresh = deleted.filter { works[$0]?.isCounted != true }
    for id in fresh { self[id].isCounted = true }
    return !fresh.isEmpty
  }

  /// Whether something that is to be deleted in the zone, and is there, wasn't looked at again.
  mutating func needsAnotherLook(_ id: RecordID) -> Bool {
    defer { self[id].wasLookedAgain = true }
    return works[id]?.wasLookedAgain != true
  }

  /// These are really gone.
  mutating func areGone(_ deleted: [RecordID]) {
    for id in deleted where works[id]?.wasLookedAgain == true { self[id].wasLookedAgain = false }
  }

  // MARK: Refusals

  /// Lets a change wait until the zone gives what it lacks.
  mutating func refuse(
    _ id: RecordID, under allowance: Allowance, shown: NodeRow.Local?, _ explanation: String,
    _ now: Int64
  ) {
    refusedUnder = allowance
    self[id].refused = Refused(shown: shown)
    postpone(id, .notAllowed, explanation, now)
  }

  /// What was refused, as the disk showed it then.
  var refused: [(id: RecordID, shown: NodeRow.Local?)] {
    works.compactMap { id, work in work.refused.map { (id, $0.shown) } }
  }

  /// The zone gives this now: whether what it refused is to be tried again.
  mutating func allows(_ allowance: Allowance) -> Bool {
    guard let before = refusedUnder, before != allowance else { return false }
    let isMore = allowance.isMore(than: before)
    refusedUnder = isMore ? nil : allowance
    return isMore
  }

  /// A change that was refused is tried again.
  mutating func retry(_ id: RecordID, in report: MountReport) {
    self[id].refused = nil
    if self[id].wait?.reason == .notAllowed { self[id].wait = nil }
    solve(id, in: report)
  }

  // MARK: Room

  /// Lets a record wait until there is room.
  mutating func waitForRoom(_ id: RecordID, _ room: Room, _ now: Int64) {
    shortage = room
    postpone(id, .room, "waits for room on the disk", now)
  }

  /// How many wait for room, and where it lacked last; nil once none does any more.
  mutating func takeShortage() -> (room: Room, waiting: Int)? {
    let waiting = count(.room)
    if waiting == 0 { shortage = nil }
    return shortage.map { ($0, waiting) }
  }

  // MARK: What people are told

  /// What is told of records that can't be sent or received now, by path.
  var told: [[UInt8]: Problem] {
    Dictionary(works.values.compactMap(\.told).map { ($0.path, $0) }) { first, _ in first }
  }

  /// Tells of a record that has to wait; what was told of it before, under another path perhaps,
  /// counts no more.
  mutating func tell(_ problem: Problem, of id: RecordID, in report: MountReport) {
    if let before = works[id]?.told, before.path != problem.path { solve(id, in: report) }
    self[id].told = problem
    report.add([problem])
  }

  /// What was told of a record is over.
  mutating func solve(_ id: RecordID, in report: MountReport) {
    guard let problem = works[id]?.told else { return }
    self[id].told = nil
    guard report.problems[problem.path] == problem else { return }
    // All that stands nowhere in the folder is told of under its root.
    let others = problem.path.isEmpty ? works.values.compactMap(\.told) : []
    if let other = others.first(where: \.path.isEmpty) {
      report.add([other])
    } else {
      report.clearProblem(at: problem.path)
    }
  }

  /// The records of which something was told and that don't wait: they may be in order without the
  /// step that failed, too, since somebody deleted them, say.
  var perhapsNeedless: [RecordID] {
    works.filter { $0.value.told != nil && $0.value.wait == nil }.map(\.key)
  }

  // MARK: Invariants

  /// What holds between any two turns.
  func checkInvariants() {
    for (id, work) in works {
      precondition(!work.isNothing, "nothing is remembered of \(id)")
      guard let wait = work.wait else { continue }
      precondition(
        wait.reason != .notAllowed || work.refused != nil,
        "\(id) waits for a allowance, and nobody knows what was refused")
      precondition(
        wait.reason != .room || shortage != nil, "\(id) waits for room, and nobody knows where")
    }
    precondition(
      refusedUnder != nil || !works.contains { $0.value.refused != nil },
      "what was refused waits for nothing")
  }
}
