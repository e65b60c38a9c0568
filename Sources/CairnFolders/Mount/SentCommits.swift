import CairnIdentity
import CairnPlan
import CairnReplica
import CairnZone

/// A commit whose answer got lost.
///
/// It uses these parts of the state: `read`, `scope`, `write`, `zone`, `zoneSync`.
struct SentCommits {
  let state: MountState

  init(_ state: MountState) { self.state = state }

  /// Notes the agreement of both sides where the zone has the state of the last scan. A person's
  /// change since this device's own commit would seem to conflict with it.
  func recognizeOwnCommit() throws {
    state.zoneSync.needsPull = true
    try ZonePull(state).pullIfNeeded()
    try state.zone.read { view in
      let records = ScopedRecords(view, state.scope)
      try state.write { tree in
        let sent = state.zoneSync.perhapsSent ?? [:]
        for id in try Set(tree.dirty(limit: .max)).union(sent.keys).sorted() {
          var row = try tree.node(id) ?? NodeRow(id: id, local: nil, synced: nil)
          guard let local = sent[id] ?? row.local?.node, local != row.synced else { continue }
          let presence = try records.presence(id)
          let remote = presence.node
          if try local == remote || row.synced == nil && wasSent(local, id, presence, view) {
            row.synced = local
          } else {
            if let remote {
              row.synced = row.synced.map { local.agreement(with: remote, after: $0) }
            }
            // Somebody may have changed or deleted the record since.
            if case .file(let content?) = local.kind, local.kind != remote?.kind,
              case .file(let agreed?) = row.synced?.kind,
              try view.hadContent(content, after: agreed, record: id)
            {
              row.synced?.kind = local.kind
              row.synced?.attributes.modified = local.attributes.modified
            }
          }
          guard row.local != nil || row.synced != nil else { continue }
          try tree.put(row)
          if sent[id] != nil, row.local?.node != row.synced { try tree.markDirty(id, .local) }
        }
      }
    }
    state.zoneSync.mayHaveSent = false
  }

  /// Remembers the nodes that the zone may have accepted, before the folder is scanned.
  func rememberSent() throws {
    guard state.zoneSync.perhapsSent == nil else { return }
    state.zoneSync.perhapsSent = try state.read { tree in
      var sent: [RecordID: Node] = [:]
      for id in try tree.dirty(limit: .max) {
        guard let row = try tree.node(id), let local = row.local?.node, local != row.synced
        else { continue }
        sent[id] = local
      }
      return sent
    }
  }

  /// Returns whether a node without an agreement was sent nevertheless, and its record was changed,
  /// moved or deleted since.
  private func wasSent(
    _ local: Node, _ id: RecordID, _ presence: Presence, _ view: ZoneView
  ) throws -> Bool {
    switch presence {
    case .here, .elsewhere: break
    case .inAnotherZone, .nowhere: guard try view.deletion(of: id) != nil else { return false }
    }
    switch local.kind {
    case .file(let content?): return try view.hadContent(content, record: id)
    case .directory: return presence.node?.isDirectory ?? true
    case .file(nil), .symlink: return false
    }
  }
}
