import CairnPlan
import CairnReplica
import CairnZone

/// The waiting records of a mount, with their directions and reasons.
///
/// It uses these parts of the state: `clock`, `held`, `notices`, `read`, `report`, `retries`,
/// `transfers`, `zone`.
struct PendingRecords {
  let state: MountState

  init(_ state: MountState) { self.state = state }

  /// Returns the number of records that wait in either direction, including those that wait for a
  /// time.
  func pendingCount() throws -> Int {
    try state.read { try $0.dirtyCount }
  }

  /// Updates the report; the sides that changed are counted only from time to time while there is
  /// work.
  func countPending(exactly: Bool) throws {
    let now = state.clock.now
    guard exactly || state.notices.isCountDue(now) || state.report.progress.pending == 0 else {
      return
    }
    try state.read { tree in
      state.report.progress.pending = try tree.dirtyCount
      state.report.progress.waiting = state.held.since == nil ? 0 : try tree.waitingCount
      let (local, remote) = try tree.dirtyCounts
      state.report.progress.pendingLocal = local
      state.report.progress.pendingRemote = remote
      // Only a person can confirm deletions, so they aren't work.
      let own = max(0, local - state.report.progress.waiting)
      state.report.board.change { $0.count(sending: own, receiving: remote, at: now) }
      state.notices.count(at: now)
    }
    if state.report.progress.pending > 0 { try WorkCount(state).countBytes() }
  }

  /// Ends the waiting of records whose time has come and that have nothing left to do: their files
  /// were deleted before they were sent, for example. The engine would wake for them again and
  /// again.
  func forgetSettledWaits() throws {
    let due = state.retries.due
    guard !due.isEmpty else { return }
    let settled = try state.read { tree in try due.filter { try !tree.isDirty($0) } }
    for id in settled { state.retries.release(id) }
  }

  /// Returns up to `limit` waiting paths, each with the reason if one is known.
  func pending(limit: Int) throws -> [(path: [UInt8], reason: String)] {
    try state.zone.read { view in
      try state.read { tree in
        try tree.dirty(limit: limit).map { id in
          let names = try tree.path(of: id) ?? Self.path(of: id, in: view)
          return (joined(names), explanation(of: id))
        }
      }
    }
  }

  func explanation(of id: RecordID) -> String {
    state.transfers.explanation(of: id) ?? state.retries[id].wait?.explanation ?? "being synced"
  }

  /// Returns the zone's path of a record that isn't in the folder yet.
  static func path(of id: RecordID, in view: ZoneView) throws -> [FileNameBytes] {
    try Ascent(from: id) { try view.record($0)?.place }.names.map(\.bytes)
  }
}
