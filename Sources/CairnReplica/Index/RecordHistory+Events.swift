import CairnIndex
import CairnZone

/// The events of files, directories and symlinks, newest first.
extension RecordHistory {
  /// The next events, the newest first.
  /// - Parameters:
  ///   - place: The position that was reached.
  ///   - deletions: Only deletions.
  ///   - limit: The maximum number.
  /// - Returns: the record, the entry, and whether it was deleted there.
  /// - Throws: errors of SQLite.
  func events(
    before place: EventPlace, deletionsOnly deletions: Bool, limit: Int
  ) throws -> [(record: RecordID, sequence: UInt64, isGone: Bool)] {
    let gone = """
      SELECT ended AS place, id, 1 FROM past INDEXED BY past_deleted
      WHERE zone = ?1 AND ending = 2 AND (ended, id) < (?2, ?3)
      """
    let made = """
      SELECT changed AS place, id, 0 FROM record INDEXED BY record_changed
      WHERE zone = ?1 AND parent IS NOT NULL AND (changed, id) < (?2, ?3)
      UNION ALL SELECT changed, id, 0 FROM past INDEXED BY past_changed
      WHERE zone = ?1 AND (changed, id) < (?2, ?3)
      UNION ALL
      """
    var query = try rows.query(
      (deletions ? gone : made + " " + gone) + " ORDER BY 1 DESC, 2 DESC LIMIT ?4")
    query.bind(Int64(clamping: place.sequence))
    // After every id.
    query.bind(place.record?.bytes ?? [UInt8](repeating: 0xff, count: 17))
    query.bind(Int64(limit))
    var found: [(RecordID, UInt64, Bool)] = []
    while try query.next() {
      guard let id = query.id(1) else { throw IndexRow.damaged("record id") }
      found.append((id, UInt64(query.integer(0)), query.integer(2) != 0))
    }
    return found
  }

  /// The event of a record at an entry of the log that created, changed or deleted it.
  func event(of id: RecordID, at sequence: UInt64) throws -> RecordEvent? {
    let after = try version(of: id, at: sequence)
    let former = try versions.former(of: id, before: sequence, limit: 1).first
    let before = former.flatMap { $0.end?.stamp.sequence == sequence ? $0 : nil }
    guard let stamp = after?.record.changed ?? before?.end?.stamp, stamp.sequence == sequence
    else { return nil }
    return RecordEvent(record: id, before: before, after: after, stamp: stamp)
  }

  /// The entries after a position of the log that replaced records by another zone, or brought such
  /// a zone back. The deleted records are elsewhere, and the created ones are not new.
  func nestings(after place: UInt64) throws -> Set<UInt64> {
    var query = try rows.query(
      """
      SELECT created, NULL FROM record INDEXED BY record_reference
      WHERE zone = ?1 AND type = 'reference' AND created > ?2
      UNION ALL SELECT created, ended FROM past INDEXED BY past_reference
      WHERE zone = ?1 AND type = 'reference' AND ended > ?2
      """)
    query.bind(Int64(clamping: place))
    var places: Set<UInt64> = []
    while try query.next() {
      places.insert(UInt64(query.integer(0)))
      if let ended = query.number(1) { places.insert(UInt64(ended)) }
    }
    return places
  }

  /// The number of readable versions that ended after a position of the log, and of deleted files
  /// among them.
  func summary(endedAfter place: UInt64) throws -> (versions: Int, deleted: Int) {
    let known = try ChunkTable(rows: rows).names()
    var query = try rows.query(
      """
      SELECT p.id, p.chunks, p.ending = 2 AND NOT EXISTS
        (SELECT 1 FROM record r WHERE r.zone = p.zone AND r.id = p.id)
      FROM past p WHERE p.zone = ? AND p.ended > ? AND p.type IN ('file', 'symlink')
      ORDER BY p.id
      """)
    query.bind(Int64(clamping: place))
    var (versions, deleted) = (0, 0)
    var last: RecordID?
    while try query.next() {
      guard try IndexRow.chunks(query.bytes(1) ?? []).allSatisfy(known.contains) else { continue }
      versions += 1
      guard query.integer(2) != 0, let id = query.id(0), id != last else { continue }
      (last, deleted) = (id, deleted + 1)
    }
    return (versions, deleted)
  }
}
