import CairnIdentity
import CairnIndex
import CairnStore
import CairnZone

/// Writes a zone's state in the index into the container, in parts. Existing parts are checked and
/// stay. It holds one part in memory, and must not know when to write.
struct SnapshotWriter {
  let folder: ZoneFolder
  let store: any ObjectStore
  /// The key of the epoch in force.
  let key: ZoneKey

  /// Writes the state, and the kept history for all holders of this key.
  /// - Parameters:
  ///   - state: The zone in the index.
  ///   - retention: The rule for past versions.
  /// - Returns: the digests of the four lists, and of the versions.
  /// - Throws: `CloudError`, and errors of SQLite.
  func write(_ state: IndexedZone, _ retention: Retention) throws -> [Bytes32] {
    let lists = try state.stateLists { try put($0) }
    return lists + [
      try versions(of: state, retention, endedAfter: state.header.closings.last?.sequence ?? 0)
    ]
  }

  /// Writes the kept history before each cutoff, sealed under the key of the epoch that ended then.
  /// - Parameters:
  ///   - state: The zone in the index.
  ///   - retention: The rule for past versions.
  ///   - keys: The keys of all epochs.
  /// - Returns: the digests, for each cutoff; nil if a key is not known here.
  /// - Throws: `CloudError`, and errors of SQLite.
  func writeHidden(
    _ state: IndexedZone, _ retention: Retention, _ keys: Keyring
  ) throws -> [HiddenPast]? {
    let closings = state.header.closings
    guard !closings.isEmpty else { return [] }
    let needed = try KeptVersions.chunks(of: state, retention)
    var (hidden, before): ([HiddenPast], UInt64) = ([], 0)
    for closing in closings {
      guard let key = keys[closing.epoch] else { return nil }
      let writer = SnapshotWriter(folder: folder, store: store, key: key)
      let versions = try writer.versions(
        of: state, retention, endedAfter: before, upTo: closing.sequence)
      let chunks = try writer.pastChunks(of: state, hiddenWith: closing.epoch, needed)
      hidden.append(HiddenPast(epoch: closing.epoch, versions: versions, chunks: chunks))
      before = closing.sequence
    }
    return hidden
  }

  private func versions(
    of state: IndexedZone, _ retention: Retention, endedAfter first: UInt64,
    upTo last: UInt64 = .max
  ) throws -> Bytes32 {
    var versions = KeptVersions(state, retention)
    return try StateDigest.digest(
      of: .versions,
      next: {
        while let version = try versions.next() {
          let ended = version.end?.stamp.sequence ?? .max
          if ended > first, ended <= last { return .version(version) }
        }
        return nil
      }, take: { try put($0) })
  }

  private func pastChunks(
    of state: IndexedZone, hiddenWith epoch: UInt64, _ needed: Set<ChunkName>
  ) throws -> Bytes32 {
    var (page, last): ([ChunkEntry], ChunkName?) = ([], nil)
    return try StateDigest.digest(
      of: .chunks,
      next: {
        while true {
          if page.isEmpty {
            page = try state.chunks.pastEntries(after: last, hiddenWith: epoch, limit: 1_000)
              .reversed()
            last = page.first?.name
          }
          guard let chunk = page.popLast() else { return nil }
          if needed.contains(chunk.name) { return .chunk(chunk) }
        }
      }, take: { try put($0) })
  }

  /// Puts the pointer to a log start, after its entry.
  /// - Returns: its key.
  /// - Throws: `CloudError` if another object has its name.
  @discardableResult
  func put(_ snapshot: Snapshot) throws -> ObjectKey {
    let place = folder.floor(snapshot.header.sequence, key)
    let about = Crypto.number(snapshot.header.sequence)
    let plain = snapshot.encoded()
    try put(SnapshotSeal.sealed(plain, about: about, folder.zone, key), at: place) {
      SnapshotSeal.opened($0, about: about, folder.zone, key) == plain
    }
    return place
  }

  private func put(_ piece: StateDigest.Piece) throws {
    let digest = piece.digest
    try put(SnapshotSeal.seal(piece, folder.zone, key), at: folder.part(digest, key)) {
      SnapshotSeal.open($0, as: digest, folder.zone, key) != nil
    }
  }

  /// Puts an object, unless there is a good one. Any member can compute the name and be there
  /// first: a bad object is removed.
  private func put(
    _ object: [UInt8], at place: ObjectKey, _ isGood: ([UInt8]) -> Bool
  ) throws {
    do {
      if try store.size(of: place) == nil, try store.puts(place, object) { return }
      let limit = max(Snapshot.limit, SnapshotSeal.sealedLimit)
      let found = try store.get(place, upTo: limit)
      if let found, isGood(found) { return }
      try store.remove(place, ifIts: found, upTo: limit)
      guard try store.puts(place, object) else {
        throw CloudError(
          .serviceUnavailable,
          "other bytes stand wherever a part of a snapshot is put, as \(place)",
          remedy: "see who else writes into the container; it is tried again")
      }
    } catch let error as StoreError {
      throw CloudError(error)
    }
  }
}

/// The kept past versions of a zone, record by record, each record's in order.
private struct KeptVersions {
  private let state: IndexedZone
  private let retention: Retention
  private var ids: [RecordID] = []
  private var last: RecordID?
  /// The waiting versions; the next one is last.
  private var waiting: [RecordVersion] = []

  init(_ state: IndexedZone, _ retention: Retention) {
    self.state = state
    self.retention = retention
  }

  /// The chunks of all of them.
  static func chunks(
    of state: IndexedZone, _ retention: Retention
  ) throws -> Set<ChunkName> {
    var names: Set<ChunkName> = []
    var versions = KeptVersions(state, retention)
    while let version = try versions.next() {
      for content in version.record.contents { names.formUnion(content.chunks) }
    }
    return names
  }

  mutating func next() throws -> RecordVersion? {
    while waiting.isEmpty {
      if ids.isEmpty { ids = try state.versions.records(after: last, limit: 1_000).reversed() }
      guard let id = ids.popLast() else { return nil }
      last = id
      let versions = try state.versions.former(of: id, endedAfter: 0)
      let now = try state.record(id)?.content?.id
      waiting = retention.kept(of: versions, now: now).reversed()
    }
    return waiting.popLast()
  }
}

extension Retention {
  /// The kept versions of one record: for a file, those with a kept or present content; of versions
  /// that differ otherwise, as many as would be kept alone.
  /// - Parameters:
  ///   - versions: All versions of one record, in order.
  ///   - now: The present content.
  /// - Returns: the kept versions.
  func kept(of versions: [RecordVersion], now: ContentID?) -> [RecordVersion] {
    let ends = versions.map { $0.end?.stamp.sequence ?? .max }
    // The stretches in which a file had one content.
    var stretches: [(content: ContentID?, range: Range<Int>)] = []
    for (index, version) in versions.enumerated() {
      let content = version.record.content?.id
      if content != nil, let before = stretches.last, before.content == content,
        ends[before.range.upperBound - 1] == version.began
      {
        stretches[stretches.count - 1].range = before.range.lowerBound..<index + 1
      } else {
        stretches.append((content, index..<index + 1))
      }
    }
    func past(_ range: Range<Int>) -> PastVersion {
      PastVersion(began: versions[range.lowerBound].began, ended: ends[range.upperBound - 1])
    }
    let living = stretches.last.flatMap { last in
      now != nil && last.content == now ? last.range : nil
    }
    let over = stretches.map(\.range).filter { $0 != living }
    let keptStretches = Set(kept(of: over.map(past)))
    let keptAlone = Set(kept(of: versions.indices.map { past($0..<$0 + 1) }))
    var indexes: Set<Int> = []
    for range in over where keptStretches.contains(past(range)) {
      indexes.insert(range.upperBound - 1)
      indexes.formUnion(range.filter { keptAlone.contains(past($0..<$0 + 1)) })
    }
    if let living { indexes.formUnion(living.filter { keptAlone.contains(past($0..<$0 + 1)) }) }
    return indexes.sorted().map { versions[$0] }
  }
}
