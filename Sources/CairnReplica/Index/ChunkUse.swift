import CairnIdentity
import CairnIndex
import CairnZone

/// The records and versions that need chunks. It reads them with the chunks and the erased
/// versions, and owns no table. It doesn't decide about anything that it finds unneeded.
public struct ChunkUse {
  private let rows: ZoneRows
  private var records: RecordTable { RecordTable(rows: rows) }
  private var versions: VersionTable { VersionTable(rows: rows) }
  private var chunks: ChunkTable { ChunkTable(rows: rows) }
  private var forgotten: ForgottenTable { ForgottenTable(rows: rows) }

  init(_ rows: ZoneRows) { self.rows = rows }

  /// The chunks that records need.
  func live() throws -> Set<ChunkName> {
    var live: Set<ChunkName> = []
    try records.forEachChunkList { live.formUnion($0) }
    return live
  }

  /// The packs of older generations with a part of a present record, or of a kept version.
  /// - Parameters:
  ///   - generation: The first newer generation.
  ///   - retention: The rule for past versions.
  /// - Returns: their names.
  /// - Throws: errors of SQLite.
  public func packsNeeded(below generation: UInt32, _ retention: Retention) throws -> Set<PackName>
  {
    guard try !retention.keepsAll || forgotten.hasAny() else {
      return try chunks.packs(below: generation)
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
    var needed = try NeededChunks(rows, below: generation)
    guard !retention.keepsAll else {
      needed.needAll(but: try forgottenChunks())
      return needed
    }
    try records.forEachChunkList { needed.need($0) }
    try forEachFormer { versions in
      let kept = Set(retention.kept(of: versions.map(\.version)))
      for (version, chunks) in versions where kept.contains(version) {
        needed.need(try IndexRow.chunks(chunks))
      }
    }
    return needed
  }

  /// The chunks inside entries that no record needs, but a kept past version.
  func insideEntriesOfPast(_ retention: Retention) throws -> Set<ChunkName> {
    let dead = try deadInsideEntries()
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

  /// The chunks inside entries without a live record.
  func deadInsideEntries() throws -> Set<ChunkName> {
    var dead = try chunks.insideEntries()
    guard !dead.isEmpty else { return [] }
    try records.forEachChunkList { dead.subtract($0) }
    return dead
  }

  /// The chunks of erased versions that the zone still has, and that neither a record nor a known
  /// version needs.
  public func forgottenChunks() throws -> Set<ChunkName> {
    var names = try forgotten.stored()
    guard !names.isEmpty else { return [] }
    try records.forEachChunkList { names.subtract($0) }
    guard !names.isEmpty else { return [] }
    try versions.forEachChunkList {
      names.subtract($0)
      return !names.isEmpty
    }
    return names
  }

  /// A live record with a chunk in a pack that `retirement` would close.
  public func record(closedOutBy retirement: Retirement) throws -> RecordID? {
    let closed = Set(try chunks.closed(by: retirement))
    guard !closed.isEmpty else { return nil }
    var after: RecordID?
    while true {
      let page = try records.all(after: after, limit: 1_000)
      for record in page
      where record.contents.contains(where: { $0.chunks.contains(where: closed.contains) }) {
        return record.id
      }
      guard let last = page.last?.id else { return nil }
      after = last
    }
  }

  /// Returns whether a content inside entries, or a part of it, became a past version.
  func hasVersionInsideEntries(endedAfter sequence: UInt64) throws -> Bool {
    var isFound = false
    try versions.forEachChunkList(endedAfter: sequence) { names in
      isFound = try names.contains { name in
        try chunks.entry(name).map { $0.pack == nil } ?? false
      }
      return !isFound
    }
    return isFound
  }

  /// A former version of a file's content, and the names of its chunks.
  typealias Former = (version: PastVersion, chunks: [UInt8])

  /// The former contents of each record, in order. Renames and touches make no version of the
  /// content.
  func forEachFormer(_ body: ([Former]) throws -> Void) throws {
    var query = try rows.query(
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
