import CairnControl
import CairnFolders
import CairnIdentity
import CairnReplica
import CairnZone

/// The operation that lists for programs what changed since their last request.
struct ChangesOperations: Operations {
  let targets: TargetResolver
  let persons: Persons

  /// The approximate number of records that are read at a time.
  private static let portion = 512

  func add(to routes: inout ControlRoutes) {
    routes.answer(Control.Changes.self) { try changes($0, $1) }
  }

  private func changes(
    _ request: Control.Changes, _ stream: ResponseStream
  ) throws -> Control.ChangesReply {
    let zone = try targets.mounted(request.path, for: Control.Changes.self).mount.zone
    let token = try request.since.map { try ChangeToken(parsing: $0) }
    do { try zone.pull() } catch let error as CloudError {
      // The replayed part is listed nevertheless, and the token continues from there.
      guard error.isWorthRetrying else { throw error }
    }
    var place = try zone.read { view in try token.map { try view.place(of: $0) } ?? 0 }
    let end = zone.header.sequence
    while place < end {
      let (found, through) = try zone.read { view in
        let (ids, through) = try view.changes(after: place, limit: Self.portion)
        return (try ids.map { try tell($0, view) }, through)
      }
      try stream.items(found)
      place = through
    }
    let last = try zone.read { try $0.token(at: place) }
    return Control.ChangesReply(zone: zone.id.description, changes: [], token: last.text)
  }

  private func tell(_ id: RecordID, _ view: ZoneView) throws -> Control.Change {
    guard let record = try view.record(id) else {
      return Control.Change(
        record: id.description, deleted: true, sequence: try view.deletion(of: id))
    }
    let path = try ZoneHistory(view: view) { $0.description }.path(of: id)
    return Control.Change(
      record: id.description, deleted: false, path: path.map { Control.Path($0) },
      type: record.type.told, sequence: record.changed.sequence,
      changedBy: persons.told(record.changed.user))
  }
}
