/// The state of a zone in memory: the reference for every other `ZoneState`, also for the simulator
/// and small programs. It stores deltas and decides nothing.
public struct MemoryZone: ZoneState, Hashable, Sendable {
  /// The position of the replay, and the properties of the zone as a whole.
  public private(set) var header: ZoneHeader
  /// All live records, including the root.
  public private(set) var records: [RecordID: Record] = [:]
  /// All chunks that content may refer to, as in their first entry.
  public private(set) var chunks: [ChunkName: ChunkEntry] = [:]
  /// The children of every non-empty directory.
  private var directories: [RecordID: Directory] = [:]
  /// Deleted records, each with the position of the deleting commit, unless it was forgotten.
  public private(set) var deletions: [RecordID: UInt64] = [:]
  /// Older packs that are kept although they are closed.
  public private(set) var keptPacks: Set<PackName> = []
  /// The digests of the states at checkpoints, as far as they were noted.
  private var checkpointDigests: [UInt64: Bytes32] = [:]

  /// The children of one directory, by name and in the order of their ids.
  private struct Directory: Hashable, Sendable {
    var names: [FileName: RecordID] = [:]
    var ids: [RecordID] = []
  }

  /// Creates a zone without any replayed entry.
  public init(zone: ZoneID, kind: ZoneKind = .owned) {
    header = ZoneHeader(zone: zone, kind: kind)
  }

  /// Returns the record; nil if it is unknown or deleted.
  public func record(_ id: RecordID) -> Record? { records[id] }

  /// Returns the record with that name in that directory.
  public func child(of parent: RecordID, named name: FileName) -> RecordID? {
    directories[parent]?.names[name]
  }

  /// Returns up to `limit` records in that directory, in the order of their ids, after `after`.
  public func children(of parent: RecordID, after: RecordID?, limit: Int) -> [RecordID] {
    guard let ids = directories[parent]?.ids else { return [] }
    let start = after.map { firstIndex(in: ids, above: $0) } ?? 0
    return Array(ids[start...].prefix(limit))
  }

  /// Returns whether content may refer to that chunk.
  public func hasChunk(_ name: ChunkName) -> Bool { chunks[name] != nil }

  /// Returns the number of plaintext bytes of a chunk of the zone.
  public func size(ofChunk name: ChunkName) -> UInt32? { chunks[name]?.size }

  /// Returns a chunk of the zone.
  public func chunk(_ name: ChunkName) -> ChunkEntry? { chunks[name] }

  /// Returns the digest of the state after the checkpoint at that position; nil if nobody noted it.
  public func digest(ofCheckpoint sequence: UInt64) -> Bytes32? { checkpointDigests[sequence] }

  /// Returns whether an older pack is kept.
  public func keepsPack(_ pack: PackName) -> Bool { keptPacks.contains(pack) }

  /// Returns a live record with a chunk in a pack that would be closed: the one with the lowest id.
  public func record(closedOutBy retirement: Retirement) -> RecordID? {
    records.values.filter { record in
      record.contents.contains { content in
        content.chunks.contains { chunks[$0]?.pack?.isOpen(after: retirement) == false }
      }
    }.map(\.id).min()
  }

  /// Notes the digest of the current state, after a checkpoint.
  ///
  /// - Precondition: the last commit set a checkpoint.
  public mutating func noteCheckpoint(_ digest: Bytes32) {
    precondition(header.checkpoints.last == header.sequence, "a digest is noted at a checkpoint")
    checkpointDigests[header.sequence] = digest
  }

  /// Judges the commit and applies it if it is valid. An invalid commit changes nothing: the log
  /// ends before it.
  ///
  /// - Precondition: `sequence` is the position after `header.sequence`.
  public mutating func fold(
    _ commit: Commit, at sequence: UInt64, digest: Bytes32
  ) -> Verdict {
    do {
      let verdict = try Fold.judge(commit, at: sequence, digest: digest, on: self)
      if case .applied(let delta) = verdict { apply(delta) }
      return verdict
    } catch {
      preconditionFailure("a zone in memory throws nothing, but the fold threw \(error)")
    }
  }

  /// Stores the changes of a valid commit.
  ///
  /// - Precondition: the delta was made for this state.
  public mutating func apply(_ delta: Delta) {
    precondition(
      delta.header.zone == header.zone && delta.header.sequence == header.sequence + 1,
      "a delta belongs to the state that it was made for")
    // All old places are removed before new ones are added: two records may have swapped their
    // names.
    for id in delta.deleted.keys {
      unlink(id)
      records[id] = nil
      deletions[id] = delta.header.sequence
    }
    for id in delta.saved.keys { unlink(id) }
    for record in delta.saved.values {
      records[record.id] = record
      deletions[record.id] = nil
      link(record)
    }
    for chunk in delta.chunks where chunks[chunk.name] == nil { chunks[chunk.name] = chunk }
    for chunk in delta.movedChunks {
      chunks[chunk.name] = chunk
      chunks[chunk.name]?.isAgain = false
    }
    header = delta.header
    if delta.closesPast {
      let live = liveChunks
      chunks = chunks.filter { live.contains($0.key) }
    }
    if let retirement = delta.retirement { close(retirement) }
    if delta.forgottenDeletions > 0 {
      deletions = deletions.filter { $0.value > delta.forgottenDeletions }
      checkpointDigests = checkpointDigests.filter { header.checkpoints.contains($0.key) }
    }
  }

  private mutating func close(_ retirement: Retirement) {
    let live = retirement.dropsInline ? liveChunks : []
    chunks = chunks.filter { name, chunk in
      chunk.pack?.isOpen(after: retirement) ?? (!retirement.dropsInline || live.contains(name))
    }
    keptPacks = retirement.kept
  }

  private var liveChunks: Set<ChunkName> {
    records.values.reduce(into: []) { $0.formUnion($1.contents.flatMap(\.chunks)) }
  }

  private mutating func unlink(_ id: RecordID) {
    // The directory is removed, changed and put back, so that its arrays are not copied.
    guard let place = records[id]?.place,
      var directory = directories.removeValue(forKey: place.parent)
    else { return }
    if directory.names[place.name] == id { directory.names[place.name] = nil }
    let index = firstIndex(in: directory.ids, above: id) - 1
    precondition(
      index >= 0 && directory.ids[index] == id, "a record with a place stands in its directory")
    directory.ids.remove(at: index)
    if !directory.ids.isEmpty { directories[place.parent] = directory }
  }

  private mutating func link(_ record: Record) {
    guard let place = record.place else { return }
    var directory = directories.removeValue(forKey: place.parent) ?? Directory()
    let displaced = directory.names.updateValue(record.id, forKey: place.name)
    precondition(displaced == nil, "the fold lets no two records have one name")
    directory.ids.insert(record.id, at: firstIndex(in: directory.ids, above: record.id))
    directories[place.parent] = directory
  }
}

/// The number of ids not above `id`, by bisection; `ids` must be sorted.
private func firstIndex(in ids: [RecordID], above id: RecordID) -> Int {
  var low = 0
  var high = ids.count
  while low < high {
    let middle = (low + high) / 2
    if ids[middle] <= id { low = middle + 1 } else { high = middle }
  }
  return low
}
