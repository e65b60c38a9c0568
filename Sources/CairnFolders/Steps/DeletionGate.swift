import CairnPlan
import CairnReplica
import CairnZone

/// Holds mass deletions until the person confirms them. `DeletionBrake` decides, and the planner
/// ignores held deletions. This type counts deletions, keeps them out of the batches, and sends or
/// reverts them.
///
/// It uses these parts of the state: `clock`, `held`, `index`, `isReadOnly`, `mount`, `only`,
/// `path`, `read`, `report`, `retries`, `scope`, `write`, `zone`.
struct DeletionGate {
  let state: MountState

  init(_ state: MountState) { self.state = state }

  /// Returns the records of a batch to plan now, and whether deletions wait: because more of them
  /// may follow, or because they are very many.
  ///
  /// All deletions wait for a moment, in every folder. If the whole folder is removed, its root is
  /// deleted last. Then the folder is detached, or its person leaves the share, and none of the
  /// deletions was meant for others. The sync cycle checks the root before anything is committed.
  /// If the person can't edit, their deletions wait in the same way before they are reverted. A
  /// file that returned at once would keep its directory, and with it the root.
  func brakeDeletions(_ ids: [RecordID]) throws -> (ids: [RecordID], holdsDeletions: Bool) {
    guard state.only == nil else { return (ids, false) }
    guard state.held.since == nil || state.isReadOnly else { return (ids, true) }
    let (deleted, directories) = try sort(ids)
    // A deletion that waited for another reason meanwhile isn't new: it would delay all others.
    if state.retries.count(deleted) {
      try state.held.found {
        let limit = DeletionBrake.many + 1
        guard try state.read({ try $0.localFiles(limit: limit) }) < limit else { return nil }
        let counts = try countable()
        return counts.left + counts.waiting.count
      }
    }
    if !deleted.isEmpty {
      switch try verdict(batch: deleted.count) {
      case .go:
        state.held.stopGathering()
        // They are reverted now, and don't count with later deletions.
        if state.isReadOnly { state.held.went(0, at: state.clock.now) }
      case .gather(let end): state.held.gather(until: end)
      case .hold:
        try beginToHold()
        return (ids, true)
      }
    }
    guard state.held.isGathering else { return (ids, false) }
    // Directories whose times the deletions changed wait, too.
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

  /// Returns the records of the batch that were deleted here, and the existing directories.
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
    state.retries[id].wait = Wait(
      reason: .held, explanation: explanation, until: state.held.gathering ?? state.clock.now,
      tries: 0)
  }

  /// Returns the decision about the deletions of a batch, of at least one, and of later batches.
  private func verdict(batch: Int) throws -> DeletionBrake.Verdict {
    // The folder of another mount below this one is removed with it, and only that mount is told.
    if let time = state.index.neighbours.lastLeft(below: state.path, otherThan: state.mount) {
      state.held.sawOther(at: time)
    }
    // Most deletions are few, and most of the others may be followed by more. That can be found out
    // without a check of all changed nodes, and without a count of all files.
    let limit = DeletionBrake.few + 1
    let some = try state.read { max(1, try $0.deletions(limit: limit).count) }
    var early = state.held
    if case .gather(let end) = early.verdict(waiting: some, left: { 0 }) {
      return .gather(until: end)
    }
    guard !state.isReadOnly else { return .go }
    var verdict = DeletionBrake.Verdict.go
    if state.held.brake.needsCount(waiting: some) {
      let counts = try countable()
      verdict = state.held.verdict(waiting: counts.waiting.count) { counts.left }
    }
    if verdict == .go, some > min(batch, DeletionBrake.few) {
      // They were judged together; the batches that contain them aren't judged again.
      let waiting = try waitingDeletions()
      try state.write { tree in
        for deletion in waiting { try tree.confirm(deletion.id) }
      }
    }
    return verdict
  }

  /// Returns the files that would be deleted in the zone, and the number of files in the folder,
  /// both without the files in directories that churn.
  private func countable() throws -> (waiting: [RecordID], left: Int) {
    let files = try waitingDeletions().filter { !$0.isDirectory }.map(\.id)
    return try state.read { tree in
      let churn = try ChurningDirectories(in: tree)
      return (try files.filter { try !churn.hold($0) }, try tree.localFiles() - churn.files())
    }
  }

  /// Returns the deletions that would be sent to the zone after a confirmation.
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

  /// Counts deletions that were sent to the zone.
  func countGone(_ changes: [RecordChange]) throws {
    let deleted = changes.filter { $0.act == .delete }
    guard !deleted.isEmpty else { return }
    // Up to so many are added to those that follow.
    let files = try state.read { tree in
      try deleted.lazy.filter { try tree.node($0.id)?.synced?.isDirectory == false }
        .prefix(DeletionBrake.few).count
    }
    if files > 0 { state.held.went(files, at: state.clock.now) }
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
    for id in ids { state.retries.release(id) }
    try state.write { tree in
      for id in ids { try tree.letWait(id) }
    }
  }

  /// Updates the counts, and ends the waiting when no deletion waits any more: the entries came
  /// back, are in another mount now, or were deleted by others.
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

  /// Returns the waiting deletions, the first `limit` of them by their paths, relative to the
  /// folder.
  func heldPaths(limit: Int) throws -> [[UInt8]] {
    guard state.held.since != nil else { return [] }
    let waiting = try waitingDeletions()
    return try state.read { tree in
      try waiting.map { joined(try tree.syncedPath(of: $0.id)) }
        .sorted { $0.lexicographicallyPrecedes($1) }.prefix(limit).map { $0 }
    }
  }

  /// Sends the waiting deletions to the zone, after the person's confirmation.
  /// - Returns: The deletions that waited; nil if there were none.
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

  /// Restores the waiting deletions from the zone, because the person didn't intend them.
  /// - Returns: The deletions that waited; nil if there were none.
  func undoHeld() throws -> MountReport.Held? {
    guard state.held.since != nil else { return nil }
    try FolderSteps(state).finishPortion()
    try countHeld()
    let told = state.report.held
    let waiting = try waitingDeletions()
    try state.write { tree in
      for deletion in waiting {
        guard var row = try tree.node(deletion.id), row.local == nil else { continue }
        // The record counts as never having been here, so that it is restored.
        row.synced = nil
        try tree.put(row)
        try tree.markDirty(deletion.id, .remote)
      }
    }
    try release("the deletions were undone")
    return told
  }
}
