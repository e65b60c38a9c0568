/// A zone's state in memory: the reference for every other `ZoneState`, and what the simulator and
/// small programs use. It stores what deltas say and judges nothing.
public struct MemoryZone: ZoneState, Hashable, Sendable {
  /// How far the log is folded, and what holds for the zone as a whole.
  public private(set) var header: ZoneHeader
  /// Every live record, the root included.
  public private(set) var records: [RecordID: Record] = [:]
  /// Every chunk that content may refer to, as its first entry said.
  public private(set) var chunks: [ChunkName: ChunkEntry] = [:]
  /// The children of every directory that has any.
  private var directories: [RecordID: Directory] = [:]
  /// Records that are gone, each with the place of the commit that deleted it, unless it was
  /// forgotten.
  public private(set) var deletions: [RecordID: UInt64] = [:]
  /// Packs that live on although they are older than the open ones.
  public private(set) var keptPacks: Set<PackName> = []
  /// The digests of the states after checkpoints, as whoever can compute them noted them.
  private var checkpointDigests: [UInt64: Bytes32] = [:]

  /// The children of one directory, by name and in the order of their ids.
  private struct Directory: Hashable, Sendable {
    var names: [FileName: RecordID] = [:]
    var ids: [RecordID] = []
  }

  /// A zone of which nothing is folded yet.
  public init(zone: ZoneID, kind: ZoneKind = .owned) {
    header = ZoneHeader(zone: zone, kind: kind)
  }

  /// The record, unless it is unknown or deleted.
  public func record(_ id: RecordID) -> Record? { records[id] }

  /// The record with that name in that directory.
  public func child(of parent: RecordID, named name: FileName) -> RecordID? {
    directories[parent]?.names[name]
  }

  /// Up to `limit` records in that directory, in the order of their ids, after `after`.
  public func children(of parent: RecordID, after: RecordID?, limit: Int) -> [RecordID] {
    guard let ids = directories[parent]?.ids else { return [] }
    let start = after.map { firstIndex(in: ids, above: $0) } ?? 0
    return Array(ids[start...].prefix(limit))
  }

  /// Whether content may refer to that chunk.
  public func hasChunk(_ name: ChunkName) -> Bool { chunks[name] != nil }

  /// The number of plaintext bytes of a chunk of the zone.
  public func size(ofChunk name: ChunkName) -> UInt32? { chunks[name]?.size }

  /// The digest of the state after the checkpoint at that place; nil if nobody noted it.
  public func digest(ofCheckpoint sequence: UInt64) -> Bytes32? { checkpointDigests[sequence] }

  /// Whether an older pack lives on.
  public func keepsPack(_ pack: PackName) -> Bool { keptPacks.contains(pack) }

  /// A live record that refers to a chunk in a pack that would be closed: the one with the lowest
  /// id.
  public func record(closedOutBy retirement: Retirement) -> RecordID? {
    records.values.filter { record in
      record.contents.contains { content in
        content.chunks.contains { chunks[$0]?.pack?.isOpen(after: retirement) == false }
      }
    }.map(\.id).min()
  }

  /// Notes the digest of the state as it is, which stands after a checkpoint.
  ///
  /// - Precondition: the last commit set a checkpoint.
  public mutating func noteCheckpoint(_ digest: Bytes32) {
    precondition(header.checkpoints.last == header.sequence, "a digest is noted at a checkpoint")
    checkpointDigests[header.sequence] = digest
  }

  /// Judges the commit and takes it in if it is valid. One that isn't leaves all as it was: the log
  /// ends before it.
  ///
  /// - Precondition: `sequence` is the place after `header.sequence`.
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

  /// Stores what a valid commit changes.
  ///
  /// - Precondition: the delta was made for this state.
  public mutating func apply(_ delta: Delta) {
    precondition(
      delta.header.zone == header.zone && delta.header.sequence == header.sequence + 1,
      "a delta belongs to the state that it was made for")
    // All old places go before any new one comes: two records may have swapped their names.
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
    // The directory is taken out, changed and put back, so that its arrays aren't copied.
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

/// The number of ids that are not above `id`, found by bisection; `ids` must be in order.
private func firstIndex(in ids: [RecordID], above id: RecordID) -> Int {
  var low = 0
  var high = ids.count
  while low < high {
    let middle = (low + high) / 2
    if ids[middle] <= id { low = middle + 1 } else { high = middle }
  }
  return low
}
