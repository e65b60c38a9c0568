import CairnIndex
import CairnStore
import CairnZone
import Foundation

@testable import CairnIdentity
@testable import CairnReplica

/// An index file with the zone of the cast. Valid commits are written into it and removed again.
/// Its files have no names any more, so nothing is left behind.
final class FuzzIndex: Sendable {
  static let shared = FuzzIndex()

  private let file: IndexFile

  private init() {
    let folder = NSTemporaryDirectory() + "cairn-fuzz-\(UUID())"
    do {
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      defer { try? FileManager.default.removeItem(atPath: folder) }
      file = try IndexFile(
        path: folder + "/index.sqlite", schema: .zones, hasReaders: false)
      let zone = Cast.zoneState
      try file.write { db in
        var delta = Delta(header: zone.header)
        delta.saved = zone.records
        delta.chunks = Array(zone.chunks.values)
        try IndexedZone(db, zone: Cast.zone).apply(delta, by: Cast.ana.author, time: 0, epoch: 1)
      }
    } catch {
      preconditionFailure("the index of the fuzz targets can't be made: \(error)")
    }
  }

  /// Checks that the index has the effect of a valid commit.
  func check(_ verdict: Verdict, after zone: MemoryZone) throws {
    guard case .applied(let delta) = verdict else { return }
    do {
      try file.write { db in
        try IndexedZone(db, zone: Cast.zone, header: zone.header)
          .apply(delta, by: Cast.ana.author, time: 0, epoch: 1)
        let after = try IndexedZone(db, zone: Cast.zone)
        try must(after.header == delta.header, "the index has another header")
        for (id, record) in delta.saved {
          try must(try after.record(id) == record, "the index has another record \(id)")
        }
        for id in delta.deleted.keys {
          try must(try after.record(id) == nil, "the index has a deleted record \(id)")
        }
        throw Undo()
      }
    } catch is Undo {
      // The index is ready for the next commit again.
    }
  }

  /// Checks that a snapshot is loaded completely and gives its state, or is refused.
  func check(_ snapshot: Snapshot, _ pieces: [StateDigest.Piece]) throws {
    let folder = ZoneFolder(zone: Cast.zone, founder: Cast.ana.user, kind: .owned)
    let store = MemoryStore()
    for piece in pieces {
      _ = try store.put(
        folder.part(piece.digest, Cast.key), SnapshotSeal.seal(piece, Cast.zone, Cast.key))
    }
    let reader = SnapshotReader(
      folder: folder, store: store, key: Cast.key, keys: Keyring([Cast.key]))
    let author = Cast.ana.author
    let stamp = Stamp(sequence: 7, user: author.user, device: author.device, time: 0)
    do {
      try file.write { db in
        let state = try IndexedZone(db, zone: Cast.zone, header: Cast.zoneState.header)
        try reader.load(snapshot, by: stamp, into: state)
        let after = try IndexedZone(db, zone: Cast.zone)
        try must(after.header == snapshot.header, "the index has another header than the snapshot")
        _ = try after.stateLists { _ in }
        throw Undo()
      }
    } catch is Undo {
      // The index is ready for the next snapshot again.
    } catch is SnapshotDamage {
      // The same is true here, because nothing of the snapshot was stored.
    }
  }

  private struct Undo: Error {}
}
