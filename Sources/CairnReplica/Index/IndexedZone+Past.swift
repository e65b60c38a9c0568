import CairnIndex
import CairnZone

/// The index data for removing a zone's history: digests of states at checkpoints, and the kept
/// packs.
extension IndexedZone {
  /// The number of plaintext bytes of a chunk; nil if the zone does not have it.
  public func size(ofChunk name: ChunkName) throws -> UInt32? {
    var query = try query("SELECT size FROM chunk WHERE zone = ? AND name = ?")
    query.bind(name.value)
    return try query.next() ? UInt32(truncatingIfNeeded: query.integer(0)) : nil
  }

  /// The digest of the state after the checkpoint at that position, as computed during replay.
  public func digest(ofCheckpoint sequence: UInt64) throws -> Bytes32? {
    var query = try query("SELECT digest FROM checkpoint WHERE zone = ? AND sequence = ?")
    query.bind(Int64(bitPattern: sequence))
    return try query.next() ? query.bytes32(0) : nil
  }

  /// Returns whether a pack older than the open ones is kept.
  public func keepsPack(_ pack: PackName) throws -> Bool {
    var query = try query("SELECT 1 FROM kept_pack WHERE zone = ? AND pack = ?")
    query.bind(pack.bytes)
    return try query.next()
  }

  /// A live record with a chunk in a pack that `retirement` would close.
  public func record(closedOutBy retirement: Retirement) throws -> RecordID? {
    let closed = Set(try chunks(closedBy: retirement))
    guard !closed.isEmpty else { return nil }
    var after: RecordID?
    while true {
      let page = try records(after: after, limit: Self.page)
      for record in page
      where record.contents.contains(where: { $0.chunks.contains(where: closed.contains) }) {
        return record.id
      }
      guard let last = page.last?.id else { return nil }
      after = last
    }
  }

  private static let page = 1_000

  private func chunks(closedBy retirement: Retirement) throws -> [ChunkName] {
    var query = try query(
      "SELECT name, pack FROM chunk WHERE zone = ? AND pack IS NOT NULL AND generation < ?")
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

  /// Stores a delta's statements about the history, after all others.
  func takePast(_ delta: Delta) throws {
    if delta.header.history != header.history { try notePolicy(in: delta.header) }
    for forgetting in delta.forgotten { try forget(forgetting) }
    if delta.closesPast, let closing = delta.header.closings.last { try close(closing) }
    if let retirement = delta.retirement { try close(retirement) }
    if delta.forgottenDeletions > 0 {
      var query = try query("DELETE FROM tombstone WHERE zone = ? AND sequence <= ?")
      query.bind(Int64(bitPattern: delta.forgottenDeletions))
      try query.run()
    }
    if let floor = delta.header.floor, floor != header.floor {
      try dropForgotten(below: floor.checkpoint)
      var query = try query("DELETE FROM checkpoint WHERE zone = ? AND sequence <= ?")
      query.bind(Int64(bitPattern: floor.checkpoint))
      try query.run()
    }
    guard delta.isCheckpoint else { return }
    var query = try query(
      "INSERT OR REPLACE INTO checkpoint (zone, sequence, digest) VALUES (?, ?, ?)")
    query.bind(Int64(bitPattern: delta.header.sequence))
    query.bind(try digest(under: delta.header))
    try query.run()
  }

  private func close(_ retirement: Retirement) throws {
    var gone = try chunks(closedBy: retirement)
    if retirement.dropsInline { gone += try deadInlineChunks() }
    for name in gone {
      var query = try query("DELETE FROM chunk WHERE zone = ? AND name = ?")
      query.bind(name.value)
      try query.run()
    }
    try dropPast(closedBy: retirement)
    try query("DELETE FROM kept_pack WHERE zone = ?").run()
    for pack in retirement.kept.sorted() {
      var query = try query("INSERT INTO kept_pack (zone, pack) VALUES (?, ?)")
      query.bind(pack.bytes)
      try query.run()
    }
  }

  /// The chunks inside entries without a live record.
  func deadInlineChunks() throws -> Set<ChunkName> {
    var dead: Set<ChunkName> = []
    var query = try query("SELECT name FROM chunk WHERE zone = ? AND pack IS NULL")
    while try query.next() {
      guard let name = ChunkName(bytes: query.bytes(0) ?? []) else {
        throw IndexRow.damaged("chunk")
      }
      dead.insert(name)
    }
    guard !dead.isEmpty else { return [] }
    try forEachLiveChunks { dead.subtract($0) }
    return dead
  }

  /// The chunk names of each content of a record.
  public func forEachLiveChunks(_ body: ([ChunkName]) throws -> Void) throws {
    var live = try query("SELECT chunks FROM record WHERE zone = ? AND chunks IS NOT NULL")
    while try live.next() { try body(try IndexRow.chunks(live.bytes(0) ?? [])) }
    for record in try allTypedRecords().values {
      for content in record.contents { try body(content.chunks) }
    }
  }

  /// The digest of the state in the index, with that header.
  func digest(under header: ZoneHeader) throws -> Bytes32 {
    StateDigest.digest(header, lists: try stateLists { _ in })
  }

  /// The digests of the four lists of the state in the index; `take` receives each piece.
  func stateLists(_ take: @escaping (StateDigest.Piece) throws -> Void) throws -> [Bytes32] {
    var records = Pages { [self] in try self.records(after: $0?.id, limit: Self.page) }
    var chunks = Pages { [self] in try self.chunks(after: $0?.name, limit: Self.page) }
    var deletions = try deletions().makeIterator()
    var packs = try keptPacks().makeIterator()
    return [
      try StateDigest.digest(
        of: .records, next: { try records.next().map { .record($0) } }, take: take),
      try StateDigest.digest(
        of: .deletions,
        next: { deletions.next().map { .deletion($0.id, at: $0.sequence) } }, take: take),
      try StateDigest.digest(
        of: .chunks, next: { try chunks.next().map { .chunk($0) } }, take: take),
      try StateDigest.digest(of: .packs, next: { packs.next().map { .pack($0) } }, take: take),
    ]
  }

  /// The deleted records, in the order of their ids, each with its deleting entry.
  func deletions() throws -> [(id: RecordID, sequence: UInt64)] {
    var query = try query("SELECT id, sequence FROM tombstone WHERE zone = ? ORDER BY id")
    var found: [(RecordID, UInt64)] = []
    while try query.next() {
      guard let id = query.id(0) else { throw IndexRow.damaged("record id") }
      found.append((id, UInt64(query.integer(1))))
    }
    return found
  }

  /// The kept older packs, in order.
  func keptPacks() throws -> [PackName] {
    var query = try query("SELECT pack FROM kept_pack WHERE zone = ? ORDER BY pack")
    var found: [PackName] = []
    while try query.next() {
      guard let pack = PackName(bytes: query.bytes(0) ?? []) else { throw IndexRow.damaged("pack") }
      found.append(pack)
    }
    return found
  }
}

/// Rows that are read page by page, one after another.
private struct Pages<Row> {
  private let page: (Row?) throws -> [Row]
  /// The waiting rows; the next one is last.
  private var waiting: [Row] = []
  private var last: Row?
  private var isAtEnd = false

  init(_ page: @escaping (Row?) throws -> [Row]) { self.page = page }

  mutating func next() throws -> Row? {
    if waiting.isEmpty, !isAtEnd {
      waiting = try page(last).reversed()
      last = waiting.first
      isAtEnd = waiting.isEmpty
    }
    return waiting.popLast()
  }
}
