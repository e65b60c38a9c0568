import CairnIdentity
import CairnIndex
import CairnZone

/// The stored bytes of the entries that this device read or wrote, so that the same bytes can be
/// put back at the same positions when the container loses them. It owns the table `kept_entry`. A
/// row has the total number of bytes up to it, and no row is older than the last `limit` bytes.
struct KeptEntryTable {
  static let tables = ["kept_entry"]
  let rows: ZoneRows

  /// The maximum number of kept bytes of a zone's entries; the oldest are dropped first. Older ones
  /// are in every backup, and their content is in the index.
  static let limit: Int64 = 64 << 20

  /// Stores the bytes of an entry.
  func keep(_ bytes: [UInt8], at sequence: UInt64) throws {
    let total = try total(before: sequence) + Int64(bytes.count)
    var entry = try rows.query(
      "INSERT OR REPLACE INTO kept_entry (zone, sequence, total, bytes) VALUES (?, ?, ?, ?)")
    entry.bind(Int64(sequence))
    entry.bind(total)
    entry.bind(bytes)
    try entry.run()
    while let oldest = try oldest(), oldest.total + Self.limit < total {
      var last = try rows.query("DELETE FROM kept_entry WHERE zone = ? AND sequence = ?")
      last.bind(oldest.sequence)
      try last.run()
    }
  }

  /// The total number of bytes that were kept before an entry.
  private func total(before sequence: UInt64) throws -> Int64 {
    var query = try rows.query(
      "SELECT total FROM kept_entry WHERE zone = ? AND sequence < ? ORDER BY sequence DESC LIMIT 1")
    query.bind(Int64(sequence))
    return try query.next() ? query.integer(0) : 0
  }

  private func oldest() throws -> (sequence: Int64, total: Int64)? {
    var query = try rows.query(
      "SELECT sequence, total FROM kept_entry WHERE zone = ? ORDER BY sequence LIMIT 1")
    return try query.next() ? (query.integer(0), query.integer(1)) : nil
  }

  /// The position of the first kept entry; nil if there is none.
  func first() throws -> UInt64? { try oldest().map { UInt64($0.sequence) } }

  /// The stored bytes of an entry that was replayed here; nil if they are missing or wrong.
  func bytes(at sequence: UInt64) throws -> [UInt8]? {
    var query = try rows.query("SELECT bytes FROM kept_entry WHERE zone = ? AND sequence = ?")
    query.bind(Int64(sequence))
    guard try query.next(), let bytes = query.bytes(0) else { return nil }
    return try EntryCodec.digest(of: bytes) == LogTable(rows: rows).digest(at: sequence)
      ? bytes : nil
  }

  /// Drops the first entries of erased versions below a log start: nobody puts these back.
  func dropForgotten(below checkpoint: UInt64) throws {
    var gone = try rows.query(
      """
      DELETE FROM kept_entry WHERE zone = ?1 AND sequence < ?2
      AND sequence IN (SELECT place FROM forgotten WHERE zone = ?1)
      """)
    gone.bind(Int64(clamping: checkpoint))
    try gone.run()
  }
}
