import CairnCloud
import CairnPlan
import CairnZone

/// Where the deletions of a mount stand: gathered for a moment, since the whole folder may be on
/// its way out; on their way to the zone; or held, since they are so much at once that the person
/// has to say that they meant them. `DeletionBrake` judges. Times are the engine's clock's.
struct HeldDeletions {
  /// The next check whether deleted entries appeared in another mount.
  struct Look {
    var due: Int64
    var count = 0
  }

  private(set) var brake = DeletionBrake()
  /// Until when deletions are gathered.
  private(set) var gathering: Int64?
  /// When the folder was last looked at. Silence counts up to here and not up to now: a turn may
  /// read a large file between the look and the judgement, and what goes meanwhile is unseen.
  private(set) var lastLook: Int64 = 0
  /// Since when they are held, in nanoseconds since 1970; nil if they aren't.
  private(set) var since: Int64?
  private var look: Look?
  /// A Boolean value that indicates whether the counts of waiting deletions may have changed.
  private(set) var isStale = false

  /// The time of the next step without an event.
  var deadline: Int64? { look?.due }

  /// Whether deletions are gathered still, by the last look at the folder.
  var isGathering: Bool { gathering.map { lastLook < $0 } ?? false }

  /// Whether what others send stays out of the folder, which may be on its way out.
  var keepsOut: Bool { isGathering && brake.keepsOut(at: lastLook) }

  /// The folder is looked at: all that anybody told of until then is seen.
  mutating func look(at now: Int64) {
    lastLook = now
    // What was deleted came back by itself.
    if let end = gathering, now > end + DeletionBrake.memory { gathering = nil }
  }

  /// Deletions were found that nobody counted before.
  /// `all` says how many files there were.
  mutating func found(of all: () throws -> Int) rethrows {
    try brake.found(at: lastLook, of: all)
  }

  /// A name went below the root that isn't this mount's to mirror.
  mutating func sawOther(at now: Int64) { brake.sawOther(at: now) }

  /// Something was made in the folder.
  mutating func sawGrowth() { brake.sawGrowth(at: lastLook) }

  /// Returns the verdict on the waiting deletions; `left` is the number of files in the folder.
  mutating func verdict(
    waiting: Int, left: () throws -> Int
  ) rethrows -> DeletionBrake.Verdict {
    try brake.verdict(waiting: waiting, now: lastLook, left: left)
  }

  mutating func gather(until end: Int64) { gathering = max(gathering ?? end, end) }

  mutating func stopGathering() { gathering = nil }

  /// Notes that the waiting deletions were sent to the zone.
  mutating func went(at now: Int64) { brake.went(at: now) }

  /// They are held since that time of day.
  mutating func hold(since date: Int64, _ now: Int64) {
    gathering = nil
    since = date
    look = Look(due: now + .second)
  }

  /// Somebody looked at the folder, or there is news from the zone.
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

  /// The person said a word, or nothing is missing any more: it is as if nothing had been deleted.
  mutating func release() {
    since = nil
    look = nil
    brake = DeletionBrake()
  }

  /// Checks the rules that hold between any two sync cycles.
  func checkInvariants() {
    precondition(look == nil || since != nil, "a look at held deletions, and none are held")
  }
}

/// Deletions that are so much at once that the person has to say that they meant them.
/// `DeletionBrake` judges; the planner leaves alone what is held; here they are counted, kept out
/// of the way, let go or undone.
struct DeletionGate {
  let state: MountState

  init(_ state: MountState) { self.state = state }

  /// What of a batch is to be planned now, and whether deletions wait: while more of them may be on
  /// their way, and when they are much.
  ///
  /// All of them wait for a moment, in every folder. If it is the whole folder that goes, its root
  /// goes last: then the folder is detached, or its person leaves the share, and none of them was a
  /// deletion for others. The turn looks at the root before anything is committed. Where the person
  /// may not write, their deletions wait to be undone in the same way: a file that comes back at
  /// once keeps its directory, and the root with it.
  func brakeDeletions(_ ids: [RecordID]) throws -> (ids: [RecordID], holdsDeletions: Bool) {
    guard state.only == nil else { return (ids, false) }
    guard state.held.since == nil || state.isReadOnly else { return (ids, true) }
    let (deleted, directories) = try sort(ids)
    // One that waited for something else meanwhile isn't a new one: it would hold up all others.
    if state.agenda.count(deleted) {
      try state.held.found {
        let counts = try countable()
        return counts.left + counts.waiting.count
      }
    }
    if !deleted.isEmpty {
      switch try verdict() {
      case .go:
        state.held.stopGathering()
        // They come back now, and are no part of what is deleted later.
        if state.isReadOnly { state.held.went(at: state.clock.now) }
      case .gather(let end): state.held.gather(until: end)
      case .hold:
        try beginToHold()
        return (ids, true)
      }
    }
    guard state.held.isGathering else { return (ids, false) }
    // The directories whose times the deletions changed wait, too.
    var waiting = deleted.union(directories)
    for id in waiting { gather(id, "deleted here a moment ago") }
    if state.held.keepsOut {
      let arriving = try state.read { tree in
        try ids.filter { try !waiting.contains($0) && tree.sides(of: $0).contains(.remote) }
      }
      for id in arriving { gather(id, "waits until the deletions in this folder have ended") }
      waiting.formUnion(arriving)
    }
    return (ids.filter { !waiting.contains($0) }, true)
  }

  /// The records of the batch that were deleted here, and the directories that are there.
  private func sort(
    _ ids: [RecordID]
  ) throws -> (deleted: Set<RecordID>, directories: Set<RecordID>) {
    var deleted: Set<RecordID> = []
    var directories: Set<RecordID> = []
    try state.read { tree in
      for id in ids {
        guard let row = try tree.node(id), row.synced != nil else { continue }
        if row.local == nil, try !tree.isConfirmed(id) { deleted.insert(id) }
        if row.local?.node.isDirectory == true { directories.insert(id) }
      }
    }
    return (deleted, directories)
  }

  private func gather(_ id: RecordID, _ explanation: String) {
    state.agenda[id].wait = Wait(
      reason: .held, explanation: explanation, until: state.held.gathering ?? state.clock.now,
      tries: 0)
  }

  /// What becomes of the deletions of a batch, which are one at least.
  private func verdict() throws -> DeletionBrake.Verdict {
    // A folder of another mount below this one goes with it, and only that mount hears of it.
    if let time = state.index.neighbours.lastLeft(below: state.path, otherThan: state.mount) {
      state.held.sawOther(at: time)
    }
    // Most deletions are few, and most of the others may be joined by more: that is found out
    // without looking at all that is dirty.
    let (some, agreed) = try state.read { tree in
      let limit = DeletionBrake.few + 1
      return (try tree.deletions(limit: limit).count, try tree.agreedFiles(limit: limit))
    }
    var early = state.held
    if case .gather(let end) = early.verdict(waiting: max(1, some), left: { 0 }) {
      return .gather(until: end)
    }
    guard !state.isReadOnly, max(agreed, state.held.brake.most) > DeletionBrake.few else {
      return .go
    }
    let counts = try countable()
    let verdict = state.held.verdict(waiting: max(1, counts.waiting.count)) { counts.left }
    if verdict == .go {
      // They were judged together; the batches that they go in aren't judged again.
      let waiting = try waitingDeletions()
      try state.write { tree in
        for deletion in waiting { try tree.confirm(deletion.id) }
      }
    }
    return verdict
  }

  /// The files that would be deleted in the zone, and how many stand in the folder, both without
  /// those in directories that churn.
  private func countable() throws -> (waiting: [RecordID], left: Int) {
    let files = try waitingDeletions().filter { !$0.isDirectory }.map(\.id)
    return try state.read { tree in
      let churn = try ChurningDirectories(in: tree)
      return (try files.filter { try !churn.hold($0) }, try tree.localFiles() - churn.files())
    }
  }

  /// The deletions that would reach the zone, if they were let go.
  func waitingDeletions() throws -> [FolderTree.Deletion] {
    try state.zone.read { view in
      let records = ScopedRecords(view, state.scope)
      return try state.read { tree in
        try tree.deletions().filter {
          try view.mayWrite && records.node($0.id) != nil
        }
      }
    }
  }

  /// Counts deletions that went to the zone.
  func countGone(_ changes: [RecordChange]) throws {
    let deleted = changes.filter { $0.act == .delete }
    guard !deleted.isEmpty else { return }
    let hasFiles = try state.read { tree in
      try deleted.contains { try tree.node($0.id)?.synced?.isDirectory == false }
    }
    if hasFiles { state.held.went(at: state.clock.now) }
  }

  // MARK: While they wait

  private func beginToHold() throws {
    let since = state.clock.date
    try state.write { try $0.setHeldSince(since) }
    state.held.hold(since: since, state.clock.now)
    try countHeld()
    if let told = state.report.held { state.report.happened(.held(told)) }
  }

  /// Holds the deletions again that an earlier run held.
  func takeUpHeld() throws {
    guard let since = try state.read({ try $0.heldSince }) else {
      if state.held.since != nil { state.held.release() }
      return state.report.held = nil
    }
    state.held.hold(since: since, state.clock.now)
    try countHeld()
  }

  /// Keeps held deletions out of the next batches.
  func hold(_ ids: [RecordID]) throws {
    guard !ids.isEmpty else { return }
    guard state.held.since != nil else {
      return ids.forEach { gather($0, "deleted here a moment ago") }
    }
    for id in ids { state.agenda.release(id) }
    try state.write { tree in
      for id in ids { try tree.letWait(id) }
    }
  }

  /// Brings the numbers up to date, and ends the waiting when nothing is left that waits: it came
  /// back, stands in another mount now, or others deleted it.
  func tendHeld() throws {
    guard state.held.takeStale(state.clock.now) else { return }
    try countHeld()
    guard let told = state.report.held, told.files + told.directories == 0 else { return }
    try release("nothing that was deleted is missing any more")
  }

  private func countHeld() throws {
    guard let since = state.held.since else { return }
    let waiting = try waitingDeletions()
    let directories = waiting.count(where: \.isDirectory)
    let agreed = try state.read { try $0.agreedFiles() }
    state.report.held = MountReport.Held(
      files: waiting.count - directories, directories: directories, of: agreed, since: since)
  }

  private func release(_ text: String) throws {
    try state.write { tree in
      try tree.setHeldSince(nil)
      try tree.stopWaiting()
    }
    state.held.release()
    state.report.held = nil
    state.report.happened(.released(text))
  }

  // MARK: The person's word

  /// The deletions that wait, the first `limit` of them by their paths, relative to the folder.
  func heldPaths(limit: Int) throws -> [[UInt8]] {
    guard state.held.since != nil else { return [] }
    let waiting = try waitingDeletions()
    return try state.read { tree in
      try waiting.map { joined(try tree.syncedPath(of: $0.id)) }
        .sorted { $0.lexicographicallyPrecedes($1) }.prefix(limit).map { $0 }
    }
  }

  /// The person meant it: what waits goes to the zone.
  /// - Returns: what waited; nil if nothing did.
  func confirmHeld() throws -> MountReport.Held? {
    guard state.held.since != nil else { return nil }
    try FolderSteps(state).finishPortion()
    try countHeld()
    let told = state.report.held
    let waiting = try waitingDeletions()
    try state.write { tree in
      for deletion in waiting { try tree.confirm(deletion.id) }
    }
    try release("the deletions were confirmed")
    return told
  }

  /// The person didn't mean it: what waits comes back from the zone.
  /// - Returns: what waited; nil if nothing did.
  func undoHeld() throws -> MountReport.Held? {
    guard state.held.since != nil else { return nil }
    try FolderSteps(state).finishPortion()
    try countHeld()
    let told = state.report.held
    let waiting = try waitingDeletions()
    try state.write { tree in
      for deletion in waiting {
        guard var row = try tree.node(deletion.id), row.local == nil else { continue }
        // As if it had never been here: then it comes.
        row.synced = nil
        try tree.put(row)
        try tree.markDirty(deletion.id, .remote)
      }
    }
    try release("the deletions were undone")
    return told
  }
}
