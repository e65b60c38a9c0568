import CairnZone
import Foundation
import GRDB

extension IndexedZone {
  /// Stores what a valid commit changed, and that the entry was taken.
  func apply(_ delta: Delta) throws {
    for (id, record) in delta.saved { try save(id, record) }
    for id in delta.deleted.keys { try delete(id, at: delta.header.sequence) }
    for chunk in delta.chunks {
      let statement = try db.cachedStatement(
        sql: "INSERT OR IGNORE INTO chunk (zone, name, size, place) VALUES (?, ?, ?, ?)")
      try statement.execute(arguments: [
        number, chunk.name.bytes.blob, Int64(chunk.size), chunk.place.blob,
      ])
    }
    try advance(to: delta.header, problem: nil)
  }

  /// Stores that the entry at the header's place was passed; `problem` says why it had no effect.
  func advance(to header: ZoneHeader, problem: String?) throws {
    let statement = try db.cachedStatement(
      sql: """
        UPDATE zone SET founder = ?, name = ?, sequence = ?, head = ?, epoch = ?, facts = ?
        WHERE number = ?
        """)
    let name = (header.genesis?.name).map { IndexRow.value($0) }
    try statement.execute(arguments: [
      header.genesis?.owner.bytes.blob, name, Int64(header.sequence),
      header.head.bytes.blob, Int64(header.epoch),
      try IndexRow.encodeFacts(header).blob, number,
    ])
    let entry = try db.cachedStatement(
      sql: "INSERT OR REPLACE INTO entry (zone, sequence, digest, problem) VALUES (?, ?, ?, ?)")
    try entry.execute(arguments: [
      number, Int64(header.sequence), header.head.bytes.blob, problem,
    ])
  }

  private func save(_ id: RecordID, _ record: Record) throws {
    let statement = try db.cachedStatement(
      sql: """
        INSERT OR REPLACE INTO record (zone, id, type, parent, name, content, size, chunks, target,
          executable, modified, fields, created, created_by, created_time,
          changed, changed_by, changed_time)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """)
    let fields: Data? =
      record.fields.isEmpty ? nil : try IndexRow.encode(record.fields).blob
    try statement.execute(arguments: [
      number, id.bytes.blob, IndexRow.value(record.type), record.place?.parent.bytes.blob,
      record.place?.name.bytes.blob, record.content?.id.bytes.blob,
      record.content.map { Int64($0.size) }, record.content.map { IndexRow.chunkList($0).blob },
      record.target?.blob, record.attributes.isExecutable, record.attributes.modified, fields,
      Int64(record.created.sequence), try author(record.created), record.created.time,
      Int64(record.changed.sequence), try author(record.changed), record.changed.time,
    ])
    try db.cachedStatement(sql: "DELETE FROM tombstone WHERE zone = ? AND id = ?")
      .execute(arguments: [number, id.bytes.blob])
    if let content = record.content {
      try db.cachedStatement(
        sql: "INSERT OR IGNORE INTO version (zone, id, sequence, content) VALUES (?, ?, ?, ?)"
      ).execute(arguments: [
        number, id.bytes.blob, Int64(record.changed.sequence), content.id.bytes.blob,
      ])
    }
  }

  private func delete(_ id: RecordID, at sequence: UInt64) throws {
    try db.cachedStatement(sql: "DELETE FROM record WHERE zone = ? AND id = ?")
      .execute(arguments: [number, id.bytes.blob])
    try db.cachedStatement(
      sql: "INSERT OR REPLACE INTO tombstone (zone, id, sequence) VALUES (?, ?, ?)"
    ).execute(arguments: [number, id.bytes.blob, Int64(sequence)])
  }

  private func author(_ stamp: Stamp) throws -> Int64 {
    let find = try db.cachedStatement(
      sql: "SELECT number FROM author WHERE user = ? AND device = ?")
    let key: StatementArguments = [stamp.user.bytes.blob, stamp.device.bytes.blob]
    if let number = try Int64.fetchOne(find, arguments: key) { return number }
    try db.execute(sql: "INSERT INTO author (user, device) VALUES (?, ?)", arguments: key)
    return db.lastInsertedRowID
  }
}
