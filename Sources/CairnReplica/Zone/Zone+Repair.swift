import CairnIdentity
import CairnIndex
import CairnStore
public import CairnZone

/// The result of continuing with the container's history.
public struct FollowedHistory: Sendable {
  /// Changes of the share that the container lost: somebody with the right must make them again.
  public var lostShareChanges: [ShareChange] = []
  /// A Boolean value that indicates whether the epoch was raised; only the owner and administrators
  /// can do that.
  public var raisedEpoch = false
}

extension Zone {
  /// Reads the whole log back, and plans a repair. Nothing is changed.
  /// - Parameters:
  ///   - takesUnread: Whether to remove the holder of the next position even if it may be a valid
  ///     entry for a newer Cairn, or for a reader of more people.
  ///   - progress: Receives each position that was read.
  /// - Returns: the plan.
  /// - Throws: `CloudError` if the container cannot be read.
  public func planRepair(
    takesUnread: Bool = false, _ progress: (UInt64) -> Void = { _ in }
  ) throws -> LogRepair {
    try exclusively { try LogRepairPlan($0).planRepair(takesUnread: takesUnread, progress) }
  }

  /// Puts lost entries back unchanged.
  /// - Throws: `CloudError` if that is impossible now, or somebody was there first.
  public func putBack(_ places: [UInt64], _ progress: (Int) -> Void = { _ in }) throws {
    try exclusively { try LogRepairPlan($0).putBack(places, progress) }
  }

  /// Removes the holder of the log's next position, if it is no entry or the plan says so.
  /// - Throws: `CloudError` if it cannot be done from here.
  public func takeAway(_ held: LogTrouble) throws {
    try exclusively { try LogRepairPlan($0).takeAway(held) }
  }

  /// The zone up to a position on which container and device agree; in memory, and only for
  /// reading.
  /// - Throws: `CloudError`.
  public func common(upTo agreed: UInt64) throws -> Zone {
    try exclusively { replica in
      let copy = try replica.copy(upTo: agreed)
      return Zone(id, scope: scope, store: store, replica: copy, isReadOnly: true)
    }
  }

  /// Continues with the container's history, which agrees up to `common`. Typed records that only
  /// this device has become new changes, under a new epoch if this person may raise it. Files come
  /// from the folders that mirror the zone, which must know `common` before.
  /// - Throws: `CloudError`; then everything is as before.
  public func follow(_ common: Zone) throws -> FollowedHistory {
    try exclusively {
      try $0.follow(common.header) { try common.read { try $0.state.records.allTyped() } }
    }
  }

  /// The chunks that currently cannot be read in the container. It reads everything.
  /// - Throws: `CloudError` if the container cannot be read.
  public func brokenChunks(_ progress: (Int, Int) -> Void = { _, _ in }) throws -> [BrokenChunk] {
    try ZoneVerifier(folder: folder, store: store, index: index).brokenChunks(progress)
  }

  /// The files and typed records with any of these chunks.
  public func records(holding broken: [BrokenChunk]) throws -> [Record] {
    let names = Set(broken.map(\.name))
    guard !names.isEmpty else { return [] }
    return try read { try $0.state.records.holding(names) }
  }

  /// Puts broken chunks back, from files with their bytes. Each is compared with its name, so no
  /// file can do harm.
  /// - Parameters:
  ///   - broken: The chunks.
  ///   - isDryRun: Whether nothing is put into the container.
  ///   - open: Passes on a closure that reads a file from its beginning, like `ingest`; returns
  ///     false if the file is unavailable.
  /// - Returns: the remaining chunks.
  /// - Throws: `CloudError` if the container cannot be used, and errors of `open`.
  public func mend(
    _ broken: [BrokenChunk], isDryRun: Bool,
    _ open: (RecordID, ((UnsafeMutableRawBufferPointer) throws -> Int) throws -> Void) throws ->
      Bool
  ) throws -> [BrokenChunk] {
    var left: [ChunkName: BrokenChunk] = [:]
    for chunk in broken { left[chunk.name] = chunk }
    let repair = PackRepair(store: store, broken: broken)
    for file in try records(holding: Array(left.values)) {
      // No folder has the bytes of a typed record's assets.
      guard let content = file.content, content.chunks.contains(where: { left[$0] != nil }) else {
        continue
      }
      let sizes = try read { view in
        try content.chunks.map { Int(try view.state.chunks.entry($0)?.size ?? 0) }
      }
      _ = try open(file.id) { fill in
        for (name, size) in zip(content.chunks, sizes) {
          guard let plain = try Self.piece(size, fill) else { return }
          guard let chunk = left[name] else { continue }
          let mended = try plain.withUnsafeBytes { try repair.take(chunk, $0) }
          for name in mended { left[name] = nil }
        }
      }
      // Only a limited number of packs is held at once.
      if repair.isLarge { try repair.finish(isDryRun: isDryRun) }
    }
    try repair.finish(isDryRun: isDryRun)
    return broken.filter { left[$0.name] != nil }
  }

  /// Exactly this many bytes; nil if the file ends before.
  private static func piece(
    _ size: Int, _ fill: (UnsafeMutableRawBufferPointer) throws -> Int
  ) throws -> [UInt8]? {
    guard size > 0, size <= Chunker.maximum else { return nil }
    let bytes = try [UInt8](unsafeUninitializedCapacity: size) { buffer, filled in
      while filled < size {
        let count = try fill(
          UnsafeMutableRawBufferPointer(
            rebasing: UnsafeMutableRawBufferPointer(buffer)[filled..<size]))
        guard count > 0 else { return }
        filled += count
      }
    }
    return bytes.count == size ? bytes : nil
  }
}

extension ZoneReplica {
  /// A copy with these keys, in memory, without replayed entries.
  func blank() throws -> sending ZoneReplica {
    try ZoneReplica(
      zone, kind: folder.kind, founder: folder.founder, owner: loose.owner, store: store,
      index: IndexFile(inMemory: .zones), account: account, people: people, keys: keys)
  }

  /// The state up to a position, replayed again from the container, in memory.
  func copy(upTo last: UInt64) throws -> sending ZoneReplica {
    let copy = try blank()
    _ = try copy.pull(upTo: last)
    guard last == .max || copy.header.sequence == last else {
      throw CloudError(
        .assetNotAvailable, "the log can't be read up to entry \(last)",
        remedy: "run `cairn verify`; another device may have what is missing")
    }
    return copy
  }

  func follow(
    _ common: ZoneHeader, _ typed: () throws -> [RecordID: Record]
  ) throws -> FollowedHistory {
    var result = FollowedHistory()
    result.lostShareChanges = try lostShareChanges(after: common.sequence)
    // Written through a copy, so that nothing is forgotten here before everything is durable there.
    let theirs = try copy(upTo: .max)
    let changes = try typedChanges(since: typed(), in: theirs)
    let mayRaise =
      theirs.header.kind == .owned && !theirs.header.isPurged
      && theirs.header.rights(of: account.user).contains(.administer)
    if mayRaise || !changes.isEmpty {
      let chunks = try chunks(of: changes, lackingIn: theirs)
      _ = try theirs.commitAnyway(records: changes, rekey: mayRaise, bringing: chunks)
      result.raisedEpoch = mayRaise
    }
    try LogRepairPlan(self).startOver(after: common)
    return result
  }

  /// The chunks of assets that the container's history lost with the entries that named them.
  private func chunks(
    of changes: [RecordChange], lackingIn theirs: ZoneReplica
  ) throws -> [ChunkEntry] {
    let names = Set(changes.flatMap(\.contents).flatMap(\.chunks)).sorted()
    let missing = try theirs.read { view in try names.filter { try !view.hasChunk($0) } }
    return try read { view in try missing.compactMap { try view.state.chunks.entry($0) } }
  }

  private func lostShareChanges(after agreed: UInt64) throws -> [ShareChange] {
    guard agreed < header.sequence else { return [] }
    return try (agreed + 1...header.sequence).flatMap { place -> [ShareChange] in
      let bytes = try index.read { db in
        try IndexedZone(db, zone: zone, header: header).keptEntries.bytes(at: place)
      }
      guard let bytes else { return [] }
      do { return try open(bytes, at: place, keys: keys).commit.share } catch is EntryRefused {
        return []
      }
    }
  }

  /// The changes of typed records here since `base` that the container's history lacks.
  private func typedChanges(
    since base: [RecordID: Record], in theirs: ZoneReplica
  ) throws -> [RecordChange] {
    let ours = try read { try $0.state.records.allTyped() }
    let now = try theirs.read { try $0.state.records.allTyped() }
    var changes: [RecordChange] = []
    for id in Set(ours.keys).union(base.keys).sorted() {
      let (old, mine, other) = (base[id], ours[id], now[id])
      guard mine?.fields != old?.fields, other?.fields == old?.fields else { continue }
      var fields: [String: FieldValue?] = mine?.fields ?? [:]
      for name in (other?.fields ?? [:]).keys where fields[name] == nil {
        fields.updateValue(nil, forKey: name)
      }
      switch (mine, other) {
      case (let mine?, nil):
        changes.append(RecordChange(id: id, act: .create(mine.type), fields: fields))
      case (_?, _?): changes.append(RecordChange(id: id, act: .update, fields: fields))
      case (nil, _?): changes.append(RecordChange(id: id, act: .delete))
      case (nil, nil): break
      }
    }
    return changes
  }
}
