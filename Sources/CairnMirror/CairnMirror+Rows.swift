import CairnCloud

/// The unsent part of a mirror.
public struct MirrorStatus: Hashable, Sendable {
  /// The rows with changes that aren't sent.
  public let unsent: Int
  /// Those of them that a zone refuses.
  public let refused: Int
  /// The records that can't be rows yet: they refer to a record that isn't here, or a rule of the
  /// table refuses them.
  public let waiting: Int
}

/// A row that a zone refuses, and the reason.
public struct MirrorProblem: Hashable, Sendable {
  /// The row.
  public let row: MirroredRow
  /// The kind of the error.
  public let code: CloudError.Code
  /// The event, for people.
  public let message: String
}

/// A change that a `sync` would send.
public struct PlannedChange: Hashable, Sendable {
  /// The row.
  public let row: MirroredRow
  /// The zone.
  public let zone: ZoneID
  /// A Boolean value that indicates whether the row's record is deleted there.
  public let isDeletion: Bool
}

/// A change in the history of a mirror (NSPersistentHistoryChange).
public struct MirrorChange: Hashable, Sendable {
  /// The kinds of changes.
  public enum Kind: String, Hashable, Sendable, CaseIterable {
    /// A new row arrived.
    case insert
    /// Changes of a row arrived.
    case update
    /// A row was deleted by somebody else.
    case delete
    /// A change of this device was sent.
    case sent
  }

  /// The position of the change. The next `history(since:)` begins behind it.
  public let token: Int64
  /// The row.
  public let row: MirroredRow
  /// The kind.
  public let kind: Kind
  /// The author; nil if unknown, as for deletions.
  public let person: PersonID?
  /// The clock of the author, in nanoseconds since 1970, only for display.
  public let time: Int64
}

extension CairnMirror {
  // MARK: Unsent rows

  /// The number of unsent rows, and of records that wait.
  public func status() throws(CloudError) -> MirrorStatus {
    var (unsent, refused) = (0, 0)
    for shape in ledger.shapes {
      let counts = try ledger.db.run(
        """
        SELECT count(*), count(s.problem IS NOT NULL OR EXISTS (
          SELECT 1 FROM cairn_place WHERE tbl = ? AND row = s.row AND problem IS NOT NULL) OR NULL)
        FROM \(shape.side) AS s WHERE pending > 0
        """, [.integer(shape.number)])
      unsent += Int(counts[0][0].int ?? 0)
      refused += Int(counts[0][1].int ?? 0)
    }
    return MirrorStatus(unsent: unsent, refused: refused, waiting: try ledger.waiting().count)
  }

  /// The rows that a zone refuses.
  public func problems() throws(CloudError) -> [MirrorProblem] {
    var found: [RowNumber: String] = [:]
    for place in try ledger.refusedPlaces() { found[place.row] = place.problem }
    for (table, shape) in ledger.shapes.enumerated() {
      for row in try ledger.db.run(
        "SELECT row, problem FROM \(shape.side) WHERE problem IS NOT NULL")
      {
        found[RowNumber(table: table, row: row[0].int ?? 0)] = row[1].string
      }
    }
    var problems: [MirrorProblem] = []
    for (row, text) in found.sorted(by: { ($0.key.table, $0.key.row) < ($1.key.table, $1.key.row) })
    {
      let parts = text.split(separator: "|", maxSplits: 1).map(String.init)
      problems.append(
        MirrorProblem(
          row: try name(row), code: .init(rawValue: parts[0]) ?? .internalError,
          message: parts.last ?? ""))
    }
    return problems
  }

  /// Returns the changes that a `sync` would send, and changes nothing.
  public func plan() throws(CloudError) -> [PlannedChange] {
    let (ledger, main, editable) = (ledger, mainNumber, editable)
    return try ledger.db.transaction(isKept: false) { () throws(CloudError) -> [PlannedChange] in
      var collector = try Collector(ledger, main: main, editable: editable)
      let batches = try collector.collect()
      let ids = Dictionary(uniqueKeysWithValues: try ledger.zones().map { ($0.number, $0.id) })
      var changes: [PlannedChange] = []
      for batch in batches {
        guard let zone = ids[batch.zone] else { continue }
        for (place, isDeletion) in batch.saves.map({ ($0.place, false) })
          + batch.deletes.map({ ($0, true) })
        {
          changes.append(
            PlannedChange(row: try name(place.row), zone: zone, isDeletion: isDeletion))
        }
      }
      return changes
    }
  }

  private func name(_ row: RowNumber) throws(CloudError) -> MirroredRow {
    MirroredRow(ledger.shape(row).name, values: try ledger.lastKey(row) ?? [])
  }

  func number(_ row: MirroredRow) throws(CloudError) -> RowNumber {
    guard let table = ledger.table(row.table),
      let number = try ledger.row(table, key: row.values)
    else { throw CloudError(.unknownItem, "there is no row \(row)") }
    return number
  }

  /// The rows that have or had a key: the refused ones, or else the present one.
  private func refusedRows(_ row: MirroredRow) throws(CloudError) -> [RowNumber] {
    guard let table = ledger.table(row.table) else { return [try number(row)] }
    var found = try ledger.deletedRows(table, key: row.values)
    if let present = try ledger.row(table, key: row.values) { found.append(present) }
    var refused: [RowNumber] = []
    for number in found {
      let problem = try ledger.problem(number)
      let places = try ledger.places(of: number)
      if problem != nil || places.contains(where: { $0.problem != nil }) { refused.append(number) }
    }
    return refused.isEmpty ? [try number(row)] : refused
  }

  /// Gives up unsent changes: the rows become what their records are. A row without a record is
  /// deleted, unless another row refers to it.
  public func revert(_ rows: [MirroredRow]) async throws(CloudError) {
    try await alone { () async throws(CloudError) in
      var (incoming, new): ([Int64: Incoming], Set<RowNumber>) = ([:], [])
      var numbers: [RowNumber] = []
      for row in rows { numbers += try refusedRows(row) }
      for number in numbers {
        let places = try ledger.places(of: number)
        let known = places.filter { $0.position != nil && zones[$0.zone] != nil }
        if known.isEmpty { new.insert(number) }
        for place in known {
          guard let zone = zones[place.zone] else { continue }
          let changes = incoming[place.zone, default: Incoming(zone: place.zone)]
          var next = changes
          if let record = try await zone.known([place.record])[0] { next.records.append(record) }
          incoming[place.zone] = next
        }
        try ledger.db.transaction { () throws(CloudError) in
          for var place in places {
            (place.position, place.dirt, place.sent, place.problem) = (nil, .clean, nil, nil)
            if known.contains(where: { $0.zone == place.zone && $0.record == place.record }) {
              try ledger.save(place)
            } else {
              try ledger.remove(place)
            }
          }
          try ledger.setProblem(number, nil)
          try ledger.set(number, .none)
        }
      }
      for row in new {
        incoming[mainNumber, default: Incoming(zone: mainNumber)].discarded.insert(row)
      }
      try await bring(Array(incoming.values))
    }
  }

  /// Keeps rows whose zone ended: they become rows of the mirror's own zone.
  public func keep(_ rows: [MirroredRow]) throws(CloudError) {
    for row in rows {
      let number = try number(row)
      try ledger.setProblem(number, nil)
      try ledger.setPending(number, .new)
    }
  }

  // MARK: History

  /// Returns the record of a row, and its zone; nil if it was never sent.
  public func record(of row: MirroredRow) throws(CloudError) -> (zone: CloudZone, id: RecordID)? {
    let places = try ledger.places(of: number(row)).filter { $0.position != nil }
    let place = places.first { $0.zone == mainNumber } ?? places.first
    return place.flatMap { place in zones[place.zone].map { ($0, place.record) } }
  }

  /// Returns the versions of a row's record, the latest first.
  public func versions(of row: MirroredRow) async throws(CloudError) -> [CloudRecord] {
    guard let (zone, id) = try record(of: row) else { return [] }
    return try await zone.history(of: id)
  }

  /// Returns the changes behind a token, in the order in which they arrived or were sent. Without
  /// a token it returns all.
  public func history(since token: Int64? = nil) throws(CloudError) -> [MirrorChange] {
    try ledger.db.run(
      """
      SELECT token, name, key, kind, person, time FROM cairn_history
      JOIN cairn_table ON number = tbl WHERE token > ? ORDER BY token
      """, [.integer(token ?? 0)]
    ).map { row in
      MirrorChange(
        token: row[0].int ?? 0,
        row: MirroredRow(row[1].string ?? "", code: row[2].bytes ?? []),
        kind: row[3].string.flatMap { .init(rawValue: $0) } ?? .update,
        person: row[4].string.flatMap { PersonID($0) }, time: row[5].int ?? 0)
    }
  }

  /// Deletes the history up to a token.
  public func forgetHistory(through token: Int64) throws(CloudError) {
    try ledger.db.run("DELETE FROM cairn_history WHERE token <= ?", [.integer(token)])
  }
}
