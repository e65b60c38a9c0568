import CairnIndex
import CairnZone

/// Packs that are closed: what this device has in them, and what comes from another zone in them.
extension ZoneReplica {
  /// Has new packs be of the zone's owner, and of the generation that is open.
  func beginPacks() {
    if let owner = header.owner { writer.owner = owner }
    writer.generation = header.kind == .public ? PackStamp.publicGeneration : header.generation
  }

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
    try retire(to: generation) { state in
      let retention = try state.retention(at: clock)
      return Retirement(
        generation: generation, kept: try state.packsNeeded(below: generation, retention),
        dropsInline: try dropsInline && state.inlineOfPast(retention).isEmpty)
    }
  }

  /// The same, keeping older packs as that says of the zone as it is by then.
  func retire(
    to generation: UInt32, _ retirement: (IndexedZone) throws -> Retirement
  ) throws -> Bool {
    try whileOvertaken {
      _ = try pull()
      guard header.generation < generation else { return false }
      let retirement = try index.read {
        try retirement(IndexedZone($0, zone: zone, header: header))
      }
      _ = try commit(
        records: [], share: [.zone(.retire(retirement))], expecting: header.sequence)
      return true
    }
  }

  /// Forgets chunks of this device's that no commit named and that stand in packs which are closed
  /// now: their files are read again.
  func dropClosed() {
    forgetUnsent()
    loose = loose.filter { $0.value.pack.map { $0.generation >= header.generation } ?? true }
  }

  /// Chunks of another zone of the same owner, as a commit may bring them here: those whose packs
  /// aren't open in this zone are stored anew.
  func carried(_ chunks: [ChunkEntry]) throws -> [ChunkEntry] {
    let closed = try index.read { db in
      let state = try IndexedZone(db, zone: zone, header: header)
      return try chunks.filter { entry in
        guard !entry.isAgain, let pack = entry.pack else { return false }
        return try !Fold.accepts(pack, on: state)
      }
    }
    guard !closed.isEmpty else { return chunks }
    beginPacks()
    let reader = ContentReader(store: store)
    for entry in closed where loose[entry.name] == nil && !writer.contains(entry.name) {
      let content = Content(size: UInt64(entry.size), chunks: [entry.name])
      try reader.read(content, lookup: { _ in entry }) { bytes in
        if let pack = writer.add(entry.name, bytes) { try send(pack, isBeside: false) }
      }
    }
    if let pack = writer.seal() { try send(pack, isBeside: false) }
    let names = Set(closed.map(\.name))
    return chunks.map { names.contains($0.name) ? loose[$0.name] ?? $0 : $0 }
  }
}

extension Zone {
  /// Which packs are closed in the zone, as far as it is folded; nil if none ever was.
  func closedPacks() throws -> Retirement? {
    try read { view in
      let generation = view.header.generation
      guard generation > 0 else { return nil }
      return Retirement(generation: generation, kept: Set(try view.state.keptPacks()))
    }
  }
}
