import CairnIndex
import CairnZone

/// A zone's state in an index file, inside one transaction: replay reads it, and deltas are stored
/// in it. It must not know the source of commits.
public struct IndexedZone: ZoneState {
  let db: IndexConnection
  let number: Int64
  /// The header of the zone at the beginning of the transaction.
  public let header: ZoneHeader

  /// Reads the zone's header, and creates its row at the first call.
  public init(_ db: IndexConnection, zone: ZoneID, kind: ZoneKind = .owned) throws {
    self.db = db
    if let stored = try IndexRow.zone(zone, db) {
      (number, header) = stored
    } else {
      header = ZoneHeader(zone: zone, kind: kind)
      var query = try Query(
        db, "INSERT INTO zone (zone, sequence, head, header) VALUES (?, 0, ?, ?)")
      query.bind(zone.value)
      query.bind(Bytes32.zero)
      query.bind(IndexRow.encode(header))
      try query.run()
      number = db.lastRow
    }
  }

  /// Reads the zone's header; without a row it is the empty one. `known` avoids the read if the
  /// zone is still at the same position: position and digest determine a header.
  public init(reading db: IndexConnection, zone: ZoneID, known: ZoneHeader? = nil) throws {
    self.db = db
    if let known, known.sequence > 0 {
      var place = try Query(db, "SELECT number, sequence, head FROM zone WHERE zone = ?")
      place.bind(zone.value)
      if try place.next(), place.integer(1) == Int64(known.sequence),
        place.bytes32(2) == known.head
      {
        number = place.integer(0)
        header = known
        return
      }
    }
    (number, header) = try IndexRow.zone(zone, db) ?? (0, ZoneHeader(zone: zone))
  }

  /// A view with a header that is newer than the row, or was read before.
  public init(_ db: IndexConnection, zone: ZoneID, header: ZoneHeader) throws {
    self.db = db
    self.header = header
    var query = try Query(db, "SELECT number FROM zone WHERE zone = ?")
    query.bind(zone.value)
    guard try query.next() else { throw IndexRow.damaged("zone") }
    number = query.integer(0)
  }

  /// A query with the zone as its first parameter.
  public func query(_ sql: String) throws -> Query {
    var query = try Query(db, sql)
    query.bind(number)
    return query
  }

  /// Returns whether a query about the zone has a row.
  public func has(_ query: consuming Query) throws -> Bool { try query.next() }

  /// All rows of `IndexRow.selectRecord`.
  func records(_ query: consuming Query) throws -> [Record] {
    var records: [Record] = []
    while try query.next() { records.append(try IndexRow.record(query)) }
    return records
  }

  /// The record; nil if it is unknown or deleted.
  public func record(_ id: RecordID) throws -> Record? {
    var query = try query(IndexRow.selectOneRecord)
    query.bind(id)
    return try query.next() ? IndexRow.record(query) : nil
  }

  /// The record with that name in that directory.
  public func child(of parent: RecordID, named name: FileName) throws -> RecordID? {
    var query = try query(
      "SELECT id FROM record INDEXED BY record_child WHERE zone = ? AND parent = ? AND name = ?")
    query.bind(parent)
    query.bind(name.bytes)
    guard try query.next() else { return nil }
    guard let id = query.id(0) else { throw IndexRow.damaged("record id") }
    return id
  }

  /// Up to `limit` records in that directory, in the order of their ids, after `after`.
  public func children(of parent: RecordID, after: RecordID?, limit: Int) throws -> [RecordID] {
    var query = try query(
      """
      SELECT id FROM record INDEXED BY record_parent WHERE zone = ? AND parent = ? AND id > ?
      ORDER BY id LIMIT ?
      """)
    query.bind(parent)
    query.bind(after?.bytes ?? [0])
    query.bind(Int64(limit))
    return try recordIDs(query)
  }

  /// The names in a directory after a given one, in the order of their bytes.
  func children(
    of parent: RecordID, afterName name: [UInt8], limit: Int
  ) throws -> [(name: [UInt8], id: RecordID)] {
    var query = try query(
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

  /// The ids in the first column.
  func recordIDs(_ query: consuming Query) throws -> [RecordID] {
    var ids: [RecordID] = []
    while try query.next() {
      guard let id = query.id(0) else { throw IndexRow.damaged("record id") }
      ids.append(id)
    }
    return ids
  }

  /// All typed records of one type, in the order of their ids.
  func typedRecords(_ type: String) throws -> [Record] {
    // With a plain parameter SQLite compiles this again at each use, because its value decides
    // whether a partial index fits.
    var query = try query(IndexRow.selectRecord + " AND r.type = +? ORDER BY r.id")
    query.bind(IndexRow.text(.typed(type)))
    return try records(query)
  }

  /// The amount of data in the zone.
  func summary() throws -> ZoneSummary {
    var query = try query(
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
    var query = try query(
      """
      SELECT sum(size) FROM record WHERE zone = ?
      AND created_by IN (SELECT number FROM author WHERE user = ?)
      """)
    query.bind(user.bytes)
    return try query.next() ? UInt64(query.integer(0)) : 0
  }

  /// Returns whether content may refer to that chunk.
  public func hasChunk(_ name: ChunkName) throws -> Bool {
    var query = try query("SELECT 1 FROM chunk WHERE zone = ? AND name = ?")
    query.bind(name.value)
    return try has(query)
  }

  /// The person who added the chunk, or moved it last; nil if the zone does not have it.
  func bringer(of name: ChunkName) throws -> UserID? {
    var query = try query(
      "SELECT a.user FROM chunk c JOIN author a ON a.number = c.author "
        + "WHERE c.zone = ? AND c.name = ?")
    query.bind(name.value)
    return try query.next() ? query.bytes32(0).map { UserID($0) } : nil
  }

  /// The chunk as in the commit that added it.
  func chunk(_ name: ChunkName) throws -> ChunkEntry? {
    var query = try query(
      "SELECT name, size, place, pack, generation FROM chunk WHERE zone = ? AND name = ?")
    query.bind(name.value)
    return try query.next() ? IndexRow.chunk(query) : nil
  }

  /// The ids of records changed or deleted after `sequence`, at most `limit`, in the order of their
  /// last change, with the sequence up to which the list is complete.
  func changes(after sequence: UInt64, limit: Int) throws -> (ids: [RecordID], through: UInt64) {
    var query = try query(
      """
      SELECT id, changed AS sequence FROM record WHERE zone = ?1 AND changed > ?2
      UNION ALL SELECT id, sequence FROM tombstone WHERE zone = ?1 AND sequence > ?2
      ORDER BY sequence LIMIT ?3
      """)
    query.bind(Int64(sequence))
    query.bind(Int64(limit))
    var found: [(RecordID, UInt64)] = []
    while try query.next() {
      guard let id = query.id(0) else { throw IndexRow.damaged("record id") }
      found.append((id, UInt64(query.integer(1))))
    }
    guard found.count == limit, let last = found.last?.1 else {
      return (found.map(\.0), header.sequence)
    }
    // A page must end between two commits; a commit larger than the page is returned whole.
    if found.first?.1 == last {
      return try changes(after: sequence, limit: limit * 2)
    }
    found.removeAll { $0.1 == last }
    return (found.map(\.0), last - 1)
  }
}
