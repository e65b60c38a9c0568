import CairnZone
import Foundation
import GRDB

/// The stored bytes of the entries that this device read or wrote, so that the very same bytes can
/// be put back at the very same places when the container loses them.
extension IndexedZone {
  /// How many bytes of entries are kept of a zone; the oldest go first. What is older than that is
  /// in every backup, and what it said is in the index.
  static let keptBytes: Int64 = 64 << 20

  /// Keeps an entry as it is stored.
  func keep(_ bytes: [UInt8], at sequence: UInt64) throws {
    let last = try Int64.fetchOne(
      db.cachedStatement(
        sql: "SELECT total FROM kept_entry WHERE zone = ? AND sequence < ? ORDER BY sequence DESC"),
      arguments: [number, Int64(sequence)])
    let total = (last ?? 0) + Int64(bytes.count)
    try db.cachedStatement(
      sql: "INSERT OR REPLACE INTO kept_entry (zone, sequence, total, bytes) VALUES (?, ?, ?, ?)"
    ).execute(arguments: [number, Int64(sequence), total, bytes.blob])
    let oldest = try db.cachedStatement(
      sql: "SELECT sequence, total FROM kept_entry WHERE zone = ? ORDER BY sequence LIMIT 1")
    while let row = try Row.fetchOne(oldest, arguments: [number]) {
      let (place, sum): (Int64, Int64) = (row[0], row[1])
      guard sum + Self.keptBytes < total else { return }
      try db.cachedStatement(sql: "DELETE FROM kept_entry WHERE zone = ? AND sequence = ?")
        .execute(arguments: [number, place])
    }
  }

  /// The stored bytes of an entry that was folded here; nil if they aren't kept, or aren't those.
  func kept(at sequence: UInt64) throws -> [UInt8]? {
    let statement = try db.cachedStatement(
      sql: "SELECT bytes FROM kept_entry WHERE zone = ? AND sequence = ?")
    guard let row = try Row.fetchOne(statement, arguments: [number, Int64(sequence)]) else {
      return nil
    }
    let bytes = IndexRow.bytes(row, 0)
    return try EntryCodec.digest(of: bytes) == digest(at: sequence) ? bytes : nil
  }

  /// Whether the record is gone by a deletion.
  func wasDeleted(_ id: RecordID) throws -> Bool {
    let statement = try db.cachedStatement(sql: "SELECT 1 FROM tombstone WHERE zone = ? AND id = ?")
    return try Row.fetchOne(statement, arguments: [number, id.bytes.blob]) != nil
  }

  /// All typed records, of whatever type, by id.
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

  /// The files that are made of any of these chunks, with their contents.
  func files(holding chunks: Set<ChunkName>) throws -> [(record: RecordID, content: Content)] {
    var found: [(RecordID, Content)] = []
    var query = try query(IndexRow.selectRecord + " AND r.content IS NOT NULL")
    while try query.next() {
      let record = try IndexRow.record(query)
      guard let content = record.content, content.chunks.contains(where: chunks.contains) else {
        continue
      }
      found.append((record.id, content))
    }
    return found
  }
}
