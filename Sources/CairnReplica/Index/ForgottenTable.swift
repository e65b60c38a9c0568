import CairnIndex
import CairnZone

/// The chunks of versions that the owner erased, each with the first entry of its version. It owns
/// the table `forgotten`. A row is there until a log start is above its entry.
public struct ForgottenTable {
  static let tables = ["forgotten"]
  let rows: ZoneRows

  /// Returns whether entries with erased versions exist above the log start.
  public func hasAny() throws -> Bool {
    try rows.has(rows.query("SELECT 1 FROM forgotten WHERE zone = ? LIMIT 1"))
  }

  /// The chunks of erased versions that the zone or its past still has.
  func stored() throws -> Set<ChunkName> {
    var query = try rows.query(
      """
      SELECT DISTINCT chunk FROM forgotten f WHERE zone = ?1 AND (
        EXISTS (SELECT 1 FROM chunk c WHERE c.zone = ?1 AND c.name = f.chunk)
        OR EXISTS (SELECT 1 FROM past_chunk c WHERE c.zone = ?1 AND c.name = f.chunk))
      """)
    var names: Set<ChunkName> = []
    while try query.next() {
      guard let name = ChunkName(bytes: query.bytes(0) ?? []) else {
        throw IndexRow.damaged("chunk")
      }
      names.insert(name)
    }
    return names
  }

  /// Notes the chunks of a version that began with an entry. A version without chunks also has a
  /// row.
  func note(_ chunks: [ChunkName], at place: UInt64) throws {
    let chunks = chunks.map(\.bytes)
    for name in chunks.isEmpty ? [[]] : chunks {
      var note = try rows.query(
        "INSERT OR IGNORE INTO forgotten (zone, place, chunk) VALUES (?, ?, ?)")
      note.bind(Int64(place))
      note.bind(name)
      try note.run()
    }
  }

  /// Drops the rows below a log start.
  func drop(below checkpoint: UInt64) throws {
    var gone = try rows.query(
      """
      DELETE FROM forgotten WHERE zone = ?1 AND place < ?2
      AND place IN (SELECT place FROM forgotten WHERE zone = ?1)
      """)
    gone.bind(Int64(clamping: checkpoint))
    try gone.run()
  }
}
