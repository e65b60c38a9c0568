import CairnIndex
import CairnStore
import CairnZone

/// The closing of packs in a zone that are complete, or have few used contents: the kept ones are
/// named in the log, and packed anew. It doesn't decide about the kept past; it owns nothing.
struct PackClosing {
  private let replica: ZoneReplica

  init(_ replica: ZoneReplica) { self.replica = replica }

  private var header: ZoneHeader { replica.header }

  /// Closes what is older than a generation, but for what the zone needs; a zone that is as far
  /// already stays as it is.
  /// - Parameters:
  ///   - generation: the first one that is open from then on.
  ///   - clock: seconds since 1970.
  ///   - dropsInline: whether what stands in entries themselves leaves the zone, too, where neither
  ///     a record nor a version that is kept has it.
  /// - Returns: whether this did it.
  /// - Throws: `CloudError`, with `.permissionFailure` for who isn't the owner.
  func retire(
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

  /// The same, keeping older packs as that says of the zone as it is by then.
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

  /// Chunks from elsewhere, as a commit may bring them here: those whose packs aren't open in this
  /// zone are stored anew.
  /// - Parameters:
  ///   - chunks: which.
  ///   - isOtherZone: whether they come from another zone. Then those are stored anew, too, that
  /// lie in packs of another owner than this zone's: nobody else knows that this zone needs them.
  /// - Returns: the chunks with the places that they have then.
  /// - Throws: `CloudError` if the container can't be used.
  func carried(_ chunks: [ChunkEntry], isOtherZone: Bool = false) throws -> [ChunkEntry] {
    let closed = try replica.index.read { db in
      let state = try IndexedZone(db, zone: replica.zone, header: header)
      return try chunks.filter { entry in
        guard !entry.isAgain, let pack = entry.pack else { return false }
        return try !Fold.accepts(pack, on: state) || isOtherZone && isElsewhere(entry)
      }
    }
    guard !closed.isEmpty else { return chunks }
    replica.beginPacks()
    let (loose, reader) = (replica.loose, ContentReader(store: replica.store))
    for entry in closed where !loose.has(entry.name) {
      let content = Content(size: UInt64(entry.size), chunks: [entry.name])
      try reader.read(content, lookup: { _ in entry }) { bytes in
        try loose.add(entry.name, bytes)
      }
    }
    try loose.seal()
    let names = Set(closed.map(\.name))
    return chunks.map { names.contains($0.name) ? loose[$0.name] ?? $0 : $0 }
  }

  /// Whether a chunk of another zone can be this one's, too, where it is.
  func isUsable(_ entry: ChunkEntry, in state: IndexedZone) throws -> Bool {
    guard let pack = entry.pack else { return true }
    return try Fold.accepts(pack, on: state) && !isElsewhere(entry)
  }

  private func isElsewhere(_ entry: ChunkEntry) -> Bool {
    do throws(FormatError) {
      guard case .pack(let range, _) = try ChunkPlace(entry).position else { return false }
      return range.owner != header.owner
    } catch {
      // Nobody can read it, here or there.
      return false
    }
  }

  /// Stores what the zone needs of some packs in new ones, and says so in the log, a pack a commit:
  /// an interruption leaves what was moved where it is by then.
  /// - Parameters:
  ///   - packs: which.
  ///   - clock: seconds since 1970.
  /// - Throws: `CloudError`, with `.permissionFailure` for who isn't the owner.
  func repack(_ packs: Set<PackName>, at clock: Int64) throws {
    let chunks = try replica.index.read { db in
      let state = try IndexedZone(db, zone: replica.zone, header: header)
      let needed = try state.neededChunks(below: .max, state.retention(at: clock))
      // What left the zone with its past can't be said again: those would read it who came later.
      return try state.stored(needed.movable(in: packs))
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
    let entries = try replica.index.read { db in
      let state = try IndexedZone(db, zone: replica.zone, header: header)
      return try state.inlineOfPast(state.retention(at: clock)).sorted().compactMap {
        try state.chunk($0)
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
        // What can't be read stays where it is, for who can make it whole.
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
  func closedPacks() throws -> Retirement? {
    try read { view in
      let generation = view.header.generation
      guard generation > 0 else { return nil }
      return Retirement(generation: generation, kept: Set(try view.state.keptPacks()))
    }
  }
}
