import CairnPlan
import CairnReplica
import CairnZone

/// Reads new entries of the zone's log, and notes their effects on the folder.
///
/// It uses these parts of the state: `held`, `notices`, `read`, `references`, `report`, `retries`,
/// `zone`, `zoneSync`.
struct ZonePull {
  let state: MountState

  init(_ state: MountState) { self.state = state }

  func pullIfNeeded() throws {
    guard state.zoneSync.needsPull else { return }
    state.zoneSync.needsPull = false
    do { try pull() } catch {
      state.zoneSync.needsPull = true
      // Local changes are counted meanwhile, and wait.
      try PendingRecords(state).countPending(exactly: true)
      throw error
    }
    // All received entries are processed; the next read finds where the zone continues, although no
    // local change waits for it.
    if state.zone.trouble?.kind == .elsewhere { state.zoneSync.needsPull = true }
  }

  func pull() throws {
    try state.zone.pull()
    try Attachment(state).noteStart()
    guard try MountSelection(state).departure(isAtRest: false) == nil else { return }
    try takeRemoteChanges()
    if state.zoneSync.isSelectionBehind { try SelectionKeeper(state).follow() }
  }

  /// Marks the changes in the zone since the mount's change token.
  private func takeRemoteChanges() throws {
    var isComplete = false
    state.held.mayHaveChanged()
    while !isComplete {
      let token = try state.read { try $0.seenEnd }
      let head = state.zone.header.sequence
      let changes = try state.zone.read { view in
        try Comparison.check(token, in: view)
        if token.seen < view.header.floor?.forgotten ?? 0 {
          try Comparison(state).markForgotten(view)
        }
        return token.seen < head ? try view.changes(after: token.seen, limit: 5_000) : nil
      }
      guard let changes else { return }
      try MountSelection(state).mark(changes.ids, through: changes.through)
      for id in changes.ids { state.retries.release(id) }
      state.references.areDue = true
      state.report.progress.arrived += changes.ids.count
      state.notices.mayHaveBytes()
      isComplete = changes.through >= head
    }
  }
}
