import CairnCloud

extension CairnMirror {
  /// A row to save, ready for the commit.
  private struct Ready: Sendable {
    let id: RecordID
    let type: String
    let position: Int64?
    let fields: [String: FieldValue]
    let names: Set<String>
  }

  /// Sends changes of one zone in one commit. If they don't fit into one, they are split, parents
  /// first. A zone that refuses them leaves the reason at the rows.
  /// - Returns: The records to read once more: they were as they should be, or others changed them.
  func send(_ batch: Batch) async throws(CloudError) -> [RecordID] {
    guard let zone = zones[batch.zone] else { return [] }
    guard zone.canEdit else {
      try refuse(batch, .permissionFailure, "you can only view “\(zone.name)”")
      return []
    }
    do throws(CloudError) {
      return try await commit(batch, to: zone)
    } catch {
      if error.code == .limitExceeded, let halves = batch.halves {
        return try await send(halves[0]) + send(halves[1])
      }
      guard error.remedy != .retry, error.code != .operationCancelled else { throw error }
      try refuse(batch, error.code, error.message)
      return []
    }
  }

  private func commit(_ batch: Batch, to zone: CloudZone) async throws(CloudError) -> [RecordID] {
    var saves: [Ready] = []
    for save in batch.saves {
      var fields: [String: FieldValue] = [:]
      for (name, value) in save.fields {
        switch value {
        case .field(let field): fields[name] = field
        case .asset(let bytes, let isText):
          let asset = try await zone.upload(bytes: bytes)
          fields[name] = isText ? .list([.asset(asset)]) : .asset(asset)
        }
      }
      saves.append(
        Ready(
          id: save.place.record, type: save.type, position: save.place.position, fields: fields,
          names: save.names))
    }
    let (all, deletes) = (saves, batch.deletes.map { ($0.record, $0.position) })
    return try await zone.modify { draft throws(CloudError) in
      var (unchanged, saved, deleted): ([RecordID], [CloudRecord], [RecordID]) = ([], [], [])
      var isStale = false
      for save in all {
        let known = try draft.record(save.id)
        guard known?.changed.map({ Int64(clamping: $0.position) }) == save.position else {
          unchanged.append(save.id)
          isStale = true
          continue
        }
        var record = known ?? CloudRecord(save.type, id: save.id)
        for name in save.names { record[name] = save.fields[name] }
        if known == nil || !record.changedKeys.isEmpty {
          saved.append(record)
        } else {
          unchanged.append(save.id)
        }
      }
      for (id, position) in deletes {
        guard let known = try draft.record(id) else {
          unchanged.append(id)
          continue
        }
        if known.changed.map({ Int64(clamping: $0.position) }) == position {
          deleted.append(id)
        } else {
          unchanged.append(id)
          isStale = true
        }
      }
      // Others were faster: their changes come first, and nothing is sent before.
      guard !isStale else { return unchanged }
      for record in saved { draft.save(record) }
      for id in deleted { draft.delete(id) }
      return unchanged
    }
  }

  private func refuse(
    _ batch: Batch, _ code: CloudError.Code, _ message: String
  ) throws(CloudError) {
    try ledger.db.transaction { () throws(CloudError) in
      for var place in batch.saves.map(\.place) + batch.deletes {
        guard var known = try ledger.place(place.zone, place.record) else { continue }
        known.problem = "\(code.rawValue)|\(message)"
        place = known
        try ledger.save(place)
      }
    }
  }
}
