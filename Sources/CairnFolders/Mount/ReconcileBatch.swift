import CairnDiagnostics
import CairnIdentity
import CairnPlan
import CairnReplica
import CairnZone
import Glibc

/// Plans a batch of records and applies the plan: corrections of identity only, or the folder's
/// steps and then the zone's, and the agreement of both sides last.
///
/// It uses these parts of the state: `notices`, `part`, `planning`, `postpone`, `read`, `report`,
/// `retries`, `scope`, `tell`, `transfers`, `write`, `zone`, `zoneSync`.
struct ReconcileBatch {
  let state: MountState

  init(_ state: MountState) { self.state = state }

  /// A plan, and facts of the same moment about its records.
  private struct Decision {
    var plan: Plan
    /// The position of the zone's last entry.
    var head: UInt64
    /// The records of the zone that the folder's steps follow, and that nothing else is to be done
    /// about.
    var followed: [RecordID: Node] = [:]
    /// The dirty records of the plan that aren't in the batch: the directory of one, for example.
    var beside: [RecordID] = []
  }

  /// Plans the batch and applies the plan.
  func advance(_ batch: [RecordID]) throws {
    let free = state.retries.takePlannable(batch).filter { !state.transfers.has($0) }
    let isPaused = FolderScan(state).isPaused
    let (ids, isHolding) = try DeletionGate(state).brakeDeletions(free)
    guard !ids.isEmpty else { return }
    // What is missing may be found later in the scan.
    let holdsDeletions = isHolding || isPaused
    var decision = try decide(ids, holdsDeletions)
    if try !Downloads(state).handOut(decision.plan.folder) {
      // Nothing else waits for the bytes that are under way.
      decision = try decide(ids, holdsDeletions)
    }
    let plan = decision.plan
    log(plan, of: ids.count)
    if isPaused, !plan.identity.isEmpty || !plan.folder.isEmpty {
      // They are planned anew, with all of the folder.
      return try FolderScan(state).complete()
    }
    for (id, deferral) in plan.deferred { wait(id, deferral, plan.deferred) }
    try DeletionGate(state).hold(plan.deferred.keys.filter { isHeld($0, plan.deferred) })
    if !plan.identity.isEmpty {
      for step in plan.identity { try IdentitySteps(state).carryOut(step) }
      return
    }
    let settled = try FolderSteps(state).carryOut(plan.folder, following: decision.followed)
    guard try DeletionRecheck(state).isStillGone(plan.zone) else { return }
    try SelectionKeeper(state).keep(plan.zone)
    let own = try ZoneCommits(state).commit(plan.zone, after: decision.head)
    state.notices.mayHaveLinks = true
    if !plan.unwanted.isEmpty { state.report.leftOut?.isCurrent = false }
    // Steps settle most of the changes that arrive.
    if !own.isEmpty || !settled.isSuperset(of: ids + decision.beside) {
      try agree(
        Set(ids).union(plan.agreed).subtracting(settled), but: Set(plan.deferred.keys),
        without: plan.unwanted, passing: own)
    }
    state.zoneSync.mayHaveSent = false
    try Downloads(state).dropNeedless(ids, but: Set(plan.deferred.keys))
  }

  private func decide(_ ids: [RecordID], _ holdsDeletions: Bool) throws -> Decision {
    try state.planning(holdsDeletions: holdsDeletions) { trees in
      let plan = try Planner.plan(ids, in: trees, mint: { RecordID.random() })
      var decision = Decision(plan: plan, head: trees.zone.header.sequence)
      let planned = Set(ids)
      decision.beside = try plan.agreed.filter {
        try !planned.contains($0) && trees.folder.isDirty($0)
      }
      for step in plan.folder {
        guard plan.deferred[step.id] == nil, !plan.unwanted.contains(step.id) else { continue }
        decision.followed[step.id] = try trees.remote(step.id).node
      }
      return decision
    }
  }

  private func log(_ plan: Plan, of records: Int) {
    Diagnostics.plan.debug(
      "planned",
      [
        .value("zone", state.part.zone), .value("records", records),
        .value("identity-steps", plan.identity.count), .value("folder-steps", plan.folder.count),
        .value("zone-steps", plan.zone.count), .value("deferred", plan.deferred.count),
      ])
    guard Diagnostics.plan.isTracing else { return }
    for (id, deferral) in plan.deferred {
      Diagnostics.plan.trace(
        "deferred", [.value("record", id), .value("deferral", "\(deferral)")])
    }
  }

  private func wait(
    _ id: RecordID, _ deferral: Deferral, _ all: [RecordID: Deferral]
  ) {
    guard !isHeld(id, all) else { return }
    switch deferral {
    case .held, .unfetched: break
    case .repeated: waitForFolder(id)
    case .tooLong: waitForShorterPath(id)
    // Its bytes are read first in a later sync cycle, unless that failed, which sets the time.
    case .unread:
      if state.retries[id].wait == nil, !state.transfers.has(id) {
        state.postpone(id, .busy, "its bytes aren't read yet")
      }
    case .blocked(let other):
      let reason =
        state.transfers.explanation(of: other) ?? state.retries[other].wait?.explanation
        ?? "\(other)"
      let wait: Wait.Reason = isObstructed(other, all) ? .obstructed : .blocked
      state.postpone(id, wait, "waits for another change (\(reason))")
    }
  }

  /// Returns whether a record, or one that it waits for, waits until a person changes something.
  private func isObstructed(_ id: RecordID, _ all: [RecordID: Deferral]) -> Bool {
    var next = id
    for _ in all {
      guard case .blocked(let other)? = all[next] else { break }
      next = other
    }
    return all[next] == .tooLong || all[next] == .repeated
  }

  /// Lets a version wait that became a conflict copy before, and that the folder shows again.
  /// Another copy would be of no use, and the next scan would perhaps find it again, and so on.
  private func waitForFolder(_ id: RecordID) {
    // Without a path, the problem is one of the whole folder.
    let path = (try? state.read { try $0.path(of: id) }).flatMap { $0 }.map(joined) ?? []
    state.tell(
      PathProblem(
        path: path, code: .constraintViolation,
        message: "the folder shows a version again that was renamed to a conflict copy before",
        remedy: "if the file system shows changes late, wait, or mount it again; to keep this "
          + "version too, rename the file"), of: id)
    state.postpone(id, .obstructed, "the folder shows a version that is a conflict copy already")
  }

  /// Lets a directory of others wait whose path can't be opened here. What is in it waits for it.
  private func waitForShorterPath(_ id: RecordID) {
    let reason = "its path would be too long for this system"
    let path = try? state.zone.read { view in
      let records = ScopedRecords(view, state.scope)
      return try Ascent(from: id) { try records.node($0)?.place }.names.map(\.bytes)
    }
    state.tell(
      PathProblem(
        path: joined(path ?? []), code: .constraintViolation,
        message: "the path of this folder, with the names in it, would be longer than "
          + "\(PATH_MAX - 1) bytes; it isn't in your folder, and nothing in it",
        remedy: "mirror the share nearer to /, or ask its people to shorten names"), of: id)
    state.postpone(id, .obstructed, reason)
  }

  /// Returns whether a record waits for a confirmation; one that needs a held deletion out of its
  /// way waits as long.
  private func isHeld(_ id: RecordID, _ all: [RecordID: Deferral]) -> Bool {
    switch all[id] {
    case .held: true
    case .blocked(let other): all[other] == .held
    default: false
    }
  }

  /// Sets synced to the common state where local and remote are equal now, aspect by aspect; a
  /// record that isn't equal as a whole stays dirty. So does a deferred one, because a part of it
  /// may have been sent. A record that isn't wanted here has no agreement: when it is wanted again,
  /// it is new. `own` are this device's commits, which nobody has to receive here.
  private func agree(
    _ ids: Set<RecordID>, but deferred: Set<RecordID>, without unwanted: Set<RecordID>,
    passing own: [ZoneHeader]
  ) throws {
    var (sent, received) = (Int64(0), Int64(0))
    defer {
      state.report.board.change { work in
        work.sending.names.advance(sent)
        work.receiving.names.advance(received)
      }
    }
    try state.zone.read { view in
      let records = ScopedRecords(view, state.scope)
      let selected = SelectedRecords(view, state.scope)
      try state.write { tree in
        for header in own { try ZoneCommits.pass(header, in: tree, of: state) }
        for id in ids.sorted() {
          let remote = try unwanted.contains(id) ? nil : records.node(id)
          let row = try tree.node(id)
          guard row?.local?.node == remote, !deferred.contains(id) else {
            try agreeInPart(row, remote, in: tree)
            if !deferred.contains(id) { countStall(id) }
            continue
          }
          state.retries.settle(id)
          if var row, row.synced != remote {
            if let remote {
              try tree.setSynced(remote, of: id)
            } else {
              row.synced = nil
              try tree.put(row)
            }
          }
          // A record that stays as it was changes nothing for the directories above it.
          if row?.synced != remote {
            try SelectionKeeper.reconsider(above: row?.synced?.place, selected, in: tree)
          }
          let sides = try tree.takeDirty(id)
          if sides.contains(.local) { sent += 1 }
          if sides.contains(.remote) { received += 1 }
          // What was sent from a directory that isn't selected any more leaves the folder now.
          if sides.contains(.local), remote != nil, try !selected.contains(id) {
            try tree.markDirty(id, .remote)
          }
        }
      }
    }
  }

  private func agreeInPart(_ row: NodeRow?, _ remote: Node?, in tree: FolderTree) throws {
    guard let row, let local = row.local?.node, let remote, let synced = row.synced else { return }
    let common = local.agreement(with: remote, after: synced)
    if common != synced { try tree.setSynced(common, of: row.id) }
  }

  /// Counts the sync cycles in which a record stayed dirty without a reason: a defect of Cairn,
  /// which must not keep the processor busy forever. A lost race for the log is a reason: another
  /// device made progress.
  private func countStall(_ id: RecordID) {
    guard !state.retries.isWaiting(id), state.zoneSync.lostRaces == 0 else { return }
    if state.retries.countStall(id) > 20 {
      state.postpone(id, .failed, "no progress after twenty attempts")
    }
  }
}
