import CairnIdentity
import CairnIndex
import CairnStore
import CairnZone

/// A part of a snapshot that is missing, or does not match its digest.
struct SnapshotDamage: Error {
  /// Its key.
  let object: ObjectKey
}

/// Reads a state from the container into the index, part by part, each checked against its digest.
/// It must not know why the digests are trusted.
public struct SnapshotReader {
  private let folder: ZoneFolder
  private let store: any ObjectStore
  /// The key of the epoch of the log start's entry.
  private let key: ZoneKey
  /// All known keys: those of earlier epochs open hidden history.
  private let keys: Keyring

  /// Creates a reader of one snapshot.
  /// - Parameters:
  ///   - folder: The folder of the zone.
  ///   - store: The store with the parts.
  ///   - key: The key of the epoch of the log start's entry.
  ///   - keys: All known keys: those of earlier epochs open hidden history.
  public init(folder: ZoneFolder, store: any ObjectStore, key: ZoneKey, keys: Keyring) {
    self.folder = folder
    self.store = store
    self.key = key
    self.keys = keys
  }

  /// Replaces everything that the index has of the zone by a snapshot, except the log and the
  /// versions.
  /// - Parameters:
  ///   - snapshot: The snapshot.
  ///   - author: The author and time of the log start: unknown history is attributed to them.
  ///   - state: The zone's rows, in a transaction.
  /// - Throws: `SnapshotDamage`, `CloudError`, and errors of SQLite.
  func load(_ snapshot: Snapshot, by author: Stamp, into state: IndexedZone) throws {
    var rows = SnapshotRows(state: state, raised: author)
    try rows.begin(at: snapshot.header.sequence)
    let lists = zip(StateDigest.List.allCases, snapshot.lists).map { Wanted($1, .init(list: $0)) }
    try walk(lists) { bytes, place in
      try rows.take(SnapshotPart(bytes, at: place, of: snapshot.header))
    }
    // Hidden history is not part of the state.
    guard try SnapshotTree(state).isWhole() else {
      throw SnapshotDamage(object: folder.floor(snapshot.header.sequence, key))
    }
    for hidden in snapshot.hidden {
      guard let reader = reader(of: hidden) else { continue }
      let lists = [
        Wanted(hidden.chunks, .init(list: .chunks)),
        Wanted(hidden.versions, .init(list: .versions)),
      ]
      try reader.walk(lists) { bytes, place in
        try rows.take(
          SnapshotPart(bytes, at: place, of: snapshot.header), hiddenWith: hidden.epoch)
      }
    }
    try rows.end(snapshot, epoch: key.epoch)
  }

  /// The next part to read, and its position.
  private struct Wanted {
    let digest: Bytes32
    let place: SnapshotPart.Place

    init(_ digest: Bytes32, _ place: SnapshotPart.Place) {
      (self.digest, self.place) = (digest, place)
    }
  }

  /// The reader for hidden history; nil for people who joined later.
  private func reader(of hidden: HiddenPast) -> SnapshotReader? {
    keys[hidden.epoch].map { SnapshotReader(folder: folder, store: store, key: $0, keys: keys) }
  }

  /// The keys of all parts of a snapshot, which were all read; nil if one is missing or wrong.
  /// - Throws: `CloudError` if the container cannot be read.
  public func wholeParts(of snapshot: Snapshot) throws -> Set<ObjectKey>? {
    var found: Set<ObjectKey> = []
    do {
      try note(snapshot.lists, in: &found)
      for hidden in snapshot.hidden {
        guard let reader = reader(of: hidden) else { return nil }
        try reader.note([hidden.versions, hidden.chunks], in: &found)
      }
      return found
    } catch is SnapshotDamage {
      return nil
    }
  }

  private func note(
    _ digests: [Bytes32], _ depth: Int = 0, in found: inout Set<ObjectKey>
  ) throws {
    for digest in digests {
      found.insert(folder.part(digest, key))
      guard case .node(let below) = try piece(digest), depth < Self.mostDigits else { continue }
      try note(below, depth + 1, in: &found)
    }
  }

  /// The maximum number of hexadecimal digits in a key of a list.
  private static let mostDigits = 64

  /// The number of parts in a batch of concurrent requests: one may have sixteen megabytes.
  private static let together = 4

  private func walk(
    _ wanted: [Wanted], _ take: ([UInt8], SnapshotPart.Place) throws -> Void
  ) throws {
    let step = max(1, min(Self.together, store.flight))
    for first in stride(from: 0, to: wanted.count, by: step) {
      let flight = wanted[first..<min(first + step, wanted.count)]
      for (wanted, piece) in zip(flight, try pieces(flight.map(\.digest))) {
        try visit(piece, wanted, take)
      }
    }
  }

  private func visit(
    _ piece: StateDigest.Piece, _ wanted: Wanted,
    _ take: ([UInt8], SnapshotPart.Place) throws -> Void
  ) throws {
    let damage = SnapshotDamage(object: folder.part(wanted.digest, key))
    switch piece {
    case .node(let parts):
      guard wanted.place.digits.count < Self.mostDigits else { throw damage }
      let below = zip(parts, UInt8(0)...).map { digest, digit in
        var place = wanted.place
        place.digits.append(digit)
        return Wanted(digest, place)
      }
      try walk(below, take)
    case .part(let bytes):
      do {
        try take(bytes, wanted.place)
      } catch is FormatError {
        throw damage
      }
    }
  }

  private func piece(_ digest: Bytes32) throws -> StateDigest.Piece {
    let pieces = try pieces([digest])
    return pieces[0]
  }

  private func pieces(_ digests: [Bytes32]) throws -> [StateDigest.Piece] {
    let places = digests.map { folder.part($0, key) }
    let found = store.get(each: places, range: 0..<SnapshotSeal.sealedLimit + 1)
    return try zip(digests, zip(places, found)).map { digest, answer in
      do throws(StoreError) {
        if let object = try answer.1.get(),
          let piece = SnapshotSeal.open(object, as: digest, folder.zone, key)
        {
          return piece
        }
      } catch {
        guard error.code == .corrupt else { throw CloudError(error) }
      }
      throw SnapshotDamage(object: answer.0)
    }
  }
}

/// The rows of a zone while a snapshot replaces them.
private struct SnapshotRows {
  let state: IndexedZone
  let raised: Stamp
  private var authors: [DeviceID: (user: UserID, number: Int64)] = [:]
  /// The author of chunks without a known one: nobody takes them for their own.
  private var nobody: Int64 = 0
  private var owner: Int64 = 0

  init(state: IndexedZone, raised: Stamp) {
    self.state = state
    self.raised = raised
  }

  /// Turns all live records into past ones, as of the checkpoint, and forgets the rest of the
  /// state.
  mutating func begin(at checkpoint: UInt64) throws {
    guard let device = DeviceID(bytes: [UInt8](repeating: 0, count: 16)) else {
      preconditionFailure("sixteen bytes are a device's id")
    }
    nobody = try state.author(UserID(.zero), device)
    owner = try state.author(raised.user, raised.device)
    var query = try state.query(
      """
      INSERT OR IGNORE INTO past
      SELECT zone, id, type, parent, name, content, size, chunks, target, executable, modified,
        created, created_by, created_time, changed, changed_by, changed_time, attributes,
        ?2, ?3, ?4, ?5
      FROM record WHERE zone = ?1 AND parent IS NOT NULL
      """)
    query.bind(Int64(checkpoint))
    query.bind(owner)
    query.bind(raised.time)
    query.bind(Int64(RecordVersion.Ending.changed.rawValue))
    try query.run()
    for table in ["record", "tombstone", "chunk", "past_chunk", "kept_pack", "checkpoint"] {
      try state.query("DELETE FROM \(table) WHERE zone = ?").run()
    }
  }

  /// Adds history that is hidden from people who joined after an epoch. It is not part of the
  /// state.
  mutating func take(_ part: SnapshotPart, hiddenWith epoch: UInt64) throws {
    for chunk in part.chunks where try !state.hasChunk(chunk.name) {
      try state.savePast(chunk, hiddenWith: epoch)
    }
    for version in part.versions { try save(version) }
  }

  mutating func take(_ part: SnapshotPart) throws {
    for record in part.records { try state.save(record.id, record, &authors) }
    for deletion in part.deletions {
      var query = try state.query(
        "INSERT OR REPLACE INTO tombstone (zone, id, sequence) VALUES (?, ?, ?)")
      query.bind(deletion.id)
      query.bind(Int64(deletion.sequence))
      try query.run()
    }
    for chunk in part.chunks { try state.save(chunk, by: nobody, "INSERT OR REPLACE") }
    for pack in part.packs {
      var query = try state.query("INSERT OR REPLACE INTO kept_pack (zone, pack) VALUES (?, ?)")
      query.bind(pack.bytes)
      try query.run()
    }
    for version in part.versions { try save(version) }
  }

  private mutating func save(_ version: RecordVersion) throws {
    guard let place = version.record.place, let end = version.end else { return }
    let record = version.record
    var query = try state.query(
      "INSERT OR REPLACE INTO past VALUES "
        + "(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")
    query.bind(record.id)
    query.bind(IndexRow.text(record.type))
    query.bind(place.parent)
    query.bind(place.name.bytes)
    query.bind(record.content?.id.value)
    query.bind(record.content.map { Int64(clamping: $0.size) })
    query.bind(record.content.map { IndexRow.chunkList($0) })
    query.bind(record.target)
    query.bind(record.attributes.isExecutable ? 1 : 0)
    query.bind(record.attributes.modified)
    for stamp in [record.created, record.changed] {
      query.bind(Int64(clamping: stamp.sequence))
      query.bind(try state.author(stamp, &authors))
      query.bind(stamp.time)
    }
    query.bind(IndexRow.encode(record.attributes))
    query.bind(Int64(clamping: end.stamp.sequence))
    query.bind(try state.author(end.stamp, &authors))
    query.bind(end.stamp.time)
    query.bind(Int64(end.ending.rawValue))
    try query.run()
  }

  func end(_ snapshot: Snapshot, epoch: UInt64) throws {
    let header = snapshot.header
    // A record that is live has no past version that ended here.
    try state.query(
      """
      DELETE FROM past WHERE zone = ?1 AND EXISTS (
        SELECT 1 FROM record r WHERE r.zone = ?1 AND r.id = past.id AND r.changed = past.changed)
      """
    ).run()
    var gone = try state.query(
      """
      UPDATE past SET ending = ?2 WHERE zone = ?1 AND ended = ?3 AND ended_by = ?4
      AND NOT EXISTS (SELECT 1 FROM record r WHERE r.zone = ?1 AND r.id = past.id)
      """)
    gone.bind(Int64(RecordVersion.Ending.deleted.rawValue))
    gone.bind(Int64(header.sequence))
    gone.bind(owner)
    try gone.run()
    try state.dropPastWithoutBytes()
    var noted = try state.query(
      "INSERT OR REPLACE INTO checkpoint (zone, sequence, digest) VALUES (?, ?, ?)")
    noted.bind(Int64(header.sequence))
    noted.bind(snapshot.digest)
    try noted.run()
    try state.note(snapshot.passed)
    if try header.history != state.policies().last?.policy ?? nil {
      try state.notePolicy(in: header)
    }
    try state.advance(to: header, epoch: epoch)
  }
}
