import CairnIndex
import CairnZone

/// The chunks of a zone and of its past, and the older packs that it keeps. It owns the tables
/// `chunk`, `past_chunk` and `kept_pack`. A chunk is in one of the first two at most: in `chunk` if
/// a commit may refer to it, in `past_chunk` if it left the zone with a history cutoff. Each kept
/// pack is older than the open ones.
public struct ChunkTable {
  static let tables = ["chunk", "past_chunk", "kept_pack"]
  let rows: ZoneRows

  /// Returns whether content may refer to that chunk.
  public func has(_ name: ChunkName) throws -> Bool {
    var query = try rows.query("SELECT 1 FROM chunk WHERE zone = ? AND name = ?")
    query.bind(name.value)
    return try rows.has(query)
  }

  /// The chunk as in the commit that added it.
  func entry(_ name: ChunkName) throws -> ChunkEntry? {
    var query = try rows.query(
      "SELECT name, size, place, pack, generation FROM chunk WHERE zone = ? AND name = ?")
    query.bind(name.value)
    return try query.next() ? IndexRow.chunk(query) : nil
  }

  /// The number of plaintext bytes of a chunk; nil if the zone does not have it.
  public func size(of name: ChunkName) throws -> UInt32? {
    var query = try rows.query("SELECT size FROM chunk WHERE zone = ? AND name = ?")
    query.bind(name.value)
    return try query.next() ? UInt32(truncatingIfNeeded: query.integer(0)) : nil
  }

  /// The person who added the chunk, or moved it last; nil if the zone does not have it.
  func bringer(of name: ChunkName) throws -> UserID? {
    var query = try rows.query(
      "SELECT a.user FROM chunk c JOIN author a ON a.number = c.author "
        + "WHERE c.zone = ? AND c.name = ?")
    query.bind(name.value)
    return try query.next() ? query.bytes32(0).map { UserID($0) } : nil
  }

  /// The chunk, if its bytes are readable: in the zone, or in the past.
  public func readable(_ name: ChunkName) throws -> ChunkEntry? {
    try entry(name) ?? pastEntry(name)
  }

  /// Returns whether the chunk's bytes are readable.
  public func isReadable(_ name: ChunkName) throws -> Bool {
    try has(name) || pastEntry(name) != nil
  }

  /// The names of all chunks of the zone, and of its past.
  public func names() throws -> Set<ChunkName> {
    var known: Set<ChunkName> = []
    var chunks = try rows.query(
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

  /// All chunks, page by page, in the order of their names.
  func entries(after name: ChunkName?, limit: Int) throws -> [ChunkEntry] {
    var query = try rows.query(
      """
      SELECT name, size, place, pack, generation FROM chunk WHERE zone = ? AND name > ?
      ORDER BY name LIMIT ?
      """)
    query.bind(name?.bytes ?? [0])
    query.bind(Int64(limit))
    var found: [ChunkEntry] = []
    while try query.next() { found.append(try IndexRow.chunk(query)) }
    return found
  }

  /// The chunks in packs that a retirement would close.
  func closed(by retirement: Retirement) throws -> [ChunkName] {
    try closed(by: retirement, in: "chunk")
  }

  /// The chunks of one of the two tables in packs that a retirement would close.
  func closed(by retirement: Retirement, in table: String) throws -> [ChunkName] {
    var query = try rows.query(
      "SELECT name, pack FROM \(table) WHERE zone = ? AND pack IS NOT NULL AND generation < ?")
    query.bind(Int64(retirement.generation))
    var found: [ChunkName] = []
    while try query.next() {
      guard let name = ChunkName(bytes: query.bytes(0) ?? []),
        let pack = PackName(bytes: query.bytes(1) ?? [])
      else { throw IndexRow.damaged("chunk") }
      if !retirement.kept.contains(pack) { found.append(name) }
    }
    return found
  }

  /// The chunks inside entries, not in packs.
  func insideEntries() throws -> Set<ChunkName> {
    var found: Set<ChunkName> = []
    var query = try rows.query("SELECT name FROM chunk WHERE zone = ? AND pack IS NULL")
    while try query.next() {
      guard let name = ChunkName(bytes: query.bytes(0) ?? []) else {
        throw IndexRow.damaged("chunk")
      }
      found.insert(name)
    }
    return found
  }

  // MARK: Writing

  /// Stores a chunk of the zone.
  /// - Parameters:
  ///   - chunk: The chunk.
  ///   - author: The number of the author who added or moved it.
  ///   - insert: "INSERT OR IGNORE" or "INSERT OR REPLACE".
  /// - Throws: errors of SQLite.
  func save(_ chunk: ChunkEntry, by author: Int64, _ insert: String) throws {
    var query = try rows.query(
      insert + " INTO chunk (zone, name, size, place, pack, generation, author) "
        + "VALUES (?, ?, ?, ?, ?, ?, ?)")
    query.bind(chunk.name.value)
    query.bind(Int64(chunk.size))
    query.bind(chunk.place)
    query.bind(chunk.pack?.pack.bytes)
    query.bind(chunk.pack.map { Int64($0.generation) })
    query.bind(author)
    try query.run()
  }

  /// Removes everything.
  func removeAll() throws {
    for table in Self.tables { try rows.query("DELETE FROM \(table) WHERE zone = ?").run() }
  }

  /// Removes chunks from the zone.
  func drop(_ names: some Sequence<ChunkName>) throws {
    for name in names {
      var query = try rows.query("DELETE FROM chunk WHERE zone = ? AND name = ?")
      query.bind(name.value)
      try query.run()
    }
  }
}
