import CairnIndex
import CairnZone

/// The records of a zone, and the ids of the deleted ones. It owns the tables `record` and
/// `tombstone`. An id is in one of them at most, and a tombstone has the entry that deleted it.
public struct RecordTable {
  static let tables = ["record", "tombstone"]
  let rows: ZoneRows

  /// All rows of `IndexRow.selectRecord`.
  func read(_ query: consuming Query) throws -> [Record] {
    var records: [Record] = []
    while try query.next() { records.append(try IndexRow.record(query)) }
    return records
  }

  /// The record; nil if it is unknown or deleted.
  public func record(_ id: RecordID) throws -> Record? {
    var query = try rows.query(IndexRow.selectOneRecord)
    query.bind(id)
    return try query.next() ? IndexRow.record(query) : nil
  }

  /// The record with that name in that directory.
  public func child(of parent: RecordID, named name: FileName) throws -> RecordID? {
    var query = try rows.query(
      "SELECT id FROM record INDEXED BY record_child WHERE zone = ? AND parent = ? AND name = ?")
    query.bind(parent)
    query.bind(name.bytes)
    guard try query.next() else { return nil }
    guard let id = query.id(0) else { throw IndexRow.damaged("record id") }
    return id
  }

  /// Up to `limit` records in that directory, in the order of their ids, after `after`.
  public func children(of parent: RecordID, after: RecordID?, limit: Int) throws -> [RecordID] {
    var query = try rows.query(
      """
      SELECT id FROM record INDEXED BY record_parent WHERE zone = ? AND parent = ? AND id > ?
      ORDER BY id LIMIT ?
      """)
    query.bind(parent)
    query.bind(after?.bytes ?? [0])
    query.bind(Int64(limit))
    return try rows.recordIDs(query)
  }

  /// The names in a directory after a given one, in the order of their bytes.
  func children(
    of parent: RecordID, afterName name: [UInt8], limit: Int
  ) throws -> [(name: [UInt8], id: RecordID)] {
    var query = try rows.query(
      """
      SELECT name, id FROM record INDEXED BY record_child
      WHERE zone = ? AND parent = ? AND name > ? ORDER BY name LIMIT ?
      """)
    query.bind(parent)
    query.bind(name)
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

  /// Records page by page, in the order of their ids.
  func all(after id: RecordID?, limit: Int) throws -> [Record] {
    var query = try rows.query(
      IndexRow.selectRecord + " AND (?2 IS NULL OR r.id > ?2) ORDER BY r.id LIMIT ?3")
    query.bind(id?.bytes)
    query.bind(Int64(limit))
    return try read(query)
  }

  /// All typed records of one type, in the order of their ids.
  func typed(_ type: String) throws -> [Record] {
    // With a plain parameter SQLite compiles this again at each use, because its value decides
    // whether a partial index fits.
    var query = try rows.query(IndexRow.selectRecord + " AND r.type = +? ORDER BY r.id")
    query.bind(IndexRow.text(.typed(type)))
    return try read(query)
  }

  /// All typed records of any type, by id.
  func allTyped() throws -> [RecordID: Record] {
    let records = try read(
      rows.query(IndexRow.selectRecord + " AND substr(CAST(r.type AS TEXT), 1, 1) = ':'"))
    return Dictionary(uniqueKeysWithValues: records.map { ($0.id, $0) })
  }

  /// The records with any of these chunks, in a file's content or in an asset.
  public func holding(_ chunks: Set<ChunkName>) throws -> [Record] {
    var found: [Record] = []
    var query = try rows.query(
      IndexRow.selectRecord + " AND (r.content IS NOT NULL OR r.fields IS NOT NULL)")
    while try query.next() {
      let record = try IndexRow.record(query)
      if record.needs(anyOf: chunks) { found.append(record) }
    }
    return found
  }

  /// Returns the content of a record, with its size; nil if it has none.
  func content(of id: RecordID) throws -> (id: ContentID, size: UInt64)? {
    var query = try rows.query("SELECT content, size FROM record WHERE zone = ? AND id = ?")
    query.bind(id)
    guard try query.next(), let content = query.bytes32(0) else { return nil }
    return (ContentID(content), UInt64(bitPattern: query.integer(1)))
  }

  /// The chunk names of each content of a record.
  public func forEachChunkList(_ body: ([ChunkName]) throws -> Void) throws {
    var live = try rows.query("SELECT chunks FROM record WHERE zone = ? AND chunks IS NOT NULL")
    while try live.next() { try body(try IndexRow.chunks(live.bytes(0) ?? [])) }
    for record in try allTyped().values {
      for content in record.contents { try body(content.chunks) }
    }
  }

  /// The amount of data in the zone.
  func summary() throws -> ZoneSummary {
    var query = try rows.query(
      """
      SELECT sum(type IN ('file', 'symlink')), sum(type = 'directory' AND id != ?2), sum(size)
      FROM record WHERE zone = ?1
      """)
    query.bind(RecordID.root)
    // The sum of nothing is null, which counts as 0.
    guard try query.next() else { return ZoneSummary(files: 0, directories: 0, bytes: 0) }
    return ZoneSummary(
      files: Int(query.integer(0)), directories: Int(query.integer(1)), bytes: query.integer(2))
  }

  /// The total size of a person's files.
  func bytes(madeBy user: UserID) throws -> UInt64 {
    var query = try rows.query(
      """
      SELECT sum(size) FROM record WHERE zone = ?
      AND created_by IN (SELECT number FROM author WHERE user = ?)
      """)
    query.bind(user.bytes)
    return try query.next() ? UInt64(query.integer(0)) : 0
  }

  /// Returns whether anybody except that person was the last to change a record.
  public func hasWork(notBy user: UserID) throws -> Bool {
    var query = try rows.query(
      """
      SELECT 1 FROM record r JOIN author a ON a.number = r.changed_by
      WHERE r.zone = ? AND a.user <> ? LIMIT 1
      """)
    query.bind(user.value)
    return try rows.has(query)
  }
}

extension Record {
  /// Returns whether one of the contents consists of any of these chunks.
  func needs(anyOf chunks: Set<ChunkName>) -> Bool {
    contents.contains { $0.chunks.contains(where: chunks.contains) }
  }
}
