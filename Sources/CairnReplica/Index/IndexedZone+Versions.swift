import CairnIndex
import CairnZone

/// The present and former versions of records: of one record, of a position in the tree, and of the
/// zone at a position in the log.
extension IndexedZone {
  private func versions(_ query: consuming Query) throws -> [RecordVersion] {
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
  func formerVersions(
    of id: RecordID, before began: UInt64 = .max, limit: Int
  ) throws -> [RecordVersion] {
    var query = try query(
      IndexRow.selectPast() + " AND r.id = ? AND r.changed < ? ORDER BY r.changed DESC LIMIT ?")
    query.bind(id)
    query.bind(Int64(clamping: began))
    query.bind(Int64(limit))
    return try versions(query)
  }

  /// Returns the versions of a record that ended after a position in the log, in order.
  func formerVersions(of id: RecordID, endedAfter place: UInt64) throws -> [RecordVersion] {
    var query = try query(
      IndexRow.selectPast() + " AND r.id = ? AND r.ended > ? ORDER BY r.changed")
    query.bind(id)
    query.bind(Int64(clamping: place))
    return try versions(query)
  }

  /// Returns the version of a record that began at a position in the log, or was valid after it.
  func version(of id: RecordID, at place: UInt64) throws -> RecordVersion? {
    if let record = try record(id), record.changed.sequence <= place {
      return RecordVersion(record: record)
    }
    let before = place == .max ? place : place + 1
    let last = try formerVersions(of: id, before: before, limit: 1).first
    return last.flatMap { $0.stood(at: place) ? $0 : nil }
  }

  /// Returns the record at a position in the tree, after that position in the log.
  func child(
    of parent: RecordID, named name: FileName, at place: UInt64
  ) throws -> RecordID? {
    if let id = try child(of: parent, named: name), let record = try record(id),
      record.changed.sequence <= place
    {
      return id
    }
    var query = try query(
      """
      SELECT id FROM past INDEXED BY past_place
      WHERE zone = ? AND parent = ? AND name = ? AND changed <= ? AND ended > ? LIMIT 1
      """)
    query.bind(parent)
    query.bind(name.bytes)
    query.bind(Int64(clamping: place))
    query.bind(Int64(clamping: place))
    return try recordIDs(query).first
  }

  /// Returns the names in a directory at a position in the log, after the given name, in the order
  /// of their bytes.
  func children(
    of parent: RecordID, at place: UInt64, afterName name: [UInt8], limit: Int
  ) throws -> [(name: [UInt8], id: RecordID)] {
    var query = try query(
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

  /// Returns the last version at a position in the tree that is no longer there: the record moved
  /// away or was deleted last. Changes of a record that is still there don't count.
  /// - Parameters:
  ///   - place: The position in the tree.
  ///   - through: Only versions that ended up to that entry of the log.
  /// - Returns: The version; nil if there is none.
  /// - Throws: Any SQLite error.
  public func lastVersion(
    thatLeft place: Place, by through: UInt64 = .max
  ) throws -> RecordVersion? {
    var last: RecordVersion?
    for ending in [RecordVersion.Ending.moved, .deleted] {
      var query = try query(
        IndexRow.selectPast(by: "past_place")
          + " AND r.parent = ? AND r.name = ? AND r.ending = ? AND r.ended <= ?"
          + " ORDER BY r.ended DESC LIMIT 1")
      query.bind(place.parent)
      query.bind(place.name.bytes)
      query.bind(Int64(ending.rawValue))
      query.bind(Int64(clamping: through))
      for version in try versions(query) {
        let isLater = (last?.end?.stamp.sequence ?? 0) < (version.end?.stamp.sequence ?? 0)
        if isLater { last = version }
      }
    }
    return last
  }

  // MARK: The log

  /// Returns the position that the log had reached at that time, in nanoseconds since 1970.
  func place(at time: Int64) throws -> UInt64 {
    var found = PlaceAtTime(time)
    for entry in try entryTimes() { found.take(entry.sequence, time: entry.time) }
    return found.place
  }

  /// Returns the times of entries of the log, by their authors' clocks, in the order of the log; in
  /// nanoseconds since 1970.
  public func entryTimes() throws -> [(sequence: UInt64, time: Int64)] {
    // For entries that a snapshot replaces here, only the records' own data is known.
    let isRead = try has(query("SELECT 1 FROM passed WHERE zone = ?")) ? 0 : 1
    var query = try query(
      """
      SELECT sequence, max(time) FROM (
        SELECT sequence, time FROM entry WHERE zone = ?1 AND time IS NOT NULL
        UNION ALL SELECT created, created_time FROM record WHERE zone = ?1 AND ?2 = 0
        UNION ALL SELECT changed, changed_time FROM record WHERE zone = ?1 AND ?2 = 0
        UNION ALL SELECT changed, changed_time FROM past WHERE zone = ?1 AND ?2 = 0
        UNION ALL SELECT ended, ended_time FROM past WHERE zone = ?1 AND ?2 = 0)
      GROUP BY sequence ORDER BY sequence
      """)
    query.bind(Int64(isRead))
    var found: [(sequence: UInt64, time: Int64)] = []
    while try query.next() { found.append((UInt64(query.integer(0)), query.integer(1))) }
    return found
  }

  /// Returns the same for the first known entry after a position in the log.
  func firstStamp(after place: UInt64) throws -> Stamp? {
    var query = try query(
      """
      SELECT min(sequence) FROM entry
      WHERE zone = ? AND sequence > ? AND time IS NOT NULL AND author IS NOT NULL
      """)
    query.bind(Int64(clamping: place))
    guard try query.next(), let first = query.number(0) else { return nil }
    return try stamp(at: UInt64(first))
  }

  /// Returns the author of the entry at a position in the log, and the time by their clock; nil if
  /// unknown.
  func stamp(at place: UInt64) throws -> Stamp? {
    var query = try query("SELECT time FROM entry WHERE zone = ? AND sequence = ?")
    query.bind(Int64(clamping: place))
    guard try query.next(), let time = query.number(0), let author = try author(at: place) else {
      return nil
    }
    return Stamp(sequence: place, user: author.user, device: author.device, time: time)
  }
}
