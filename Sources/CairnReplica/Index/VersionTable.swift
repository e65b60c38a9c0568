import CairnIndex
import CairnZone

/// The ended versions of files, directories and symlinks. It owns the tables `past` and
/// `former_content`. A row of `past` has the position at which the version began and the one at
/// which it ended; a record's versions don't overlap. A content in `former_content` has no row in
/// `past` any more: a file with it is old, and no edit.
public struct VersionTable {
  static let tables = ["past", "former_content"]
  let rows: ZoneRows

  private func read(_ query: consuming Query) throws -> [RecordVersion] {
    var found: [RecordVersion] = []
    while try query.next() { found.append(try IndexRow.version(query)) }
    return found
  }

  /// Returns the ended versions of a record, the latest first.
  /// - Parameters:
  ///   - id: The record.
  ///   - began: Only versions that began before that position.
  ///   - limit: The maximum number of versions.
  /// - Returns: The versions.
  /// - Throws: Any SQLite error.
  func former(
    of id: RecordID, before began: UInt64 = .max, limit: Int
  ) throws -> [RecordVersion] {
    var query = try rows.query(
      IndexRow.selectPast() + " AND r.id = ? AND r.changed < ? ORDER BY r.changed DESC LIMIT ?")
    query.bind(id)
    query.bind(Int64(clamping: began))
    query.bind(Int64(limit))
    return try read(query)
  }

  /// Returns the versions of a record that ended after a position in the log, in order.
  func former(of id: RecordID, endedAfter place: UInt64) throws -> [RecordVersion] {
    var query = try rows.query(
      IndexRow.selectPast() + " AND r.id = ? AND r.ended > ? ORDER BY r.changed")
    query.bind(id)
    query.bind(Int64(clamping: place))
    return try read(query)
  }

  /// Returns the last version at a position in the tree that is no longer there: the record moved
  /// away or was deleted last. Changes of a record that is still there don't count.
  /// - Parameters:
  ///   - place: The position in the tree.
  ///   - through: Only versions that ended up to that entry of the log.
  /// - Returns: The version; nil if there is none.
  /// - Throws: Any SQLite error.
  public func last(
    thatLeft place: Place, by through: UInt64 = .max
  ) throws -> RecordVersion? {
    var last: RecordVersion?
    for ending in [RecordVersion.Ending.moved, .deleted] {
      var query = try rows.query(
        IndexRow.selectPast(by: "past_place")
          + " AND r.parent = ? AND r.name = ? AND r.ending = ? AND r.ended <= ?"
          + " ORDER BY r.ended DESC LIMIT 1")
      query.bind(place.parent)
      query.bind(place.name.bytes)
      query.bind(Int64(ending.rawValue))
      query.bind(Int64(clamping: through))
      for version in try read(query) {
        let isLater = (last?.end?.stamp.sequence ?? 0) < (version.end?.stamp.sequence ?? 0)
        if isLater { last = version }
      }
    }
    return last
  }

  /// Returns the records that were at that position and moved away, the last one first. Some of
  /// them may be deleted by now.
  func records(thatLeft place: Place, limit: Int) throws -> [RecordID] {
    var query = try rows.query(
      """
      SELECT id FROM past INDEXED BY past_place
      WHERE zone = ? AND parent = ? AND name = ? AND ending = ?
      ORDER BY ended DESC, id LIMIT ?
      """)
    query.bind(place.parent)
    query.bind(place.name.bytes)
    query.bind(Int64(RecordVersion.Ending.moved.rawValue))
    query.bind(Int64(limit))
    return try rows.recordIDs(query)
  }

  /// Returns whether another record was at that place once, and was moved away or deleted there.
  func stood(at place: Place, otherThan id: RecordID) throws -> Bool {
    var query = try rows.query(
      """
      SELECT 1 FROM past INDEXED BY past_place
      WHERE zone = ? AND parent = ? AND name = ? AND ending IN (?, ?) AND id <> ? LIMIT 1
      """)
    query.bind(place.parent)
    query.bind(place.name.bytes)
    for ending in [RecordVersion.Ending.moved, .deleted] { query.bind(Int64(ending.rawValue)) }
    query.bind(id)
    return try rows.has(query)
  }

  /// Returns whether any version has ended.
  public func hasAny() throws -> Bool {
    try rows.has(rows.query("SELECT 1 FROM past WHERE zone = ? LIMIT 1"))
  }

  /// Returns whether a version ended after an entry of the log.
  func hasEnded(since place: UInt64) throws -> Bool {
    var query = try rows.query("SELECT 1 FROM past WHERE zone = ? AND ended > ? LIMIT 1")
    query.bind(Int64(clamping: place))
    return try rows.has(query)
  }

  /// The versions of files that ended after a position of the log, in the order of their ends.
  /// - Parameters:
  ///   - place: The position that was reached, with the record, as in `EventPlace`.
  ///   - limit: The maximum number.
  /// - Returns: the versions.
  /// - Throws: errors of SQLite.
  func endedFiles(after place: EventPlace, limit: Int) throws -> [RecordVersion] {
    var query = try rows.query(
      IndexRow.selectPast(by: "past_ended")
        + " AND (r.ended, r.id) > (?2, ?3) AND r.type = 'file' ORDER BY r.ended, r.id LIMIT ?4")
    query.bind(Int64(clamping: place.sequence))
    // Without a record, after everything of that entry.
    query.bind(place.record?.bytes ?? [UInt8](repeating: 0xff, count: 17))
    query.bind(Int64(limit))
    var found: [RecordVersion] = []
    while try query.next() { found.append(try IndexRow.version(query)) }
    return found
  }

  /// The records with versions, in the order of their ids.
  func records(after id: RecordID?, limit: Int) throws -> [RecordID] {
    var query = try rows.query(
      "SELECT DISTINCT id FROM past WHERE zone = ? AND id > ? ORDER BY id LIMIT ?")
    query.bind(id?.bytes ?? [])
    query.bind(Int64(limit))
    return try rows.recordIDs(query)
  }

  /// Former versions of files with any of these chunks.
  public func files(holding chunks: Set<ChunkName>, limit: Int) throws -> [Record] {
    var found: [Record] = []
    var query = try rows.query(IndexRow.selectPast() + " AND r.chunks IS NOT NULL")
    while found.count < limit, try query.next() {
      let record = try IndexRow.version(query).record
      if let content = record.content, content.chunks.contains(where: chunks.contains) {
        found.append(record)
      }
    }
    return found
  }

  /// Calls a function with the chunk names of each version, until it returns false.
  func forEachChunkList(_ body: ([ChunkName]) throws -> Bool) throws {
    var former = try rows.query("SELECT chunks FROM past WHERE zone = ? AND chunks IS NOT NULL")
    while try former.next() {
      guard try body(try IndexRow.chunks(former.bytes(0) ?? [])) else { return }
    }
  }

  /// The chunk names of each version that ended after an entry of the log.
  func forEachChunkList(
    endedAfter sequence: UInt64, _ body: ([ChunkName]) throws -> Bool
  ) throws {
    var query = try rows.query(
      """
      SELECT chunks FROM past INDEXED BY past_ended
      WHERE zone = ? AND ended > ? AND chunks IS NOT NULL
      """)
    query.bind(Int64(sequence))
    while try query.next() {
      guard try body(try IndexRow.chunks(query.bytes(0) ?? [])) else { return }
    }
  }
}
