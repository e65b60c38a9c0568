import CairnStore
import CairnWire
import CairnZone
import FoundationEssentials

@testable import CairnIdentity
@testable import CairnReplica

extension FuzzTarget {
  /// The parts of a log start's snapshot. Any member can put one, and a newcomer's index is made
  /// from it.
  static let snapshotTargets = [
    FuzzTarget("snapshot") {
      [snapshot(Cast.zoneState.header, lists: [empty, empty, empty, empty, empty]).encoded()]
    } check: { bytes in
      guard let read = try unlessRefused({ try Snapshot(bytes) }) else { return }
      try must(read.encoded() == known(bytes, as: WireSnapshot.self), "a snapshot changes")
      let last = read.header.sequence
      for place in [1, last / 2, last, last &+ 1, .max] { _ = read.passed.digest(at: place) }
      try must(read.passed.digest(at: 0) == nil, "a place is before the first")
      let floor = Floor(
        checkpoint: last, digest: read.digest, forgotten: 0, past: read.past)
      var commit = Commit(
        previous: .zero, author: Cast.ana.author, time: 0, epoch: 1,
        share: [.zone(.floor(floor))])
      try must(read.floor(in: commit) == floor, "a snapshot isn't its own floor's")
      commit.share = []
      try must(read.floor(in: commit) == nil, "a snapshot is of a floor that nobody raised")
      // The snapshot of another zone is refused before it is loaded.
      guard read.header.zone == Cast.zone, read.header.kind == .owned else { return }
      try FuzzIndex.shared.check(
        snapshot(read.header, lists: [empty, empty, empty, empty, empty]), [.part([])])
    },

    // An opened part. It is written into the index completely or not at all.
    FuzzTarget("snapshot-part") {
      parts
    } check: { bytes in
      let piece = StateDigest.Piece.part(bytes)
      let lists = [piece.digest, empty, empty, empty, empty]
      try FuzzIndex.shared.check(
        snapshot(Cast.zoneState.header, lists: lists), [.part([]), piece])
    },

    // A piece inside of the seal, as it is stored.
    FuzzTarget("snapshot-piece") {
      let bytes = [UInt8](repeating: 7, count: 300)
      let key = Cast.key
      return try [StateDigest.Piece.part(bytes), .part([1, 2, 3]), .node(nodes)].map { piece in
        let object = SnapshotSeal.seal(piece, Cast.zone, key)
        guard let plain = SnapshotSeal.opened(object, about: piece.digest.bytes, Cast.zone, key)
        else { throw Finding("a piece can't be opened") }
        return plain
      }
    } check: { plain in
      let rest = Array(plain.dropFirst())
      for digest in [StateDigest.Piece.part(rest).digest, .zero, nodeDigest(rest) ?? .zero] {
        let object = SnapshotSeal.sealed(plain, about: digest.bytes, Cast.zone, Cast.key)
        guard let piece = SnapshotSeal.open(object, as: digest, Cast.zone, Cast.key) else {
          continue
        }
        try must(piece.digest == digest, "a piece has another digest")
        let again = SnapshotSeal.seal(piece, Cast.zone, Cast.key)
        try must(
          SnapshotSeal.open(again, as: digest, Cast.zone, Cast.key)?.digest == digest,
          "a piece changes")
      }
    },
  ]

  private static let empty = StateDigest.Piece.part([]).digest
  private static let nodes = (0..<16).map { Cast.bytes32(UInt8($0)) }

  private static func nodeDigest(_ bytes: [UInt8]) -> Bytes32? {
    guard bytes.count == 16 * 32 else { return nil }
    let parts = stride(from: 0, to: bytes.count, by: 32).map {
      Crypto.bytes32(Array(bytes[$0..<$0 + 32]))
    }
    return StateDigest.Piece.node(parts).digest
  }

  private static func snapshot(_ header: ZoneHeader, lists: [Bytes32]) -> Snapshot {
    // No more positions than a fuzzer can name.
    let passed = PassedPositions(upTo: min(header.sequence, 4096)) { _ in Cast.bytes32(8) }
    return Snapshot(entry: [1, 2, 3], place: 7, header: header, lists: lists, passed: passed)
  }

  /// The parts of the cast's own state, one for each list.
  private static let parts: [[UInt8]] = {
    let zone = Cast.zoneState
    var records = WireStatePart()
    records.records = zone.records.values.sorted { $0.id < $1.id }.map { WireStateRecord($0) }
    var chunks = WireStatePart()
    chunks.chunks = zone.chunks.values.map { WireChunkEntry($0) }
    var rest = WireStatePart()
    var deletion = WireStateDeletion()
    deletion.id = .init(Cast.record(8).bytes)
    deletion.sequence = 2
    rest.deletions = [deletion]
    rest.packs = [.init([UInt8](repeating: 4, count: 16))]
    return [records, chunks, rest].map { StoredMessage.encode($0) }
  }()
}
