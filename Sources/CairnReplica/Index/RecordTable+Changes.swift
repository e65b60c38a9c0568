import CairnIndex
import CairnZone

/// The changes and deletions of records.
extension RecordTable {
  /// The ids of records changed or deleted after `sequence`, at most `limit`, in the order of their
  /// last change, with the sequence up to which the list is complete.
  /// - Parameters:
  ///   - sequence: The position that was reached.
  ///   - end: The position of the zone.
  ///   - limit: The number of ids. All records of one entry are returned together.
  /// - Returns: the ids, and the position.
  /// - Throws: errors of SQLite.
  func changes(after sequence: UInt64, upTo end: UInt64, limit: Int) throws -> (
    ids: [RecordID], through: UInt64
  ) {
    var query = try rows.query(
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
      return (found.map(\.0), end)
    }
    // A page must end between two commits; a commit larger than the page is returned whole.
    if found.first?.1 == last {
      return try changes(after: sequence, upTo: end, limit: limit * 2)
    }
    found.removeAll { $0.1 == last }
    return (found.map(\.0), last - 1)
  }

  /// The entry that deleted the record; nil if there is none.
  func deletion(of id: RecordID) throws -> UInt64? {
    var query = try rows.query("SELECT sequence FROM tombstone WHERE zone = ? AND id = ?")
    query.bind(id)
    return try query.next() ? UInt64(query.integer(0)) : nil
  }

  /// The type of a deleted record; nil if it isn't deleted, or its type is unknown.
  func deletedType(of id: RecordID) throws -> RecordType? {
    var query = try rows.query("SELECT type FROM tombstone WHERE zone = ? AND id = ?")
    query.bind(id)
    return try query.next() ? query.text(0).map { IndexRow.type($0) } : nil
  }

  /// The deleted records, in the order of their ids, each with its deleting entry.
  func deletions() throws -> [(id: RecordID, sequence: UInt64)] {
    var query = try rows.query("SELECT id, sequence FROM tombstone WHERE zone = ? ORDER BY id")
    var found: [(RecordID, UInt64)] = []
    while try query.next() {
      guard let id = query.id(0) else { throw IndexRow.damaged("record id") }
      found.append((id, UInt64(query.integer(1))))
    }
    return found
  }

  /// Returns whether a record was created, changed or deleted after an entry of the log.
  func hasChanged(since place: UInt64) throws -> Bool {
    for text in [
      "SELECT 1 FROM record WHERE zone = ? AND changed > ? LIMIT 1",
      "SELECT 1 FROM tombstone WHERE zone = ? AND sequence > ? LIMIT 1",
    ] {
      var query = try rows.query(text)
      query.bind(Int64(clamping: place))
      if try rows.has(query) { return true }
    }
    return false
  }

  // MARK: Writing

  /// Returns whether any record is deleted.
  func hasDeletions() throws -> Bool {
    try rows.has(rows.query("SELECT 1 FROM tombstone WHERE zone = ? LIMIT 1"))
  }

  /// Stores a record. With `mayBeDeleted`, its tombstone is removed, if there is one.
  func save(
    _ id: RecordID, _ record: Record, _ authors: inout AuthorTable, mayBeDeleted: Bool = true
  ) throws {
    let created = try authors.number(of: record.created)
    let changed = try authors.number(of: record.changed)
    var query = try rows.query(
      """
      INSERT OR REPLACE INTO record (zone, id, type, parent, name, content, size, chunks, target,
        executable, modified, fields, created, created_by, created_time,
        changed, changed_by, changed_time, attributes)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      """)
    query.bind(id)
    query.bind(IndexRow.text(record.type))
    query.bind((record.place?.parent).map(\.bytes))
    query.bind(record.place?.name.bytes)
    query.bind(record.content?.id.value)
    query.bind(record.content.map { Int64($0.size) })
    query.bind(record.content.map { IndexRow.chunkList($0) })
    query.bind(record.target)
    query.bind(record.attributes.isExecutable ? 1 : 0)
    query.bind(record.attributes.modified)
    query.bind(IndexRow.encode(record.fields))
    query.bind(Int64(record.created.sequence))
    query.bind(created)
    query.bind(record.created.time)
    query.bind(Int64(record.changed.sequence))
    query.bind(changed)
    query.bind(record.changed.time)
    query.bind(IndexRow.encode(record.attributes))
    try query.run()
    if mayBeDeleted { try forgetTombstone(id) }
  }

  private func forgetTombstone(_ id: RecordID) throws {
    var query = try rows.query("DELETE FROM tombstone WHERE zone = ? AND id = ?")
    query.bind(id)
    try query.run()
  }

  /// Replaces a record by its tombstone.
  func delete(_ id: RecordID, at sequence: UInt64) throws {
    var tombstone = try rows.query(
      """
      INSERT OR REPLACE INTO tombstone (zone, id, sequence, type)
      SELECT zone, id, ?3, type FROM record WHERE zone = ?1 AND id = ?2
      """)
    tombstone.bind(id)
    tombstone.bind(Int64(sequence))
    try tombstone.run()
    var record = try rows.query("DELETE FROM record WHERE zone = ? AND id = ?")
    record.bind(id)
    try record.run()
  }

  /// Stores the tombstone of a record that isn't there.
  func noteDeletion(of id: RecordID, at sequence: UInt64) throws {
    var tombstone = try rows.query(
      "INSERT OR REPLACE INTO tombstone (zone, id, sequence) VALUES (?, ?, ?)")
    tombstone.bind(id)
    tombstone.bind(Int64(sequence))
    try tombstone.run()
  }

  /// Removes everything.
  func removeAll() throws {
    for table in Self.tables { try rows.query("DELETE FROM \(table) WHERE zone = ?").run() }
  }

  /// Forgets the deletions up to a position of the log.
  func forgetDeletions(through sequence: UInt64) throws {
    var query = try rows.query("DELETE FROM tombstone WHERE zone = ? AND sequence <= ?")
    query.bind(Int64(bitPattern: sequence))
    try query.run()
  }
}
