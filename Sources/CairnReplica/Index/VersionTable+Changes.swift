import CairnIndex
import CairnZone

/// The begin and the end of a version's life in the table.
extension VersionTable {
  /// Keeps the present version of a record that changes or is deleted.
  func keep(
    of id: RecordID, _ ending: RecordVersion.Ending, at sequence: UInt64, _ author: Int64,
    _ time: Int64
  ) throws {
    var query = try rows.query(
      """
      INSERT OR REPLACE INTO past
      SELECT zone, id, type, parent, name, content, size, chunks, target, executable, modified,
        created, created_by, created_time, changed, changed_by, changed_time, attributes,
        ?3, ?4, ?5, ?6
      FROM record WHERE zone = ?1 AND id = ?2 AND parent IS NOT NULL
      """)
    query.bind(id)
    query.bind(Int64(sequence))
    query.bind(author)
    query.bind(time)
    query.bind(Int64(ending.rawValue))
    try query.run()
  }

  /// Keeps the present versions of all records, as ended by a log start.
  func keepAll(endedBy stamp: Stamp, _ author: Int64) throws {
    var query = try rows.query(
      """
      INSERT OR IGNORE INTO past
      SELECT zone, id, type, parent, name, content, size, chunks, target, executable, modified,
        created, created_by, created_time, changed, changed_by, changed_time, attributes,
        ?2, ?3, ?4, ?5
      FROM record WHERE zone = ?1 AND parent IS NOT NULL
      """)
    query.bind(Int64(stamp.sequence))
    query.bind(author)
    query.bind(stamp.time)
    query.bind(Int64(RecordVersion.Ending.changed.rawValue))
    try query.run()
  }

  /// Stores an ended version.
  func save(_ version: RecordVersion, _ authors: inout AuthorTable) throws {
    guard let place = version.record.place, let end = version.end else { return }
    let record = version.record
    var query = try rows.query(
      "INSERT OR REPLACE INTO past VALUES "
        + "(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")
    query.bind(record.id)
    query.bind(IndexRow.text(record.type))
    query.bind(place.parent)
    query.bind(place.name.bytes)
    query.bind(record.content?.id.value)
    query.bind(record.content.map { Int64(clamping: $0.size) })
    query.bind(record.content.map { IndexRow.chunkList($0) })
    query.bind(record.target)
    query.bind(record.attributes.isExecutable ? 1 : 0)
    query.bind(record.attributes.modified)
    for stamp in [record.created, record.changed] {
      query.bind(Int64(clamping: stamp.sequence))
      query.bind(try authors.number(of: stamp))
      query.bind(stamp.time)
    }
    query.bind(IndexRow.encode(record.attributes))
    query.bind(Int64(clamping: end.stamp.sequence))
    query.bind(try authors.number(of: end.stamp))
    query.bind(end.stamp.time)
    query.bind(Int64(end.ending.rawValue))
    try query.run()
  }

  /// Drops the versions that records still have, and marks those as deleted whose records a
  /// snapshot doesn't have.
  func settle(endedBy stamp: Stamp, _ author: Int64) throws {
    // A record that is live has no past version that ended here.
    try rows.query(
      """
      DELETE FROM past WHERE zone = ?1 AND EXISTS (
        SELECT 1 FROM record r WHERE r.zone = ?1 AND r.id = past.id AND r.changed = past.changed)
      """
    ).run()
    var gone = try rows.query(
      """
      UPDATE past SET ending = ?2 WHERE zone = ?1 AND ended = ?3 AND ended_by = ?4
      AND NOT EXISTS (SELECT 1 FROM record r WHERE r.zone = ?1 AND r.id = past.id)
      """)
    gone.bind(Int64(RecordVersion.Ending.deleted.rawValue))
    gone.bind(Int64(stamp.sequence))
    gone.bind(author)
    try gone.run()
  }

  /// Returns the chunk names of a version; nil if it is unknown.
  func chunks(of id: RecordID, began: UInt64) throws -> [ChunkName]? {
    var version = try rows.query(
      "SELECT chunks FROM past WHERE zone = ? AND id = ? AND changed = ?")
    version.bind(id)
    version.bind(Int64(clamping: began))
    return try version.next() ? IndexRow.chunks(version.bytes(0) ?? []) : nil
  }

  /// Drops a version.
  func drop(_ id: RecordID, began: UInt64) throws {
    var gone = try rows.query("DELETE FROM past WHERE zone = ? AND id = ? AND changed = ?")
    gone.bind(id)
    gone.bind(Int64(clamping: began))
    try gone.run()
  }

  /// Drops past versions whose bytes the zone no longer has: a loaded snapshot does not keep them,
  /// or they were erased while this device was away. Their contents stay known, because an old file
  /// in a folder would otherwise be an edit.
  func drop(without known: Set<ChunkName>) throws {
    var lost: [(id: RecordID, place: Int64)] = []
    var past = try rows.query(
      "SELECT id, changed, chunks FROM past WHERE zone = ? AND chunks NOT NULL")
    while try past.next() {
      guard let id = past.id(0) else { throw IndexRow.damaged("record id") }
      let isThere = try IndexRow.chunks(past.bytes(2) ?? []).allSatisfy(known.contains)
      if !isThere { lost.append((id, past.integer(1))) }
    }
    for version in lost {
      let queries = [
        """
        INSERT OR IGNORE INTO former_content SELECT zone, id, content FROM past
        WHERE zone = ? AND id = ? AND changed = ? AND content IS NOT NULL
        """,
        "DELETE FROM past WHERE zone = ? AND id = ? AND changed = ?",
      ]
      for text in queries {
        var query = try rows.query(text)
        query.bind(version.id)
        query.bind(version.place)
        try query.run()
      }
    }
  }
}
