import CairnIdentity
import CairnIndex
import CairnStore
public import CairnZone

/// Storing needed chunks again in other packs. Nobody has the zone's lock while the container is
/// read and takes the packs, so commits and changes of the share don't wait for that.
extension Zone {
  /// Copies the needed chunks of some packs to new packs, and records this in the log, one commit
  /// for each pack. An interruption keeps the completed commits.
  /// - Parameters:
  ///   - packs: The packs.
  ///   - clock: The time in seconds since 1970.
  /// - Throws: `CloudError`, with `.permissionFailure` for anybody but the owner.
  public func repack(_ packs: Set<PackName>, at clock: Int64) throws {
    let chunks = try read { view in
      let state = view.state
      let needed = try state.chunkUse.neededChunks(below: .max, state.ages.retention(at: clock))
      // Chunks that left the zone with its past can't be listed again: later readers could read
      // them.
      return try state.chunks.stored(needed.movable(in: packs))
    }
    // A chunk comes after those that begin with it and have more bytes.
    let ordered = chunks.sorted {
      ($0.range.stamp.pack, $0.range.offset, $1.entry.size)
        < ($1.range.stamp.pack, $1.range.offset, $0.entry.size)
    }
    try packAnew(ordered.map(\.entry))
  }

  /// Moves chunks inside of entries that only kept past versions need into packs: below a log start
  /// there are no entries.
  /// - Parameter clock: The time in seconds since 1970.
  /// - Throws: `CloudError`, with `.permissionFailure` for anybody but the owner.
  public func packPast(at clock: Int64) throws {
    let entries = try read { view in
      let state = view.state
      return try state.chunkUse.insideEntriesOfPast(state.ages.retention(at: clock)).sorted()
        .compactMap { try state.chunks.entry($0) }
    }
    // A chunk comes after those that begin with it and have more bytes.
    try packAnew(entries.sorted { $0.size > $1.size })
  }

  private func packAnew(_ entries: [ChunkEntry]) throws {
    let header = header
    let writer = PackWriter(owner: header.owner ?? account.user)
    writer.generation = header.generation
    let reader = ContentReader(store: store)
    for entry in entries {
      var full: SealedPack?
      do {
        let content = Content(size: UInt64(entry.size), chunks: [entry.name])
        try reader.read(content, lookup: { _ in entry }) { bytes in
          full = try Self.add(entry, bytes, to: writer)
        }
      } catch let error as StoreError {
        throw CloudError(error)
      } catch is ContentError {
        // Unreadable chunks stay where they are, so that they can still be repaired.
        continue
      }
      if let full { try move(to: full) }
    }
    if let rest = writer.seal() { try move(to: rest) }
  }

  /// Adds a chunk to a new pack. Pieces stay in its entry.
  private static func add(
    _ entry: ChunkEntry, _ bytes: UnsafeRawBufferPointer, to writer: PackWriter
  ) throws(FormatError) -> SealedPack? {
    writer.add(entry.name, bytes, pieces: try ChunkPlace(entry).pieces)
  }

  private func move(to pack: SealedPack) throws {
    do { _ = try store.puts(pack.key, pack.bytes) } catch { throw CloudError(error) }
    try exclusively { replica in
      try whileOvertaken {
        _ = try replica.pull()
        // The zone went on while the pack was stored. Another device may have closed the pack's
        // generation, and chunks may have left with the past.
        guard pack.isOpen(in: replica.header) else { return }
        let remaining = try replica.index.read { db in
          let state = try IndexedZone(db, zone: id, header: replica.header)
          return try pack.entries.filter { try state.chunks.entry($0.name) != nil }
        }
        let moved = remaining.map { entry in
          var entry = entry
          entry.isAgain = true
          return entry
        }
        guard !moved.isEmpty else { return }
        _ = try replica.commit(
          records: [], share: [], expecting: replica.header.sequence, bringing: moved)
      }
    }
  }
}
