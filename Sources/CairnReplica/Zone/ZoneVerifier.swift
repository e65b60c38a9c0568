import CairnIdentity
import CairnIndex
import CairnStore
import CairnZone

/// Reads a zone back from the container. It uses only the index and the store, so that the zone's
/// owner can continue meanwhile.
struct ZoneVerifier {
  let folder: ZoneFolder
  let store: any ObjectStore
  let index: IndexFile
  private var zone: ZoneID { folder.zone }

  /// Reads every entry of the log and every chunk, and reports missing, altered and forged ones.
  func verify(_ progress: (Int, Int) -> Void) throws -> [Damage] {
    var damages: [Damage] = []
    let header = try read { $0.header }
    let chunks = try allChunks()
    let total = Int(header.sequence) + chunks.count
    if header.sequence > 0 {
      for sequence in try lowestNeeded(header)...header.sequence {
        if let reason = try entryProblem(sequence) {
          damages.append(try entry(sequence, reason))
        }
        progress(Int(sequence), total)
      }
    }
    return try damages
      + damaged(
        brokenChunks(of: chunks) { done, _ in progress(Int(header.sequence) + done, total) })
  }

  private func entry(_ sequence: UInt64, _ reason: String) throws -> Damage {
    Damage(
      .entry, key: try place(sequence)?.description ?? folder.log, reason: reason,
      sequence: sequence)
  }

  /// The first checked position: entries below a log start may be deleted.
  private func lowestNeeded(_ header: ZoneHeader) throws -> UInt64 {
    let keys = try read { try $0.log.keys() }
    guard let floor = header.floor, try Floors(folder: folder, store: store).stands(floor, keys)
    else { return 1 }
    return floor.checkpoint
  }

  /// The key of a replayed position.
  private func place(_ sequence: UInt64) throws -> ObjectKey? {
    try read { try $0.log.place(of: sequence, in: folder, $0.log.keys()) }
  }

  /// One damage for each object and reason, with the affected files.
  private func damaged(_ chunks: [BrokenChunk]) throws -> [Damage] {
    var order: [Damage] = []
    var names: [Damage: Set<ChunkName>] = [:]
    for chunk in chunks {
      let damage = Damage(key: chunk.object, reason: chunk.reason)
      if names[damage] == nil { order.append(damage) }
      names[damage, default: []].insert(chunk.name)
    }
    guard !order.isEmpty else { return [] }
    let holders = try read { try $0.records.holding(Set(chunks.map(\.name))) }
    return order.map { damage in
      let broken = names[damage] ?? []
      var damage = damage
      damage.records = holders.filter { $0.needs(anyOf: broken) }.map(\.id)
      return damage
    }
  }

  /// The differences between the index and the log, after a new replay.
  func compare(with copy: IndexFile) throws -> [Damage] {
    let (ours, theirs) = (
      try read { $0.header },
      try copy.read { db in
        try IndexedZone(reading: db, zone: zone).header
      }
    )
    guard ours.sequence == theirs.sequence else { return [] }
    var isSame = ours == theirs
    var last: RecordID?
    while isSame {
      let page = try read { try $0.records.all(after: last, limit: 2_000) }
      let other = try copy.read { db in
        try IndexedZone(reading: db, zone: zone).records.all(after: last, limit: 2_000)
      }
      isSame = page == other
      guard page.count == 2_000 else { break }
      last = page.last?.id
    }
    guard !isSame else { return [] }
    return [
      Damage(
        .index, key: folder.path,
        reason: "is another thing in the index of this device than the log makes of it")
    ]
  }

  private func read<Result>(_ body: (IndexedZone) throws -> Result) throws -> Result {
    try index.read { try body(IndexedZone(reading: $0, zone: zone)) }
  }

  private func entryProblem(_ sequence: UInt64) throws -> String? {
    let (known, keys) = try read { (try $0.log.digest(at: sequence), try $0.log.keys()) }
    guard let known, let key = try place(sequence) else { return nil }
    do throws(StoreError) {
      let found = try store.get(key, upTo: EntryCodec.limit)
      if let found, EntryCodec.digest(of: found) == known { return nil }
      // A spare copy has the same effect: nobody misses anything.
      if try LogCopies.find(known, in: folder, store, keys) != nil { return nil }
      return found == nil ? "is missing" : "was altered after it was written"
    } catch {
      guard error.code == .corrupt else { throw CloudError(error) }
      return "is no object any more: \(error.cause)"
    }
  }

  /// Including those of the past.
  private func allChunks() throws -> [ChunkEntry] {
    try pages { try $0.chunks.entries(after: $1, limit: $2) }
      + pages { try $0.chunks.pastEntries(after: $1, limit: $2) }
  }

  private func pages(
    _ page: (IndexedZone, ChunkName?, Int) throws -> [ChunkEntry]
  ) throws -> [ChunkEntry] {
    var all: [ChunkEntry] = []
    while true {
      let next = try read { try page($0, all.last?.name, 5_000) }
      all += next
      if next.count < 5_000 { return all }
    }
  }

  /// The chunks that currently cannot be read, pack by pack.
  func brokenChunks(_ progress: (Int, Int) -> Void) throws -> [BrokenChunk] {
    try brokenChunks(of: allChunks(), progress)
  }

  private func brokenChunks(
    of chunks: [ChunkEntry], _ progress: (Int, Int) -> Void
  ) throws -> [BrokenChunk] {
    let reader = ContentReader(store: store)
    var broken: [BrokenChunk] = []
    let ordered = chunks.map { (entry: $0, order: Self.order($0)) }.sorted { $0.order < $1.order }
    for (position, item) in ordered.enumerated() {
      let content = Content(size: UInt64(item.entry.size), chunks: [item.entry.name])
      do {
        try reader.read(content, lookup: { _ in item.entry }) { _ in }
      } catch let error as ContentError {
        let damage = Self.damage(error)
        broken.append(
          BrokenChunk(
            name: item.entry.name, object: damage.key, reason: damage.reason, entry: item.entry))
      } catch let error as StoreError {
        throw CloudError(error)
      }
      progress(position + 1, ordered.count)
    }
    return broken
  }

  private static func order(_ entry: ChunkEntry) -> String {
    do throws(FormatError) {
      let place = try ChunkPlace(entry)
      guard case .pack(let range, _) = place.position else { return "" }
      let offset = String(range.offset)
      return "\(range.key) \(String(repeating: "0", count: max(0, 12 - offset.count)))\(offset)"
    } catch {
      return ""
    }
  }

  private static func damage(_ error: ContentError) -> Damage {
    switch error {
    case .missing(let key): Damage(key: key.description, reason: "is missing")
    case .damaged(let key, let why): Damage(key: key.description, reason: why)
    case .unknownChunk(let name): Damage(key: "chunk \(name)", reason: "is known to nobody")
    case .invalid(let error): Damage(key: "a commit", reason: error.description)
    }
  }
}
