import CairnIndex
import CairnStore
import CairnZone

/// Packing anew what is needed of packs that hold little else, so that these can go.
extension ZoneReplica {
  /// Stores what the zone needs of some packs in new ones, and says so in the log, a pack a commit:
  /// an interruption leaves what was moved where it is by then.
  /// - Parameters:
  ///   - packs: which.
  ///   - clock: seconds since 1970.
  /// - Throws: `CloudError`, with `.permissionFailure` for who isn't the owner.
  func repack(_ packs: Set<PackName>, at clock: Int64) throws {
    let chunks = try index.read { db in
      let state = try IndexedZone(db, zone: zone, header: header)
      let needed = try state.chunksNeeded(below: .max, state.retention(at: clock))
      return try state.stored(packs.flatMap { needed[$0] ?? [] })
    }
    let ordered = chunks.sorted {
      ($0.range.stamp.pack, $0.range.offset) < ($1.range.stamp.pack, $1.range.offset)
    }
    try packAnew(ordered.map(\.entry))
  }

  /// Stores what stands in entries themselves, and only past versions need that are kept, in packs:
  /// below a floor there are no entries.
  /// - Parameter clock: seconds since 1970.
  /// - Throws: `CloudError`, with `.permissionFailure` for who isn't the owner.
  func packPast(at clock: Int64) throws {
    let entries = try index.read { db in
      let state = try IndexedZone(db, zone: zone, header: header)
      return try state.inlineOfPast(state.retention(at: clock)).sorted().compactMap {
        try state.chunk($0)
      }
    }
    try packAnew(entries)
  }

  private func packAnew(_ entries: [ChunkEntry]) throws {
    let writer = PackWriter(owner: header.owner ?? account.user)
    writer.generation = header.generation
    let reader = ContentReader(store: store)
    for entry in entries {
      var full: SealedPack?
      do {
        let content = Content(size: UInt64(entry.size), chunks: [entry.name])
        try reader.read(content, lookup: { _ in entry }) { full = writer.add(entry.name, $0) }
      } catch let error as StoreError {
        throw CloudError(error)
      } catch is ContentError {
        // What can't be read stays where it is, for who can make it whole.
        continue
      }
      if let full { try move(to: full) }
    }
    if let rest = writer.seal() { try move(to: rest) }
  }

  private func move(to pack: SealedPack) throws {
    do { _ = try store.puts(pack.key, pack.bytes) } catch { throw CloudError(error) }
    let moved = pack.entries.map { entry in
      var entry = entry
      entry.isAgain = true
      return entry
    }
    try whileOvertaken {
      _ = try pull()
      _ = try commit(records: [], share: [], expecting: header.sequence, bringing: moved)
    }
  }
}
