import CairnIndex
import CairnZone

/// The chunks that left the zone with a history cutoff. A commit may refer to one only if it adds
/// it again, and the state does not contain them. But earlier readers can still read them.
extension ChunkTable {
  /// The chunk, if it is in the past.
  func pastEntry(_ name: ChunkName) throws -> ChunkEntry? {
    var query = try rows.query(
      "SELECT name, size, place, pack, generation FROM past_chunk WHERE zone = ? AND name = ?")
    query.bind(name.value)
    return try query.next() ? IndexRow.chunk(query) : nil
  }

  /// The chunks among these that the zone itself doesn't have, in the order of their names.
  func onlyInPast(_ names: Set<ChunkName>) throws -> [ChunkEntry] {
    try names.sorted().compactMap { try has($0) ? nil : pastEntry($0) }
  }

  /// The names of all past chunks.
  public func pastNames() throws -> Set<ChunkName> {
    var query = try rows.query("SELECT name FROM past_chunk WHERE zone = ?")
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
  func pastEntries(
    after name: ChunkName?, hiddenWith epoch: UInt64? = nil, limit: Int
  ) throws -> [ChunkEntry] {
    var query = try rows.query(
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

  /// Stores a chunk that only the past has.
  /// - Parameters:
  ///   - chunk: The chunk.
  ///   - epoch: The epoch that ended with the cutoff.
  /// - Throws: errors of SQLite.
  func savePast(_ chunk: ChunkEntry, hiddenWith epoch: UInt64) throws {
    var query = try rows.query(
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

  /// Moves all chunks of the zone to the past, except the live ones.
  func close(_ closing: ClosedPast, keeping live: Set<ChunkName>) throws {
    var query = try rows.query("SELECT name FROM chunk WHERE zone = ?")
    var gone: [ChunkName] = []
    while try query.next() {
      guard let name = ChunkName(bytes: query.bytes(0) ?? []) else {
        throw IndexRow.damaged("chunk")
      }
      if !live.contains(name) { gone.append(name) }
    }
    for name in gone {
      guard let entry = try entry(name) else { continue }
      try savePast(entry, hiddenWith: closing.epoch)
      try drop([name])
    }
  }

  /// Returns whether there are any past chunks.
  func hasPast() throws -> Bool {
    try rows.has(rows.query("SELECT 1 FROM past_chunk WHERE zone = ? LIMIT 1"))
  }

  /// Drops a past chunk that the zone itself has.
  func dropPast(_ name: ChunkName) throws {
    var query = try rows.query("DELETE FROM past_chunk WHERE zone = ? AND name = ?")
    query.bind(name.value)
    try query.run()
  }

  /// Drops past chunks whose packs nobody keeps from now on.
  func dropPast(closedBy retirement: Retirement) throws {
    for name in try closed(by: retirement, in: "past_chunk") { try dropPast(name) }
  }
}
