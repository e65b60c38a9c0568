import CairnCloud
import CairnPlan
import CairnZone

/// What waits in a mount, in which direction, and why.
struct PendingRecords {
  let state: MountState

  init(_ state: MountState) { self.state = state }

  /// How many records wait in either direction, also those that wait for a time.
  func pendingCount() throws -> Int {
    try state.read { try $0.dirtyCount }
  }

  /// Brings the report up to date; which side changed is counted now and then while there is work.
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
      state.report.board.change { $0.count(sending: local, receiving: remote, at: now) }
      state.notices.count(at: now)
    }
    if state.report.progress.pending > 0 { try WorkCount(state).countBytes() }
  }

  /// Brings the report up to date while the folder can't be looked at, by what was told of it.
  func countUnseen() throws {
    try countPending(exactly: true)
    let unseen = try UnseenChanges(state).count()
    state.report.progress.pending += unseen
    state.report.progress.pendingLocal += unseen
  }

  /// Up to `limit` paths that wait, each with the reason if one is known.
  func pending(limit: Int) throws -> [(path: [UInt8], reason: String)] {
    try state.zone.read { view in
      try state.read { tree in
        try tree.dirty(limit: limit).map { id in
          let names = try tree.path(of: id) ?? Self.path(of: id, in: view)
          return (joined(names), state.agenda[id].wait?.explanation ?? "in work")
        }
      }
    }
  }

  /// Where the zone has a record that isn't in the folder yet.
  private static func path(of id: RecordID, in view: ZoneView) throws -> [FileNameBytes] {
    try Ascent(from: id) { try view.record($0)?.place }.names.map(\.bytes)
  }
}
