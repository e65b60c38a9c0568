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
  private var authors: AuthorTable
  /// The author of chunks without a known one: nobody takes them for their own.
  private var nobody: Int64 = 0
  private var owner: Int64 = 0

  init(state: IndexedZone, raised: Stamp) {
    self.state = state
    self.raised = raised
    authors = AuthorTable(state.rows)
  }

  /// Turns all live records into past ones, as of the checkpoint, and forgets the rest of the
  /// state.
  mutating func begin(at checkpoint: UInt64) throws {
    guard let device = DeviceID(bytes: [UInt8](repeating: 0, count: 16)) else {
      preconditionFailure("sixteen bytes are a device's id")
    }
    nobody = try authors.number(of: UserID(.zero), device)
    owner = try authors.number(of: raised.user, raised.device)
    let start = Stamp(
      sequence: checkpoint, user: raised.user, device: raised.device, time: raised.time)
    try state.versions.keepAll(endedBy: start, owner)
    try state.listings.dropAll()
    try state.records.removeAll()
    try state.chunks.removeAll()
    try state.log.dropCheckpoints()
  }

  /// Adds history that is hidden from people who joined after an epoch. It is not part of the
  /// state.
  mutating func take(_ part: SnapshotPart, hiddenWith epoch: UInt64) throws {
    for chunk in part.chunks where try !state.hasChunk(chunk.name) {
      try state.chunks.savePast(chunk, hiddenWith: epoch)
    }
    for version in part.versions { try state.versions.save(version, &authors) }
  }

  mutating func take(_ part: SnapshotPart) throws {
    for record in part.records { try state.records.save(record.id, record, &authors) }
    for deletion in part.deletions {
      try state.records.noteDeletion(of: deletion.id, at: deletion.sequence)
    }
    for chunk in part.chunks { try state.chunks.save(chunk, by: nobody, "INSERT OR REPLACE") }
    for pack in part.packs { try state.chunks.keep(pack) }
    for version in part.versions { try state.versions.save(version, &authors) }
  }

  func end(_ snapshot: Snapshot, epoch: UInt64) throws {
    let header = snapshot.header
    let start = Stamp(
      sequence: header.sequence, user: raised.user, device: raised.device, time: raised.time)
    try state.versions.settle(endedBy: start, owner)
    try state.versions.drop(without: state.chunks.names())
    try state.log.noteCheckpoint(snapshot.digest, at: header.sequence)
    try state.log.note(snapshot.passed)
    if try header.history != state.ages.policies().last?.policy ?? nil {
      try state.ages.notePolicy(in: header, at: WallClock.seconds)
    }
    try state.advance(to: header, epoch: epoch)
  }
}
