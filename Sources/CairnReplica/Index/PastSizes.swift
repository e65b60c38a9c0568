import CairnIndex
import CairnZone

/// The bytes that only past versions need.
public struct PastBytes: Hashable, Sendable {
  /// The bytes of earlier versions of files that still exist.
  public var replaced: UInt64 = 0
  /// The bytes of deleted files.
  public var deleted: UInt64 = 0
  /// The bytes of both that no rule keeps any more.
  public var expired: UInt64 = 0

  /// All bytes of the past.
  public var all: UInt64 { replaced + deleted }
}

/// The sizes of what a zone keeps of its past, by the reason why it is kept.
struct PastSizes {
  private let zone: IndexedZone

  init(_ zone: IndexedZone) { self.zone = zone }

  /// The bytes in the zone's chunks that no record needs any more.
  /// - Parameter retention: The rule for past versions; nil: none of them expires.
  /// - Returns: the bytes, by the reason why they are kept.
  /// - Throws: errors of SQLite.
  func bytes(_ retention: Retention?) throws -> PastBytes {
    var live: Set<ChunkName> = []
    try zone.records.forEachChunkList { live.formUnion($0) }
    let replaced = try chunksOfReplacedVersions()
    let kept = try retention.flatMap { $0.keepsAll ? nil : try keptChunks(by: $0) }
    var chunks = try zone.rows.query(
      "SELECT name, size FROM chunk WHERE zone = ?1 "
        + "UNION ALL SELECT name, size FROM past_chunk WHERE zone = ?1")
    var bytes = PastBytes()
    while try chunks.next() {
      guard let name = ChunkName(bytes: chunks.bytes(0) ?? []) else {
        throw IndexRow.damaged("chunk")
      }
      guard !live.contains(name) else { continue }
      let size = UInt64(clamping: chunks.integer(1))
      if replaced.contains(name) { bytes.replaced += size } else { bytes.deleted += size }
      if let kept, !kept.contains(name) { bytes.expired += size }
    }
    return bytes
  }

  private func keptChunks(by retention: Retention) throws -> Set<ChunkName> {
    var kept: Set<ChunkName> = []
    try zone.chunkUse.forEachFormer { versions in
      let wanted = Set(retention.kept(of: versions.map(\.version)))
      for (version, chunks) in versions where wanted.contains(version) {
        kept.formUnion(try IndexRow.chunks(chunks))
      }
    }
    return kept
  }

  /// The chunks of past versions of records that still exist.
  private func chunksOfReplacedVersions() throws -> Set<ChunkName> {
    var query = try zone.rows.query(
      """
      SELECT p.chunks FROM past p WHERE p.zone = ? AND p.chunks IS NOT NULL
        AND EXISTS (SELECT 1 FROM record r WHERE r.zone = p.zone AND r.id = p.id)
      """)
    var names: Set<ChunkName> = []
    while try query.next() { names.formUnion(try IndexRow.chunks(query.bytes(0) ?? [])) }
    return names
  }
}
