import CairnCloud
import CairnPlan
import CairnZone

/// Deletions that are so much at once that the person has to say that they meant them.
/// `DeletionBrake` judges; the planner leaves alone what is held; here they are counted, kept out
/// of the way, let go or undone.
extension MountEngine {
  /// What of a batch is to be planned now, and whether deletions wait: while more of them may be on
  /// their way, and when they are much. In a share that this person accepted, all of them wait for
  /// a moment: if it is the whole folder that goes, its root goes last, and that is leaving. The
  /// turn looks at the root before anything is committed.
  func brakeDeletions(_ ids: [RecordID]) throws -> (ids: [RecordID], holdsDeletions: Bool) {
    guard !isReadOnly, only == nil else { return (ids, false) }
    guard heldSince == nil else { return (ids, true) }
    let (deleted, directories) = try sort(ids)
    let now = clock.now
    // One that waited for something else meanwhile isn't a new one: it would hold up all others.
    if !deleted.isSubset(of: braked) {
      braked.formUnion(deleted)
      gathering = max(gathering, now + DeletionBrake.pause)
      brake.found(at: now)
    }
    if !deleted.isEmpty {
      switch try verdict(now) {
      case .go: if zone.scope != .shared { gathering = now }
      case .gather(let end): gathering = max(gathering, end)
      case .hold:
        gathering = now
        try beginToHold()
        return (ids, true)
      }
    }
    guard now < gathering else { return (ids, false) }
    // The directories whose times the deletions changed wait, too, where the root may go.
    let held = zone.scope == .shared ? deleted.union(directories) : deleted
    for id in held { gather(id) }
    return (ids.filter { !held.contains($0) }, true)
  }

  /// The records of the batch that were deleted here, and the directories that are there.
  private func sort(
    _ ids: [RecordID]
  ) throws -> (deleted: Set<RecordID>, directories: Set<RecordID>) {
    var deleted: Set<RecordID> = []
    var directories: Set<RecordID> = []
    try index.read(mount) { tree in
      for id in ids {
        guard let row = try tree.node(id), row.synced != nil else { continue }
        if row.local == nil, try !tree.isConfirmed(id) { deleted.insert(id) }
        if row.local?.node.isDirectory == true { directories.insert(id) }
      }
    }
    return (deleted, directories)
  }

  private func gather(_ id: RecordID) {
    deferrals[id] = Deferred(
      reason: .held, explanation: "deleted here a moment ago", until: gathering, tries: 0)
  }

  private func verdict(_ now: Int64) throws -> DeletionBrake.Verdict {
    // Most deletions are few, and most of the others may be joined by more: that is found out
    // without looking at all that is dirty.
    let (some, agreed) = try index.read(mount) { tree in
      let limit = DeletionBrake.few + 1
      return (try tree.deletions(limit: limit).count, try tree.agreedFiles(limit: limit))
    }
    guard agreed + brake.gone > DeletionBrake.few else { return .go }
    let first = brake.verdict(waiting: some, now: now) { .max / 2 }
    guard first == .go, some + brake.gone > DeletionBrake.few else { return first }
    let waiting = try waitingDeletions()
    let verdict = try brake.verdict(waiting: waiting.count { !$0.isDirectory }, now: now) {
      try index.read(mount) { try $0.agreedFiles() }
    }
    if verdict == .go {
      // They were judged together; the batches that they go in aren't judged again.
      try index.write(mount) { tree in
        for deletion in waiting { try tree.confirm(deletion.id) }
      }
    }
    return verdict
  }

  /// The deletions that would reach the zone, if they were let go.
  func waitingDeletions() throws -> [FolderTree.Deletion] {
    try zone.read { view in
      let records = ScopedRecords(view, scope)
      return try index.read(mount) { tree in
        try tree.deletions().filter {
          try records.node($0.id) != nil && view.mayWrite($0.id)
        }
      }
    }
  }

  /// Counts deletions that went to the zone.
  func countGone(_ changes: [RecordChange]) throws {
    let deleted = changes.filter { $0.act == .delete }
    guard !deleted.isEmpty else { return }
    let files = try index.read(mount) { tree in
      try deleted.filter { try tree.node($0.id)?.synced?.isDirectory == false }.count
    }
    if files > 0 { brake.went(files, at: clock.now) }
  }

  // MARK: While they wait

  private func beginToHold() throws {
    let since = clock.date
    try index.write(mount) { try $0.setHeldSince(since) }
    heldSince = since
    heldLook = (clock.now + Deferred.second, 0)
    try countHeld()
    if let held = report.held { report.happened(.held(held)) }
  }

  /// What an earlier run held is held still.
  func takeUpHeld() throws {
    heldSince = try index.read(mount) { try $0.heldSince }
    guard heldSince != nil else { return report.held = nil }
    heldLook = (clock.now + Deferred.second, 0)
    try countHeld()
  }

  /// Keeps held deletions out of the next batches.
  func hold(_ ids: [RecordID]) throws {
    guard !ids.isEmpty else { return }
    guard heldSince != nil else { return ids.forEach { gather($0) } }
    for id in ids { deferrals[id] = nil }
    try index.write(mount) { tree in
      for id in ids { try tree.letWait(id) }
    }
  }

  /// Brings the numbers up to date, and ends the waiting when nothing is left that waits: it came
  /// back, stands in another mount now, or others deleted it.
  func tendHeld() throws {
    guard heldSince != nil else { return }
    if let look = heldLook, look.due <= clock.now {
      // A mount that looks at its folder later may still find what was moved there.
      heldLook =
        look.count < 6
        ? (clock.now + Deferred.second << Int64(look.count), look.count + 1) : nil
      isHeldStale = true
    }
    guard isHeldStale else { return }
    isHeldStale = false
    try countHeld()
    guard let held = report.held, held.files + held.directories == 0 else { return }
    try release("nothing that was deleted is missing any more")
  }

  private func countHeld() throws {
    guard let heldSince else { return }
    let waiting = try waitingDeletions()
    let directories = waiting.count(where: \.isDirectory)
    let agreed = try index.read(mount) { try $0.agreedFiles() }
    report.held = MountReport.Held(
      files: waiting.count - directories, directories: directories, of: agreed, since: heldSince)
  }

  private func release(_ text: String) throws {
    try index.write(mount) { tree in
      try tree.setHeldSince(nil)
      try tree.stopWaiting()
    }
    heldSince = nil
    heldLook = nil
    brake = DeletionBrake()
    report.held = nil
    report.happened(.released(text))
  }

  // MARK: The person's word

  /// The deletions that wait, the first `limit` of them by their paths, relative to the folder.
  public func heldPaths(limit: Int) throws -> [[UInt8]] {
    guard heldSince != nil else { return [] }
    let waiting = try waitingDeletions()
    return try index.read(mount) { tree in
      try waiting.map { joined(try tree.syncedPath(of: $0.id)) }
        .sorted { $0.lexicographicallyPrecedes($1) }.prefix(limit).map { $0 }
    }
  }

  /// The person meant it: what waits goes to the zone.
  /// - Returns: what waited; nil if nothing did.
  public func confirmHeld() throws -> MountReport.Held? {
    guard heldSince != nil else { return nil }
    try countHeld()
    let held = report.held
    let waiting = try waitingDeletions()
    try index.write(mount) { tree in
      for deletion in waiting { try tree.confirm(deletion.id) }
    }
    try release("the deletions were confirmed")
    return held
  }

  /// The person didn't mean it: what waits comes back from the zone.
  /// - Returns: what waited; nil if nothing did.
  public func undoHeld() throws -> MountReport.Held? {
    guard heldSince != nil else { return nil }
    try countHeld()
    let held = report.held
    let waiting = try waitingDeletions()
    try index.write(mount) { tree in
      for deletion in waiting {
        guard var row = try tree.node(deletion.id), row.local == nil else { continue }
        // As if it had never been here: then it comes.
        row.synced = nil
        try tree.put(row)
        try tree.markDirty(deletion.id, .remote)
      }
    }
    try release("the deletions were undone")
    return held
  }
}
