import CairnContainer
import CairnControl
import CairnIdentity
import CairnReplica
import CairnStore
import CairnZone

@_spi(Served) extension ProgramRequests {
  /// Reads records.
  public func answer(_ request: Control.ProgramRecords) throws -> Control.ProgramRecordsReply {
    let zone = try zone(request.zone)
    if request.isRefreshing { _ = try zone.refresh() }
    var reply = Control.ProgramRecordsReply(records: [], sequence: zone.inner.header.sequence)
    if let query = request.query {
      let part = QueryPart(
        limit: request.limit, cursor: try request.cursor.map { try CloudQuery.Cursor(wire: $0) })
      let page = try zone.page(of: try CloudQuery(query), part)
      (reply.records, reply.cursor) = (page.records.map(\.wire), page.next?.wire)
    } else {
      for text in request.records {
        if let record = try zone.record(try RecordID(wire: text)) {
          reply.records.append(record.wire)
        }
      }
    }
    return reply
  }

  /// Lists the versions of a record.
  public func answer(_ request: Control.ProgramHistory) throws -> Control.ProgramRecordsReply {
    let zone = try zone(request.zone)
    let records = try zone.history(of: try RecordID(wire: request.record))
    return Control.ProgramRecordsReply(
      records: records.map(\.wire), sequence: zone.inner.header.sequence)
  }

  /// Lists the changes since a token.
  public func answer(_ request: Control.ProgramChanges) throws -> Control.ProgramChangesReply {
    let zone = try zone(request.zone)
    let changes = try zone.changes(
      since: request.since.map { ZoneToken(text: $0) }, limit: request.limit)
    return Control.ProgramChangesReply(
      changed: changes.changed.map(\.wire),
      deleted: changes.deleted.map {
        Control.ProgramDeletion(id: $0.id.description, type: $0.type)
      }, token: changes.token.text, moreComing: changes.moreComing, canEdit: zone.canEdit)
  }

  /// Saves and deletes records. A repeated request is performed once.
  public func answer(_ request: Control.ProgramModify) throws -> Control.ProgramModifyReply {
    guard request.operation.utf8.count == 32,
      readHexadecimal(Array(request.operation.utf8)) != nil
    else { throw CloudError.unreadable("the name of an operation") }
    let zone = try writableZone(request.zone)
    let changes = RecordChanges(
      saving: try request.saving.map { try CloudRecord($0) },
      deleting: try request.deleting.map { try CloudRecord($0) },
      gone: try request.gone.map { try RecordID(wire: $0) },
      policy: SavePolicy(request.policy), sequence: request.sequence)
    let notes = CommitNotes(operation: request.operation, attempts: attempts)
    do {
      let saved = try attempts.alone(in: request.zone) { try zone.save(changes, noting: notes) }
      return Control.ProgramModifyReply(records: saved.map(\.wire), conflicts: [], failed: [])
    } catch {
      let error = CloudError(error)
      return Control.ProgramModifyReply(
        records: [],
        conflicts: error.conflicts.map {
          Control.ProgramConflict(id: $0.client.id.description, server: $0.server?.wire)
        }, failed: error.records.map(\.description), error: error.wire)
    }
  }

  /// Stores bytes in a zone. `fill` fills a buffer, and returns 0 at the end.
  public func store(
    in zone: String, _ fill: (UnsafeMutableRawBufferPointer) throws -> Int
  ) throws -> Control.ProgramAsset {
    try writableZone(zone).upload(fill).wire
  }

  /// Checks that the program may change a zone.
  public func requireWritable(_ zone: String) throws { _ = try writableZone(zone) }

  /// Passes on the bytes of an asset.
  public func read(
    _ request: Control.ProgramDownload, _ body: (UnsafeRawBufferPointer) throws -> Void
  ) throws {
    try zone(request.zone).download(try Asset(request.asset), body)
  }

  /// Calls a function when a zone may have changed, as long as the result exists.
  /// - Returns: nil if the program may not use the zone.
  public func follow(_ zone: String, _ hint: @escaping @Sendable () -> Void) throws -> Subscription?
  {
    do { return try self.zone(zone).inner.follow(hint) } catch let error as CloudError {
      guard error.code == .zoneNotFound else { throw error }
      return nil
    }
  }

  /// Turns an error of these requests into that of an answer.
  public static func error(_ error: any Error) -> ControlError { CloudError(error).wire }
}
