import CairnIdentity
import CairnIndex
import CairnZone

/// The packs that a zone needs.
extension IndexedZone {
  /// The packs with chunks of the zone, and those that it keeps open: they must not be deleted.
  public func namedPacks() throws -> Set<PackName> {
    try distinctPacks(below: .max).union(keptPacks())
  }

  /// The packs of older generations with a part of a present record, or of a kept version.
  /// - Parameters:
  ///   - generation: The first newer generation.
  ///   - retention: The rule for past versions.
  /// - Returns: their names.
  /// - Throws: errors of SQLite.
  public func packsNeeded(below generation: UInt32, _ retention: Retention) throws -> Set<PackName>
  {
    guard try !retention.keepsAll || isForgetting() else {
      return try distinctPacks(below: generation)
    }
    return try neededChunks(below: generation, retention).packs
  }

  /// The needed chunks in packs of older generations, for records and kept versions.
  /// - Parameters:
  ///   - generation: The first newer generation.
  ///   - retention: The rule for past versions.
  /// - Returns: the chunks, with their places.
  /// - Throws: errors of SQLite.
  public func neededChunks(below generation: UInt32, _ retention: Retention) throws -> NeededChunks
  {
    var needed = try NeededChunks(self, below: generation)
    guard !retention.keepsAll else {
      needed.needAll(but: try forgottenChunks())
      return needed
    }
    try forEachLiveChunks { needed.need($0) }
    try forEachFormer { versions in
      let kept = Set(retention.kept(of: versions.map(\.version)))
      for (version, chunks) in versions where kept.contains(version) {
        needed.need(try IndexRow.chunks(chunks))
      }
    }
    return needed
  }

  /// The chunks inside entries that no record needs, but a kept past version.
  func inlineOfPast(_ retention: Retention) throws -> Set<ChunkName> {
    let dead = try deadInlineChunks()
    guard !dead.isEmpty, !retention.keepsAll else {
      return dead.isEmpty ? dead : dead.subtracting(try forgottenChunks())
    }
    var needed: Set<ChunkName> = []
    try forEachFormer { versions in
      let kept = Set(retention.kept(of: versions.map(\.version)))
      for (version, chunks) in versions where kept.contains(version) {
        needed.formUnion(dead.intersection(try IndexRow.chunks(chunks)))
      }
    }
    return needed
  }

  /// Chunks of the zone or of its past, with their places in packs. Invalid chunks, and those
  /// outside packs, are left out.
  public func stored(_ names: some Sequence<ChunkName>) throws -> [(
    entry: ChunkEntry, range: PackRange
  )] {
    var found: [(ChunkEntry, PackRange)] = []
    for name in names {
      guard let entry = try readableChunk(name) else { continue }
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

  private func distinctPacks(below generation: UInt32) throws -> Set<PackName> {
    var query = try query(
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

  /// A former version of a file's content, and the names of its chunks.
  typealias Former = (version: PastVersion, chunks: [UInt8])

  /// The former contents of each record, in order. Renames and touches make no version of the
  /// content.
  func forEachFormer(_ body: ([Former]) throws -> Void) throws {
    var query = try query(
      """
      SELECT p.id, p.changed, p.ended, p.chunks, r.chunks FROM past p
      LEFT JOIN record r ON r.zone = p.zone AND r.id = p.id
      WHERE p.zone = ? AND p.chunks IS NOT NULL ORDER BY p.id, p.changed
      """)
    var (last, now) = ([UInt8]?.none, [UInt8]?.none)
    var versions: [Former] = []
    func end() throws {
      // A content that the record still has needs no permission.
      if let now, versions.last?.chunks == now { versions.removeLast() }
      if !versions.isEmpty { try body(versions) }
      versions = []
    }
    while try query.next() {
      if query.bytes(0) != last { try end() }
      (last, now) = (query.bytes(0), query.bytes(4))
      let version = PastVersion(
        began: UInt64(query.integer(1)), ended: UInt64(query.integer(2)))
      let chunks = query.bytes(3) ?? []
      if let before = versions.last, before.chunks == chunks,
        before.version.ended == version.began
      {
        versions[versions.count - 1].version.ended = version.ended
      } else {
        versions.append((version, chunks))
      }
    }
    try end()
  }
}
