import CairnPlan
import CairnReplica
import CairnZone

/// Reads new entries of the zone's log, and notes their effects on the folder.
///
/// It uses these parts of the state: `held`, `index`, `notices`, `read`, `references`, `report`,
/// `retries`, `zone`, `zoneSync`.
struct ZonePull {
  let state: MountState

  init(_ state: MountState) { self.state = state }

  func pullIfNeeded() throws {
    let isLost = state.zoneSync.noteLosses(state.index.losses)
    let isHintOnly = !isLost && !state.zoneSync.needsPull
    guard !isHintOnly || state.zoneSync.isHinted else { return }
    (state.zoneSync.needsPull, state.zoneSync.isHinted) = (false, false)
    do {
      if isHintOnly { try state.zone.pullIfHinted() } else { try state.zone.pull() }
      try takeChanges()
    } catch {
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
    try takeChanges()
  }

  private func takeChanges() throws {
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
      let changes = try state.zone.read { view -> (ids: [RecordID], through: UInt64)? in
        try Comparison.check(token, in: view)
        if token.seen < view.header.floor?.forgotten ?? 0 {
          try Comparison(state).markForgotten(view)
        }
        guard token.seen < head else { return nil }
        let changes = try view.changes(after: token.seen, limit: 5_000)
        try MountSelection(state).mark(changes.ids, through: changes.through, in: view)
        return changes
      }
      guard let changes else { return }
      for id in changes.ids { state.retries.release(id) }
      state.references.areDue = true
      if !changes.ids.isEmpty { state.zoneSync.hasChanges = true }
      state.report.progress.arrived += changes.ids.count
      state.notices.mayHaveBytes()
      isComplete = changes.through >= head
    }
  }
}
