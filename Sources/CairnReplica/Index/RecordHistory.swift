import CairnIndex
import CairnZone

/// The present and ended versions of records as one: at a position in the log, or since one. It
/// reads the records and versions, and owns no table.
public struct RecordHistory {
  let rows: ZoneRows
  let records: RecordTable
  let versions: VersionTable

  init(_ rows: ZoneRows) {
    self.rows = rows
    records = RecordTable(rows: rows)
    versions = VersionTable(rows: rows)
  }

  /// Returns the version of a record that began at a position in the log, or was valid after it.
  func version(of id: RecordID, at place: UInt64) throws -> RecordVersion? {
    if let record = try records.record(id), record.changed.sequence <= place {
      return RecordVersion(record: record)
    }
    let before = place == .max ? place : place + 1
    let last = try versions.former(of: id, before: before, limit: 1).first
    return last.flatMap { $0.stood(at: place) ? $0 : nil }
  }

  /// Returns the record at a position in the tree, after that position in the log.
  func child(
    of parent: RecordID, named name: FileName, at place: UInt64
  ) throws -> RecordID? {
    if let id = try records.child(of: parent, named: name),
      let record = try records.record(id),
      record.changed.sequence <= place
    {
      return id
    }
    var query = try rows.query(
      """
      SELECT id FROM past INDEXED BY past_place
      WHERE zone = ? AND parent = ? AND name = ? AND changed <= ? AND ended > ? LIMIT 1
      """)
    query.bind(parent)
    query.bind(name.bytes)
    query.bind(Int64(clamping: place))
    query.bind(Int64(clamping: place))
    return try rows.recordIDs(query).first
  }

  /// Returns the names in a directory at a position in the log, after the given name, in the order
  /// of their bytes.
  func children(
    of parent: RecordID, at place: UInt64, afterName name: [UInt8], limit: Int
  ) throws -> [(name: [UInt8], id: RecordID)] {
    var query = try rows.query(
      """
      SELECT name, id FROM record INDEXED BY record_child
      WHERE zone = ?1 AND parent = ?2 AND name > ?3 AND changed <= ?4
      UNION ALL SELECT name, id FROM past INDEXED BY past_place
      WHERE zone = ?1 AND parent = ?2 AND name > ?3 AND changed <= ?4 AND ended > ?4
      ORDER BY name LIMIT ?5
      """)
    query.bind(parent)
    query.bind(name)
    query.bind(Int64(clamping: place))
    query.bind(Int64(limit))
    var children: [(name: [UInt8], id: RecordID)] = []
    while try query.next() {
      guard let name = query.bytes(0), let id = query.id(1) else {
        throw IndexRow.damaged("record name")
      }
      children.append((name, id))
    }
    return children
  }

  /// Returns whether something in the zone was created, changed or deleted after an entry of the
  /// log, so that there may be newer history.
  func hasChanged(since place: UInt64) throws -> Bool {
    try records.hasChanged(since: place) || versions.hasEnded(since: place)
  }
}
