import CairnIdentity
import CairnIndex
import CairnStore
import CairnZone

/// Closes packs in a zone, and repacks chunks that are still needed. The log names the packs that
/// are kept. It doesn't decide about the kept past; it owns nothing.
public struct PackClosing {
  private let replica: ZoneReplica

  /// Creates a value for a replica.
  public init(_ replica: ZoneReplica) { self.replica = replica }

  private var header: ZoneHeader { replica.header }

  /// Closes all generations before the given one, except the packs that the zone needs. A zone that
  /// has closed them already stays unchanged.
  /// - Parameters:
  ///   - generation: The first open generation from then on.
  ///   - clock: The time in seconds since 1970.
  ///   - dropsInline: A Boolean value that indicates whether chunks inside of entries leave the
  ///     zone, too, if neither a record nor a kept version has them.
  /// - Returns: Whether this closed any.
  /// - Throws: `CloudError`, with `.permissionFailure` for anybody but the owner.
  public func retire(
    to generation: UInt32, at clock: Int64, droppingInline dropsInline: Bool = false
  ) throws -> Bool {
    var kept: KeptPacks?
    return try retire(to: generation) { state in
      if try kept?.follow(state, at: clock) != true {
        kept = try KeptPacks(
          state, below: generation, at: clock, droppingInline: dropsInline)
      }
      return Retirement(
        generation: generation, kept: kept?.names ?? [], dropsInline: kept?.dropsInline ?? false)
    }
  }

  /// The same, but a function chooses the older packs to keep, by the state of the zone at that
  /// time.
  func retire(
    to generation: UInt32, _ retirement: (IndexedZone) throws -> Retirement
  ) throws -> Bool {
    try whileOvertaken {
      _ = try replica.pull()
      guard header.generation < generation else { return false }
      let retirement = try replica.index.read {
        try retirement(IndexedZone($0, zone: replica.zone, header: header))
      }
      _ = try replica.commit(
        records: [], share: [.zone(.retire(retirement))], expecting: header.sequence)
      return true
    }
  }

  /// Prepares chunks from elsewhere for a commit in this zone. If their packs aren't open in this
  /// zone, they are stored again.
  /// - Parameters:
  ///   - chunks: The chunks.
  ///   - isOtherZone: A Boolean value that indicates whether they are from another zone. Then
  ///     chunks in packs of another owner than this zone's are stored again, too, because nobody
  ///     else knows that this zone needs them.
  /// - Returns: The chunks with their new locations.
  /// - Throws: `CloudError` if the container can't be used.
  func carried(_ chunks: [ChunkEntry], isOtherZone: Bool = false) throws -> [ChunkEntry] {
    guard !chunks.isEmpty else { return [] }
    let closed = try replica.index.read { db in
      let state = try IndexedZone(db, zone: replica.zone, header: header)
      return try chunks.filter { entry in
        guard !entry.isAgain, let pack = entry.pack else { return false }
        return try !Fold.accepts(pack, on: state) || isOtherZone && isElsewhere(entry)
      }
    }
    guard !closed.isEmpty else { return chunks }
    let sender = PackSender(replica.store, replica.loose)
    let reader = ContentReader(store: replica.store)
    for entry in closed where try !sender.has(entry.name) {
      let content = Content(size: UInt64(entry.size), chunks: [entry.name])
      try reader.read(content, lookup: { _ in entry }) { bytes in
        try sender.add(entry.name, bytes)
      }
    }
    try sender.seal()
    let names = Set(closed.map(\.name))
    return chunks.map { names.contains($0.name) ? replica.loose[$0.name] ?? $0 : $0 }
  }

  /// Returns whether a zone can reference a chunk of another zone at its present location.
  static func isUsable(_ entry: ChunkEntry, in state: IndexedZone) throws -> Bool {
    guard let pack = entry.pack else { return true }
    return try Fold.accepts(pack, on: state) && !isElsewhere(entry, than: state.header.owner)
  }

  private func isElsewhere(_ entry: ChunkEntry) -> Bool {
    Self.isElsewhere(entry, than: header.owner)
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

  /// Copies the needed chunks of some packs to new packs, and records this in the log, one commit
  /// for each pack. An interruption keeps the completed commits.
  /// - Parameters:
  ///   - packs: The packs.
  ///   - clock: The time in seconds since 1970.
  /// - Throws: `CloudError`, with `.permissionFailure` for anybody but the owner.
  public func repack(_ packs: Set<PackName>, at clock: Int64) throws {
    let chunks = try replica.index.read { db in
      let state = try IndexedZone(db, zone: replica.zone, header: header)
      let needed = try state.chunkUse.neededChunks(below: .max, state.ages.retention(at: clock))
      // Chunks that left the zone with its past can't be listed again: later readers could read
      // them.
      return try state.chunks.stored(needed.movable(in: packs))
    }
    let ordered = chunks.sorted {
      ($0.range.stamp.pack, $0.range.offset) < ($1.range.stamp.pack, $1.range.offset)
    }
    try packAnew(ordered.map(\.entry))
  }

  /// Moves chunks inside of entries that only kept past versions need into packs: below a log start
  /// there are no entries.
  /// - Parameter clock: The time in seconds since 1970.
  /// - Throws: `CloudError`, with `.permissionFailure` for anybody but the owner.
  public func packPast(at clock: Int64) throws {
    let entries = try replica.index.read { db in
      let state = try IndexedZone(db, zone: replica.zone, header: header)
      return try state.chunkUse.insideEntriesOfPast(state.ages.retention(at: clock)).sorted()
        .compactMap {
          try state.chunks.entry($0)
        }
    }
    try packAnew(entries)
  }

  private func packAnew(_ entries: [ChunkEntry]) throws {
    let writer = PackWriter(owner: header.owner ?? replica.account.user)
    writer.generation = header.generation
    let reader = ContentReader(store: replica.store)
    for entry in entries {
      var full: SealedPack?
      do {
        let content = Content(size: UInt64(entry.size), chunks: [entry.name])
        try reader.read(content, lookup: { _ in entry }) { full = writer.add(entry.name, $0) }
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

  private func move(to pack: SealedPack) throws {
    do { _ = try replica.store.puts(pack.key, pack.bytes) } catch { throw CloudError(error) }
    let moved = pack.entries.map { entry in
      var entry = entry
      entry.isAgain = true
      return entry
    }
    try whileOvertaken {
      _ = try replica.pull()
      _ = try replica.commit(records: [], share: [], expecting: header.sequence, bringing: moved)
    }
  }
}

extension Zone {
  /// Returns the closed packs of the zone, by the replayed log; nil if none ever was.
  public func closedPacks() throws -> Retirement? {
    try read { view in
      let generation = view.header.generation
      guard generation > 0 else { return nil }
      return Retirement(generation: generation, kept: Set(try view.state.chunks.keptPacks()))
    }
  }
}
