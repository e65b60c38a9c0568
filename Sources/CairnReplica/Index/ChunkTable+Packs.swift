import CairnIdentity
import CairnIndex
import CairnZone

/// The packs with chunks, and the kept ones among the older ones.
extension ChunkTable {
  /// The packs with chunks of the zone, and those that it keeps open: they must not be deleted.
  public func namedPacks() throws -> Set<PackName> {
    try packs(below: .max).union(keptPacks())
  }

  /// The packs of older generations with chunks of the zone or of its past.
  func packs(below generation: UInt32) throws -> Set<PackName> {
    var query = try rows.query(
      """
      SELECT pack FROM chunk WHERE zone = ?1 AND pack IS NOT NULL AND generation < ?2
      UNION SELECT pack FROM past_chunk WHERE zone = ?1 AND pack IS NOT NULL AND generation < ?2
      """)
    query.bind(Int64(generation))
    var packs: Set<PackName> = []
    while try query.next() {
      guard let pack = PackName(bytes: query.bytes(0) ?? []) else {
        throw IndexRow.damaged("pack")
      }
      packs.insert(pack)
    }
    return packs
  }

  /// Chunks of the zone or of its past, with their places in packs. Invalid chunks, and those
  /// outside packs, are left out.
  public func stored(_ names: some Sequence<ChunkName>) throws -> [(
    entry: ChunkEntry, range: PackRange
  )] {
    var found: [(ChunkEntry, PackRange)] = []
    for name in names {
      guard let entry = try readable(name) else { continue }
      do throws(FormatError) {
        if case .pack(let range, _) = try ChunkPlace(entry).position {
          found.append((entry, range))
        }
      } catch {
        // Nobody can read it, here or elsewhere.
      }
    }
    return found
  }

  /// Returns whether a pack older than the open ones is kept.
  public func keeps(_ pack: PackName) throws -> Bool {
    var query = try rows.query("SELECT 1 FROM kept_pack WHERE zone = ? AND pack = ?")
    query.bind(pack.bytes)
    return try query.next()
  }

  /// The kept older packs, in order.
  func keptPacks() throws -> [PackName] {
    var query = try rows.query("SELECT pack FROM kept_pack WHERE zone = ? ORDER BY pack")
    var found: [PackName] = []
    while try query.next() {
      guard let pack = PackName(bytes: query.bytes(0) ?? []) else { throw IndexRow.damaged("pack") }
      found.append(pack)
    }
    return found
  }

  /// Keeps a pack.
  func keep(_ pack: PackName) throws {
    var query = try rows.query("INSERT OR REPLACE INTO kept_pack (zone, pack) VALUES (?, ?)")
    query.bind(pack.bytes)
    try query.run()
  }

  /// Replaces the kept packs.
  func keepOnly(_ packs: Set<PackName>) throws {
    try rows.query("DELETE FROM kept_pack WHERE zone = ?").run()
    for pack in packs.sorted() {
      var query = try rows.query("INSERT INTO kept_pack (zone, pack) VALUES (?, ?)")
      query.bind(pack.bytes)
      try query.run()
    }
  }
}
