import CairnIndex
import CairnZone

/// The authors' clocks.
extension LogTable {
  /// Returns the position that the log had reached at that time, in nanoseconds since 1970.
  func place(at time: Int64) throws -> UInt64 {
    var found = PlaceAtTime(time)
    for entry in try times() { found.take(entry.sequence, time: entry.time) }
    return found.place
  }

  /// Returns the times of entries of the log, by their authors' clocks, in the order of the log; in
  /// nanoseconds since 1970. It also reads the tables of records and versions.
  public func times() throws -> [(sequence: UInt64, time: Int64)] {
    // For entries that a snapshot replaces here, only the records' own data is known.
    let isRead = try rows.has(rows.query("SELECT 1 FROM passed WHERE zone = ?")) ? 0 : 1
    var query = try rows.query(
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
    var query = try rows.query(
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
    var query = try rows.query("SELECT time FROM entry WHERE zone = ? AND sequence = ?")
    query.bind(Int64(clamping: place))
    guard try query.next(), let time = query.number(0), let author = try author(at: place) else {
      return nil
    }
    return Stamp(sequence: place, user: author.user, device: author.device, time: time)
  }
}
