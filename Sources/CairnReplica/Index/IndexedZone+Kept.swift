import CairnIndex
import CairnZone

/// The stored bytes of the entries that this device read or wrote, so that the same bytes can be
/// put back at the same positions when the container loses them.
extension IndexedZone {
  /// The maximum number of kept bytes of a zone's entries; the oldest are dropped first. Older ones
  /// are in every backup, and their content is in the index.
  static let keptBytes: Int64 = 64 << 20

  /// Stores the bytes of an entry.
  func keep(_ bytes: [UInt8], at sequence: UInt64) throws {
    let total = try totalKept(before: sequence) + Int64(bytes.count)
    var entry = try query(
      "INSERT OR REPLACE INTO kept_entry (zone, sequence, total, bytes) VALUES (?, ?, ?, ?)")
    entry.bind(Int64(sequence))
    entry.bind(total)
    entry.bind(bytes)
    try entry.run()
    while let oldest = try oldestKept(), oldest.total + Self.keptBytes < total {
      var last = try query("DELETE FROM kept_entry WHERE zone = ? AND sequence = ?")
      last.bind(oldest.sequence)
      try last.run()
    }
  }

  /// The total number of bytes that were kept before an entry.
  private func totalKept(before sequence: UInt64) throws -> Int64 {
    var query = try query(
      "SELECT total FROM kept_entry WHERE zone = ? AND sequence < ? ORDER BY sequence DESC LIMIT 1")
    query.bind(Int64(sequence))
    return try query.next() ? query.integer(0) : 0
  }

  private func oldestKept() throws -> (sequence: Int64, total: Int64)? {
    var query = try query(
      "SELECT sequence, total FROM kept_entry WHERE zone = ? ORDER BY sequence LIMIT 1")
    return try query.next() ? (query.integer(0), query.integer(1)) : nil
  }

  /// The position of the first kept entry; nil if there is none.
  func firstKept() throws -> UInt64? { try oldestKept().map { UInt64($0.sequence) } }

  /// The stored bytes of an entry that was replayed here; nil if they are missing or wrong.
  func kept(at sequence: UInt64) throws -> [UInt8]? {
    var query = try query("SELECT bytes FROM kept_entry WHERE zone = ? AND sequence = ?")
    query.bind(Int64(sequence))
    guard try query.next(), let bytes = query.bytes(0) else { return nil }
    return try EntryCodec.digest(of: bytes) == digest(at: sequence) ? bytes : nil
  }

  /// The entry that deleted the record; nil if there is none.
  func deletion(of id: RecordID) throws -> UInt64? {
    var query = try query("SELECT sequence FROM tombstone WHERE zone = ? AND id = ?")
    query.bind(id)
    return try query.next() ? UInt64(query.integer(0)) : nil
  }

  /// All typed records of any type, by id.
  func allTypedRecords() throws -> [RecordID: Record] {
    let records = try records(
      query(IndexRow.selectRecord + " AND substr(CAST(r.type AS TEXT), 1, 1) = ':'"))
    return Dictionary(uniqueKeysWithValues: records.map { ($0.id, $0) })
  }

  /// Records page by page, in the order of their ids.
  func records(after id: RecordID?, limit: Int) throws -> [Record] {
    var query = try query(
      IndexRow.selectRecord + " AND (?2 IS NULL OR r.id > ?2) ORDER BY r.id LIMIT ?3")
    query.bind(id?.bytes)
    query.bind(Int64(limit))
    return try records(query)
  }

  /// The records with any of these chunks, in a file's content or in an asset.
  public func records(holding chunks: Set<ChunkName>) throws -> [Record] {
    var found: [Record] = []
    var query = try query(
      IndexRow.selectRecord + " AND (r.content IS NOT NULL OR r.fields IS NOT NULL)")
    while try query.next() {
      let record = try IndexRow.record(query)
      if record.needs(anyOf: chunks) { found.append(record) }
    }
    return found
  }
}

extension Record {
  /// Returns whether one of the contents consists of any of these chunks.
  func needs(anyOf chunks: Set<ChunkName>) -> Bool {
    contents.contains { $0.chunks.contains(where: chunks.contains) }
  }
}
