import CairnIndex
import CairnStore
import CairnZone

/// Puts a zone's state, as it is in the index, into the container in parts. What stands there
/// already is looked at and stays. It holds one part in memory, and must not know when to write.
struct SnapshotWriter {
  let folder: ZoneFolder
  let store: any ObjectStore
  /// Of the epoch in force.
  let key: ZoneKey

  /// Writes the state, and what is kept of the past.
  /// - Parameters:
  ///   - state: the zone, as it is in the index.
  ///   - retention: which past versions are kept.
  /// - Returns: the digests of the four lists, and of the versions.
  /// - Throws: `CloudError`, and what SQLite says.
  func write(_ state: IndexedZone, _ retention: Retention) throws -> [Bytes32] {
    let lists = try state.stateLists { try put($0) }
    var versions = KeptVersions(state, retention)
    let past = try StateDigest.digest(
      of: .versions, next: { try versions.next().map { .version($0) } }, take: { try put($0) })
    return lists + [past]
  }

  /// Puts what tells of a floor, once its entry stands.
  /// - Returns: its key.
  /// - Throws: `CloudError` if something else holds its name.
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

  /// Puts an object, unless a good one stands there. Any member can tell the name and be there
  /// first: what is no good is taken away.
  private func put(
    _ object: [UInt8], at place: ObjectKey, _ isGood: ([UInt8]) -> Bool
  ) throws {
    do {
      if try store.size(of: place) == nil, try store.puts(place, object) { return }
      let limit = max(Snapshot.limit, SnapshotSeal.sealedLimit)
      let found = try store.get(place, upTo: limit)
      if let found, isGood(found) { return }
      try store.remove(place, ifIts: found)
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

/// The past versions of a zone that are kept, record by record, each record's in their order.
private struct KeptVersions {
  private let state: IndexedZone
  private let retention: Retention
  private var ids: [RecordID] = []
  private var last: RecordID?
  /// The next one last.
  private var waiting: [RecordVersion] = []

  init(_ state: IndexedZone, _ retention: Retention) {
    self.state = state
    self.retention = retention
  }

  mutating func next() throws -> RecordVersion? {
    while waiting.isEmpty {
      if ids.isEmpty { ids = try state.formerRecords(after: last, limit: 1_000).reversed() }
      guard let id = ids.popLast() else { return nil }
      last = id
      let versions = try state.formerVersions(of: id, endedAfter: 0)
      let now = try state.record(id)?.content?.id
      waiting = retention.kept(of: versions, now: now).reversed()
    }
    return waiting.popLast()
  }
}

extension Retention {
  /// Which versions of one record are kept: of a file those of contents that are kept, or that it
  /// has; and of those that differ in other things, as many as would be kept by themselves.
  /// - Parameters:
  ///   - versions: All of one record, in their order.
  ///   - now: The content that it has.
  /// - Returns: them.
  func kept(of versions: [RecordVersion], now: ContentID?) -> [RecordVersion] {
    let ends = versions.map { $0.end?.stamp.sequence ?? .max }
    // Stretches in which a file had one content.
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

extension IndexedZone {
  /// The records that were something else once, or are gone, in the order of their ids.
  fileprivate func formerRecords(after id: RecordID?, limit: Int) throws -> [RecordID] {
    var query = try query(
      "SELECT DISTINCT id FROM past WHERE zone = ? AND id > ? ORDER BY id LIMIT ?")
    query.bind(id?.bytes ?? [])
    query.bind(Int64(limit))
    return try recordIDs(query)
  }
}
