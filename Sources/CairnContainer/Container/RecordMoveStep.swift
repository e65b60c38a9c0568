import CairnReplica
import CairnZone

/// The changes that bring the zone that records enter up to date with the zone that they leave. It
/// owns nothing, and must not know the account.
struct RecordMoveStep {
  let move: RecordMove
  let graph: RecordGraph
  /// This device.
  let device: DeviceID
  /// The position of the old zone's log whose records the new zone has already, if it has any.
  let through: UInt64
  /// The fields that were saved in the old zone after `through`, by record.
  private var edits: [RecordID: [String: FieldValue?]] = [:]
  /// The noted records that another device deleted from the old zone: it moves them elsewhere, or
  /// somebody wants them gone.
  private var gone: [RecordID] = []

  init(move: RecordMove, graph: RecordGraph, device: DeviceID, through: UInt64) {
    (self.move, self.graph, self.device, self.through) = (move, graph, device, through)
  }

  /// Reads what happened in the old zone since `through`.
  mutating func readChanges(of source: Zone) throws {
    guard source.header.sequence > through else { return }
    for commit in try source.log(after: through, limit: .max) {
      for change in commit.records where change.act == .update {
        edits[change.id, default: [:]].merge(change.fields) { $1 }
      }
    }
    let left = Set(move.records).subtracting(graph.moved.map(\.id))
    gone = try source.read { view in
      try left.sorted().filter { id in
        guard let place = try view.deletion(of: id), let author = try view.device(ofCommit: place)
        else { return false }
        return author != device
      }
    }
  }

  /// Returns the changes of the new zone.
  func changes(in view: ZoneView) throws -> [RecordChange] {
    var changes: [RecordChange] = []
    for record in graph.moved {
      if let known = try view.record(record.id) {
        let fields = self.fields(of: record, over: known)
        if !fields.isEmpty {
          changes.append(RecordChange(id: record.id, act: .update, fields: fields))
        }
      } else if try !wasDeleted(record.id, in: view) {
        changes.append(RecordChange(creating: record))
      }
    }
    for record in graph.copied
    where try view.record(record.id) == nil && !wasDeleted(record.id, in: view) {
      changes.append(RecordChange(creating: record))
    }
    for id in gone {
      // If anybody else has changed it, it stays.
      if let known = try view.record(id), isPut(known),
        known.changed.sequence == known.created.sequence
      {
        changes.append(RecordChange(id: id, act: .delete))
      }
    }
    return changes
  }

  /// Returns whether somebody deleted a record from the new zone after the move had begun.
  private func wasDeleted(_ id: RecordID, in view: ZoneView) throws -> Bool {
    try view.deletion(of: id).map { $0 > move.joined } ?? false
  }

  /// Returns whether this move created a record in the new zone.
  private func isPut(_ known: Record) -> Bool {
    known.created.device == device && known.created.sequence > move.joined
  }

  /// Returns the fields to save over a record that the new zone has.
  private func fields(of record: Record, over known: Record) -> [String: FieldValue?] {
    if isPut(known) {
      guard record.changed.sequence > through else { return [:] }
      let edited = edits[record.id] ?? record.fields.mapValues { $0 }
      return edited.filter { name, value in known.fields[name] != value }
    }
    guard known.changed.device != device || known.changed.sequence <= move.joined else {
      return [:]
    }
    // An earlier copy, or another device moves it, too. The save tells that device, which takes
    // back only what nobody has saved since, that the record belongs here.
    return record.fields.merging(known.fields) { $1 }.mapValues { $0 }
  }
}
