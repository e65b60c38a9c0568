import CairnPlan
import CairnReplica
import CairnZone

/// The changes that a zone got after its records had been read for their return to the outer zone,
/// which therefore lacks them. They count as changes that this folder has not sent yet: the agreed
/// state of such a record becomes the state that returned.
struct LateChanges {
  /// The reference that was replaced by the records.
  let row: ReferenceRow
  /// The outer zone.
  let view: ZoneView
  /// The zone that the records left; nil if it can't be opened any more.
  let past: ZoneView?
  /// A Boolean value that indicates whether that zone was read to its end.
  let isReadThrough: Bool

  /// Changes the agreed states of the records that the other mount knew, and that are in this
  /// mount's tree now.
  func reopen(_ ids: [RecordID], in tree: FolderTree, _ scope: MountScope) throws {
    guard let returned = try view.deletion(of: row.id) else { return }
    // Rows that moved from another mount have only the attributes that every zone carries.
    var scope = scope
    scope.carried = []
    let records = ScopedRecords(view, scope)
    // The entry that returned the records names only those that were left.
    let rows = try ids.compactMap { try tree.node($0) }
      .filter { try records.node($0.id) != $0.synced }
    for row in rows { try tree.markDirty(row.id, .remote) }
    for (id, synced) in try agreements(for: rows, Set(ids), records, returned) {
      var row = try tree.node(id) ?? NodeRow(id: id, local: nil, synced: nil)
      row.synced = synced
      try tree.put(row)
      try tree.markDirty(id)
    }
  }

  /// Returns the agreed states to set, nil for none.
  private func agreements(
    for rows: [NodeRow], _ known: Set<RecordID>, _ records: ScopedRecords, _ returned: UInt64
  ) throws -> [RecordID: Node?] {
    var found: [RecordID: Node?] = [:]
    for row in rows {
      guard let synced = row.synced else { continue }
      if let state = try state(row.id, returned) {
        if try isLate(synced, than: state, row.id) { found[row.id] = .some(state) }
      } else if try wasCreatedLate(row.id, returned) {
        found[row.id] = .some(nil)
      }
    }
    for (id, state) in try deletedLate(known, returned, records) {
      found[id] = state
    }
    return found
  }

  /// Returns the state of a record that the returning entry created; nil if it created none.
  private func state(_ id: RecordID, _ returned: UInt64) throws -> Node? {
    guard let record = try view.version(of: id, at: returned)?.record,
      record.created.sequence == returned
    else { return nil }
    return Node(record)
  }

  /// Returns whether the other zone had the agreed state later than the one that returned.
  private func isLate(_ synced: Node, than state: Node, _ id: RecordID) throws -> Bool {
    guard synced != state else { return false }
    // Unsent to anywhere that is left: it must not be lost.
    guard let past else { return synced.kind != state.kind }
    let versions = try past.versions(of: innerID(id), limit: 1_000).map { here($0.record, state) }
    guard let own = versions.firstIndex(of: synced), let other = versions.firstIndex(of: state)
    else { return false }
    return own < other
  }

  /// Returns whether a record that did not return was created, or created again, afterwards.
  private func wasCreatedLate(_ id: RecordID, _ returned: UInt64) throws -> Bool {
    guard try view.record(id) == nil, try (view.deletion(of: id) ?? 0) <= returned else {
      return false
    }
    guard let past else { return try view.versions(of: id, limit: 1).isEmpty }
    guard let record = try past.record(innerID(id)) else { return false }
    // Without the end of the log, somebody may have deleted others' records there.
    return isReadThrough || record.changed.device == view.device
  }

  /// Returns the records that returned and that were deleted in the other zone afterwards.
  private func deletedLate(
    _ known: Set<RecordID>, _ returned: UInt64, _ records: ScopedRecords
  ) throws -> [RecordID: Node] {
    guard let past else { return [:] }
    var found: [RecordID: Node] = [:]
    let top = row.record
    var next = row.isFile ? [top] : try records.children(of: top)
    while let id = next.popLast() {
      guard let node = try records.node(id) else { continue }
      if node.isDirectory { next += try records.children(of: id) }
      guard !known.contains(id), try past.record(innerID(id)) == nil,
        try past.deletion(of: innerID(id)) != nil,
        try state(id, returned) == node
      else { continue }
      found[id] = node
    }
    return found
  }

  private func innerID(_ id: RecordID) -> RecordID { id == row.record ? row.part.base : id }

  /// Returns a version of the other zone as a node of this mount. The place of a single file is the
  /// reference's.
  private func here(_ record: Record, _ state: Node) -> Node? {
    guard var node = Node(record) else { return nil }
    if record.id == row.part.base { node.place = state.place }
    if node.place.parent == row.part.base { node.place.parent = row.record }
    return node
  }
}
