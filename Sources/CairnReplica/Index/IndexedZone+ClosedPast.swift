import CairnIndex
import CairnZone

/// The chunks that left the zone with a history cutoff. A commit may refer to one only if it adds
/// it again, and the state does not contain them. But earlier readers can still read them.
extension IndexedZone {
  /// Moves each chunk without a record to the past.
  func close(_ closing: ClosedPast) throws {
    var live: Set<ChunkName> = []
    try forEachLiveChunks { live.formUnion($0) }
    var query = try query("SELECT name FROM chunk WHERE zone = ?")
    var gone: [ChunkName] = []
    while try query.next() {
      guard let name = ChunkName(bytes: query.bytes(0) ?? []) else {
        throw IndexRow.damaged("chunk")
      }
      if !live.contains(name) { gone.append(name) }
    }
    for name in gone {
      guard let entry = try chunk(name) else { continue }
      try savePast(entry, hiddenWith: closing.epoch)
      var left = try self.query("DELETE FROM chunk WHERE zone = ? AND name = ?")
      left.bind(name.value)
      try left.run()
    }
  }

  /// Stores a chunk that only the past has.
  /// - Parameters:
  ///   - chunk: The chunk.
  ///   - epoch: The epoch that ended with the cutoff.
  /// - Throws: errors of SQLite.
  func savePast(_ chunk: ChunkEntry, hiddenWith epoch: UInt64) throws {
    var query = try query(
      "INSERT OR REPLACE INTO past_chunk (zone, name, size, place, pack, generation, epoch) "
        + "VALUES (?, ?, ?, ?, ?, ?, ?)")
    query.bind(chunk.name.value)
    query.bind(Int64(chunk.size))
    query.bind(chunk.place)
    query.bind(chunk.pack?.pack.bytes)
    query.bind(chunk.pack.map { Int64($0.generation) })
    query.bind(Int64(clamping: epoch))
    try query.run()
  }

  /// Drops a past chunk that the zone itself has.
  func dropPast(_ name: ChunkName) throws {
    var query = try query("DELETE FROM past_chunk WHERE zone = ? AND name = ?")
    query.bind(name.value)
    try query.run()
  }

  /// Drops past chunks whose packs nobody keeps from now on.
  func dropPast(closedBy retirement: Retirement) throws {
    var query = try query(
      "SELECT name, pack FROM past_chunk WHERE zone = ? AND pack IS NOT NULL AND generation < ?")
    query.bind(Int64(retirement.generation))
    var gone: [ChunkName] = []
    while try query.next() {
      guard let name = ChunkName(bytes: query.bytes(0) ?? []),
        let pack = PackName(bytes: query.bytes(1) ?? [])
      else { throw IndexRow.damaged("chunk") }
      if !retirement.kept.contains(pack) { gone.append(name) }
    }
    for name in gone { try dropPast(name) }
  }

  /// The chunk, if it is in the past.
  func pastChunk(_ name: ChunkName) throws -> ChunkEntry? {
    var query = try query(
      "SELECT name, size, place, pack, generation FROM past_chunk WHERE zone = ? AND name = ?")
    query.bind(name.value)
    return try query.next() ? IndexRow.chunk(query) : nil
  }

  /// The chunk, if its bytes are readable: in the zone, or in the past.
  public func readableChunk(_ name: ChunkName) throws -> ChunkEntry? {
    try chunk(name) ?? pastChunk(name)
  }

  /// Returns whether the chunk's bytes are readable.
  public func isReadable(_ name: ChunkName) throws -> Bool {
    try hasChunk(name) || pastChunk(name) != nil
  }

  /// The names of all past chunks.
  public func pastChunkNames() throws -> Set<ChunkName> {
    var query = try query("SELECT name FROM past_chunk WHERE zone = ?")
    var names: Set<ChunkName> = []
    while try query.next() {
      guard let name = ChunkName(bytes: query.bytes(0) ?? []) else {
        throw IndexRow.damaged("chunk")
      }
      names.insert(name)
    }
    return names
  }

  /// Past chunks page by page, in the order of their names.
  /// - Parameters:
  ///   - name: The name before the first one; nil: from the beginning.
  ///   - epoch: Only those that were hidden when that epoch ended; nil: all.
  ///   - limit: The maximum number.
  /// - Returns: the chunks.
  /// - Throws: errors of SQLite.
  func pastChunks(
    after name: ChunkName?, hiddenWith epoch: UInt64? = nil, limit: Int
  ) throws -> [ChunkEntry] {
    var query = try query(
      """
      SELECT name, size, place, pack, generation FROM past_chunk
      WHERE zone = ? AND name > ? AND (?3 IS NULL OR epoch = ?3) ORDER BY name LIMIT ?4
      """)
    query.bind(name?.bytes ?? [0])
    query.bind(epoch.map { Int64(clamping: $0) })
    query.bind(Int64(limit))
    var found: [ChunkEntry] = []
    while try query.next() { found.append(try IndexRow.chunk(query)) }
    return found
  }

  /// Returns whether something in the zone was created, changed or deleted after an entry of the
  /// log, so that there may be newer history.
  func hasPast(since place: UInt64) throws -> Bool {
    for text in [
      "SELECT 1 FROM record WHERE zone = ? AND changed > ? LIMIT 1",
      "SELECT 1 FROM tombstone WHERE zone = ? AND sequence > ? LIMIT 1",
      "SELECT 1 FROM past WHERE zone = ? AND ended > ? LIMIT 1",
    ] {
      var query = try query(text)
      query.bind(Int64(clamping: place))
      if try has(query) { return true }
    }
    return false
  }
}
