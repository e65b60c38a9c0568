import CairnIdentity
import CairnIndex
import CairnStore
import CairnZone

/// Prepares chunks from elsewhere for a commit in a zone. Chunks whose packs the zone can't
/// reference are stored again, without a lock of the zone. It owns nothing.
struct ChunkCarrier {
  let zone: ZoneID
  let header: ZoneHeader
  let index: IndexFile
  let store: any ObjectStore
  let loose: LooseChunks

  /// Stores chunks again if the zone can't reference their present locations.
  /// - Parameters:
  ///   - chunks: The chunks.
  ///   - isOtherZone: A Boolean value that indicates whether they are from another zone. Then
  ///     chunks in packs of another owner than this zone's are stored again, too, because nobody
  ///     else knows that this zone needs them.
  /// - Returns: The chunks, with locations that the zone can reference.
  /// - Throws: `CloudError` if the container can't be used.
  func carried(_ chunks: [ChunkEntry], isOtherZone: Bool = false) throws -> [ChunkEntry] {
    guard !chunks.isEmpty else { return [] }
    let closed = try index.read { db in
      let state = try IndexedZone(db, zone: zone, header: header)
      return try chunks.filter { entry in
        guard !entry.isAgain, let pack = entry.pack else { return false }
        return try !Fold.accepts(pack, on: state)
          || isOtherZone && Self.isElsewhere(entry, than: header.owner)
      }
    }
    guard !closed.isEmpty else { return chunks }
    let sender = PackSender(store, loose)
    let reader = ContentReader(store: store)
    for entry in closed where try !sender.has(entry.name) {
      let content = Content(size: UInt64(entry.size), chunks: [entry.name])
      try reader.read(content, lookup: { _ in entry }) { bytes in
        try sender.add(entry.name, bytes)
      }
    }
    try sender.seal()
    let names = Set(closed.map(\.name))
    return chunks.map { names.contains($0.name) ? loose[$0.name] ?? $0 : $0 }
  }

  /// Returns whether a zone can reference a chunk of another zone at its present location.
  static func isUsable(_ entry: ChunkEntry, in state: IndexedZone) throws -> Bool {
    guard let pack = entry.pack else { return true }
    return try Fold.accepts(pack, on: state) && !isElsewhere(entry, than: state.header.owner)
  }

  private static func isElsewhere(_ entry: ChunkEntry, than owner: UserID?) -> Bool {
    do throws(FormatError) {
      guard case .pack(let range, _) = try ChunkPlace(entry).position else { return false }
      return range.owner != owner
    } catch {
      // Nobody can read it, here or there.
      return false
    }
  }
}

extension ZoneReplica {
  /// The carrier of chunks for commits in this zone.
  var carrier: ChunkCarrier {
    ChunkCarrier(zone: zone, header: header, index: index, store: store, loose: loose)
  }
}

extension Zone {
  /// Stores chunks of another zone again where this zone can't reference them at their present
  /// location. A commit that brings them does this as well, but other callers wait for it then.
  /// - Parameter chunks: The chunks.
  /// - Throws: `CloudError` if the container can't be used.
  public func carry(_ chunks: [ChunkEntry]) throws {
    guard !chunks.isEmpty, try exclusively({ try $0.mayStore }) else { return }
    let carrier = ChunkCarrier(zone: id, header: header, index: index, store: store, loose: loose)
    _ = try carrier.carried(chunks, isOtherZone: true)
  }
}
