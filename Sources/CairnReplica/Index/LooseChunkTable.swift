import CairnIndex
import CairnZone

/// The index's notes of chunks in stored packs that no commit references yet. With them, an upload
/// continues after a restart. It owns the table `loose_chunk`. A lost note costs only another
/// transfer of its chunk.
struct LooseChunkTable: LooseChunkNotes {
  static let tables = ["loose_chunk"]
  private let index: IndexFile
  private let zone: ZoneID
  private let kind: ZoneKind

  /// Creates a value for a zone.
  init(_ index: IndexFile, _ zone: ZoneID, _ kind: ZoneKind) {
    (self.index, self.zone, self.kind) = (index, zone, kind)
  }

  /// Returns the noted chunks, and forgets those that the zone has by now.
  /// - Throws: Any SQLite error.
  func all() throws -> [ChunkEntry] {
    let (loose, present) = try index.read { db in
      let state = try IndexedZone(reading: db, zone: zone)
      var query = try state.rows.query(
        "SELECT name, size, place, pack, generation FROM loose_chunk WHERE zone = ?")
      var (loose, present): ([ChunkEntry], [ChunkEntry]) = ([], [])
      while try query.next() {
        let entry = try IndexRow.chunk(query)
        if try state.hasChunk(entry.name) { present.append(entry) } else { loose.append(entry) }
      }
      return (loose, present)
    }
    try forget(present)
    return loose
  }

  /// Notes chunks.
  /// - Throws: Any SQLite error.
  func note(_ entries: [ChunkEntry]) throws {
    try index.write { db in
      let state = try IndexedZone(db, zone: zone, kind: kind)
      for entry in entries {
        var query = try state.rows.query(
          """
          INSERT OR REPLACE INTO loose_chunk (zone, name, size, place, pack, generation)
          VALUES (?, ?, ?, ?, ?, ?)
          """)
        query.bind(entry.name.value)
        query.bind(Int64(entry.size))
        query.bind(entry.place)
        query.bind(entry.pack?.pack.bytes)
        query.bind(entry.pack.map { Int64($0.generation) })
        try query.run()
      }
    }
  }

  /// Forgets chunks.
  /// - Throws: Any SQLite error.
  func forget(_ entries: [ChunkEntry]) throws {
    guard !entries.isEmpty else { return }
    try index.write { db in
      let state = try IndexedZone(db, zone: zone, kind: kind)
      try Self.forget(entries.map(\.name), in: state.rows)
    }
  }

  /// Forgets chunks, within a transaction.
  /// - Throws: Any SQLite error.
  static func forget(_ names: [ChunkName], in rows: ZoneRows) throws {
    for name in names {
      var query = try rows.query("DELETE FROM loose_chunk WHERE zone = ? AND name = ?")
      query.bind(name.value)
      try query.run()
    }
  }
}
