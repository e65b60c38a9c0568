import CairnStore
import CairnZone
import GRDB

/// Something in the container that isn't as it must be.
public struct Damage: Hashable, Sendable {
  /// The object's key.
  public var key: String
  /// What is wrong with it.
  public var reason: String

  /// Joins the two.
  public init(key: String, reason: String) {
    self.key = key
    self.reason = reason
  }
}

/// Reads a zone back from the container. It uses the index and the store only, so that the zone's
/// owner can go on meanwhile.
struct ZoneVerifier {
  let zone: ZoneID
  let store: any ObjectStore
  let index: IndexFile

  /// Reads every entry of the log and every chunk, and says what is missing, altered or forged.
  func verify(_ progress: (Int, Int) -> Void) throws -> [Damage] {
    var damages: [Damage] = []
    let header = try read { $0.header }
    let refused = try read { try $0.problems() }
    for (sequence, problem) in refused {
      let key = ZoneReplica.key(zone, sequence).description
      damages.append(Damage(key: key, reason: "has no effect: \(problem)"))
    }
    let chunks = try allChunks()
    let total = Int(header.sequence) + chunks.count
    if header.sequence > 0 {
      for sequence in 1...header.sequence {
        if let reason = try entryProblem(sequence) {
          damages.append(Damage(key: ZoneReplica.key(zone, sequence).description, reason: reason))
        }
        progress(Int(sequence), total)
      }
    }
    damages += try strays(behind: header.sequence)
    damages += try chunkProblems(chunks) { progress(Int(header.sequence) + $0, total) }
    return damages
  }

  private func read<Result>(_ body: (IndexedZone) throws -> Result) throws -> Result {
    try index.queue.read { try body(IndexedZone(reading: $0, zone: zone)) }
  }

  private func fetch(_ sequence: UInt64) throws -> [UInt8]? {
    do { return try store.get(ZoneReplica.key(zone, sequence)) } catch { throw CloudError(error) }
  }

  private func entryProblem(_ sequence: UInt64) throws -> String? {
    guard let bytes = try fetch(sequence) else { return "is missing" }
    let known = try read { try $0.digest(at: sequence) }
    guard EntryCodec.digest(of: bytes) == known else { return "was altered after it was written" }
    return nil
  }

  /// Entries behind a gap: they can't be followed, so something before them is gone.
  private func strays(behind sequence: UInt64) throws -> [Damage] {
    let folder = "zones/\(zone)/log/"
    do {
      let later = try store.list(folder, after: ZoneReplica.key(zone, sequence), limit: 100)
      // What came since the last fold is no stray.
      guard let first = later.first, first != ZoneReplica.key(zone, sequence + 1) else { return [] }
      return [
        Damage(
          key: ZoneReplica.key(zone, sequence + 1).description,
          reason: "is missing, though later entries are there (\(first))")
      ]
    } catch {
      throw CloudError(error)
    }
  }

  private func allChunks() throws -> [ChunkEntry] {
    var all: [ChunkEntry] = []
    while true {
      let page = try read { try $0.chunks(after: all.last?.name, limit: 5_000) }
      all += page
      if page.count < 5_000 { return all }
    }
  }

  /// Reads each chunk back, pack by pack.
  private func chunkProblems(
    _ chunks: [ChunkEntry], _ progress: (Int) -> Void
  ) throws -> [Damage] {
    let reader = ContentReader(store: store)
    var damages: [Damage] = []
    var seen: Set<Damage> = []
    let ordered = chunks.map { (entry: $0, order: Self.order($0)) }.sorted { $0.order < $1.order }
    for (position, item) in ordered.enumerated() {
      let content = Content(size: UInt64(item.entry.size), chunks: [item.entry.name])
      do {
        try reader.read(content, lookup: { _ in item.entry }) { _ in }
      } catch let error as ContentError {
        let damage = Self.damage(error)
        if seen.insert(damage).inserted { damages.append(damage) }
      } catch let error as StoreError {
        throw CloudError(error)
      }
      progress(position + 1)
    }
    return damages
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
