import CairnIndex
import CairnZone

/// The versions that the owner erased. They leave the past at once, and bytes that nothing else
/// needs leave the zone with the next closing of packs.
extension IndexedZone {
  /// Drops versions of a record, and notes their chunks.
  func forget(_ forgetting: Forgetting) throws {
    for place in forgetting.versions.sorted() {
      var version = try query("SELECT chunks FROM past WHERE zone = ? AND id = ? AND changed = ?")
      version.bind(forgetting.record)
      version.bind(Int64(clamping: place))
      guard try version.next() else { continue }
      // A version without bytes also has an entry.
      let chunks = try IndexRow.chunks(version.bytes(0) ?? []).map(\.bytes)
      for name in chunks.isEmpty ? [[]] : chunks {
        var note = try query(
          "INSERT OR IGNORE INTO forgotten (zone, place, chunk) VALUES (?, ?, ?)")
        note.bind(Int64(place))
        note.bind(name)
        try note.run()
      }
      var gone = try query("DELETE FROM past WHERE zone = ? AND id = ? AND changed = ?")
      gone.bind(forgetting.record)
      gone.bind(Int64(clamping: place))
      try gone.run()
    }
    // A chunk outside packs needs no pack to be closed. The state decides about the zone's own
    // chunks.
    for name in try forgottenChunks() {
      if let entry = try pastChunk(name), entry.pack == nil { try dropPast(name) }
    }
  }

  /// Returns whether entries with erased versions exist above the log start.
  public func isForgetting() throws -> Bool {
    try has(query("SELECT 1 FROM forgotten WHERE zone = ? LIMIT 1"))
  }

  /// The chunks of erased versions that the zone still has, and that neither a record nor a known
  /// version needs.
  public func forgottenChunks() throws -> Set<ChunkName> {
    var query = try query(
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
    guard !names.isEmpty else { return [] }
    try forEachLiveChunks { names.subtract($0) }
    var former = try self.query("SELECT chunks FROM past WHERE zone = ? AND chunks IS NOT NULL")
    while !names.isEmpty, try former.next() {
      names.subtract(try IndexRow.chunks(former.bytes(0) ?? []))
    }
    return names
  }

  /// Former versions of files with any of these chunks.
  public func formerFiles(holding chunks: Set<ChunkName>, limit: Int) throws -> [Record] {
    var found: [Record] = []
    var query = try query(IndexRow.selectPast() + " AND r.chunks IS NOT NULL")
    while found.count < limit, try query.next() {
      let record = try IndexRow.version(query).record
      if let content = record.content, content.chunks.contains(where: chunks.contains) {
        found.append(record)
      }
    }
    return found
  }

  /// Drops the notes about erased versions below a log start, and their first entries: nobody puts
  /// these back.
  func dropForgotten(below checkpoint: UInt64) throws {
    for table in ["kept_entry", "forgotten"] {
      let column = table == "forgotten" ? "place" : "sequence"
      var gone = try query(
        """
        DELETE FROM \(table) WHERE zone = ?1 AND \(column) < ?2
        AND \(column) IN (SELECT place FROM forgotten WHERE zone = ?1)
        """)
      gone.bind(Int64(clamping: checkpoint))
      try gone.run()
    }
  }

  /// The names of all chunks of the zone, and of its past.
  public func chunkNames() throws -> Set<ChunkName> {
    var known: Set<ChunkName> = []
    var chunks = try query(
      "SELECT name FROM chunk WHERE zone = ?1 "
        + "UNION ALL SELECT name FROM past_chunk WHERE zone = ?1")
    while try chunks.next() {
      guard let name = ChunkName(bytes: chunks.bytes(0) ?? []) else {
        throw IndexRow.damaged("chunk")
      }
      known.insert(name)
    }
    return known
  }

  /// Drops past versions whose bytes the zone no longer has: a loaded snapshot does not keep them,
  /// or they were erased while this device was away. Their contents stay known, because an old file
  /// in a folder would otherwise be an edit.
  func dropPastWithoutBytes() throws {
    let known = try chunkNames()
    var lost: [(id: RecordID, place: Int64)] = []
    var past = try query("SELECT id, changed, chunks FROM past WHERE zone = ? AND chunks NOT NULL")
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
        var query = try query(text)
        query.bind(version.id)
        query.bind(version.place)
        try query.run()
      }
    }
  }
}
