import CairnIndex
import CairnStore
import CairnZone
import Foundation
import Testing

@testable import CairnCloud

/// Parts of a snapshot with something in them that no entry can have made: whoever may raise a
/// floor can write one, and a newcomer's index is made of it.
struct HostileSnapshotTests {
  /// What is wrong with an element, in words, and how it comes to be.
  struct Mistake: CustomTestStringConvertible, Sendable {
    var testDescription: String
    var make: @Sendable (Elements) throws -> WireStatePart

    static func record(_ name: String, _ change: @escaping @Sendable (inout Record) -> Void) -> Self
    {
      Self(testDescription: name) { elements in
        var record = elements.file
        change(&record)
        var part = WireStatePart()
        part.records = [WireStateRecord(record)]
        return part
      }
    }

    static func version(
      _ name: String, _ change: @escaping @Sendable (inout WireStateVersion) -> Void
    ) -> Self {
      Self(testDescription: name) { elements in
        var version = WireStateVersion(elements.version)
        change(&version)
        var part = WireStatePart()
        part.versions = [version]
        return part
      }
    }

    static func part(
      _ name: String, _ change: @escaping @Sendable (inout WireStatePart, Elements) -> Void
    ) -> Self {
      Self(testDescription: name) { elements in
        var part = WireStatePart()
        change(&part, elements)
        return part
      }
    }
  }

  /// A good one of each kind.
  struct Elements {
    var file: Record
    var version: RecordVersion
    var chunk: ChunkEntry
    var checkpoint: UInt64
  }

  static let mistakes: [Mistake] = [
    .record("made by an entry behind all") { $0.created.sequence = .max },
    .record("made by none") { $0.created.sequence = 0 },
    .record("changed before it was made") { $0.changed.sequence = $0.created.sequence - 1 },
    .record("more bytes than its chunks have") { $0.content?.size = .max },
    .record("no bytes in a chunk") { $0.content?.size = 0 },
    .record("a file without content") { $0.content = nil },
    .record("a file that points") { $0.target = [1] },
    .record("a file with fields") { $0.fields = ["a": .integer(1)] },
    .record("a file that is nowhere") { $0.place = nil },
    .record("a directory with content") { $0.type = .directory },
    .record("a symlink that points nowhere") { ($0.type, $0.content) = (.symlink, nil) },
    .record("a type without a name") { ($0.type, $0.content, $0.place) = (.typed(""), nil, nil) },
    .record("a root that is a file") { ($0.id, $0.place) = (.root, nil) },
    .record("a mode that isn't its executable bit") {
      ($0.attributes.isExecutable, $0.attributes.mode) = (false, 0o755)
    },
    .version("no end") { $0.clearEnded() },
    .version("ended behind all") { $0.ended.sequence = .max },
    .version("ended when it began") { $0.ended.sequence = $0.record.changed.sequence },
    .version("began behind all") { $0.record.changed.sequence = .max },
    .version("was nowhere") { $0.record.clearPlace() },
    .version("ended in a way that isn't") { $0.ending = 4 },
    .part("a pack without a name") { part, _ in part.packs = [.init()] },
    .part("a pack with half a name") { part, _ in part.packs = [.init([1, 2, 3])] },
    .part("a deletion behind all") { part, elements in
      part.deletions = [deletion(elements.file.id, at: elements.checkpoint + 1)]
    },
    .part("a deletion by none") { part, elements in
      part.deletions = [deletion(elements.file.id, at: 0)]
    },
    .part("a deletion of the root") { part, elements in
      part.deletions = [deletion(.root, at: elements.checkpoint)]
    },
    .part("a chunk without a name") { part, elements in
      var chunk = WireChunkEntry(elements.chunk)
      chunk.name = .init()
      part.chunks = [chunk]
    },
    .part("a chunk in a pack that nobody has opened") { part, elements in
      var chunk = elements.chunk
      chunk.pack = PackStamp(pack: PackName(Bytes16(high: 0, low: 0)), generation: .max)
      part.chunks = [WireChunkEntry(chunk)]
    },
  ]

  private static func deletion(_ id: RecordID, at sequence: UInt64) -> WireStateDeletion {
    var wire = WireStateDeletion()
    wire.id = .init(id.bytes)
    wire.sequence = sequence
    return wire
  }

  @Test(arguments: mistakes) func `what no entry can have made is in no snapshot`(
    _ mistake: Mistake
  ) throws {
    let snapshots = try Snapshots()
    #expect(try snapshots.loads(mistake.make(snapshots.elements)) == false)
  }

  @Test func `what entries have made can be read`() throws {
    let snapshots = try Snapshots()
    let good = snapshots.elements
    var part = WireStatePart()
    part.records = [WireStateRecord(good.file)]
    part.deletions = [Self.deletion(good.version.record.id, at: good.checkpoint)]
    part.chunks = [WireChunkEntry(good.chunk)]
    part.packs = [.init([UInt8](repeating: 3, count: 16))]
    part.versions = [WireStateVersion(good.version)]
    #expect(try snapshots.loads(part))
  }

  /// A zone's snapshot, of which one part can be another one.
  private struct Snapshots {
    let story: FloorStory
    let elements: Elements
    private let told: Floors.Told
    private let good: Snapshot

    init() throws {
      story = try FloorStory()
      try story.raise()
      let floors = Floors(folder: story.zone.folder, store: story.world.store)
      told = try #require(try floors.told(story.zone.keyring()).first)
      good = try #require(try floors.read(told))
      let (kept, file) = (story.kept, story.file)
      let (now, versions, chunk) = try story.zone.read { zone in
        let record = try #require(try zone.record(kept))
        let name = try #require(record.content?.chunks.first)
        return (
          record, try zone.versions(of: file, limit: 2), try #require(try zone.state.chunk(name))
        )
      }
      elements = Elements(
        file: now, version: try #require(versions.last), chunk: chunk,
        checkpoint: good.header.sequence)
    }

    /// Whether a state of that part alone is taken.
    func loads(_ part: WireStatePart) throws -> Bool {
      let piece = StateDigest.Piece.part(StoredMessage.encode(part))
      let place = story.zone.folder.part(piece.digest, told.key)
      let sealed = SnapshotSeal.seal(piece, story.zone.id, told.key)
      #expect(try story.world.store.put(place, sealed) == .stored)
      var snapshot = good
      snapshot.lists[0] = piece.digest
      let reader = SnapshotReader(
        folder: story.zone.folder, store: story.world.store, key: told.key,
        keys: story.zone.keyring())
      let index = try IndexFile(inMemory: .zones) {}
      do {
        try index.write { db in
          let state = try IndexedZone(db, zone: story.zone.id)
          try reader.load(snapshot, by: elements.file.created, into: state)
        }
        return true
      } catch is SnapshotDamage {
        return false
      }
    }
  }
}
