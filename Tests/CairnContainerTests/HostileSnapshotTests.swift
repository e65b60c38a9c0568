import CairnIndex
import CairnStore
import CairnWire
import CairnZone
import Foundation
import Testing

@testable import CairnIdentity
@testable import CairnReplica

/// Parts of a snapshot with data that no entry can have made. A person who may raise a floor can
/// write one, and a newcomer's index is built from it.
struct HostileSnapshotTests {
  /// A mistake in an element, in words, and the function that makes it.
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

  /// A valid element of each kind.
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
    .part("a chunk that begins with another one") { part, elements in
      var chunk = elements.chunk
      chunk.after = chunk.name
      part.chunks = [WireChunkEntry(chunk)]
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

  @Test(arguments: mistakes) func `a snapshot has no element that no entry can have made`(
    _ mistake: Mistake
  ) throws {
    let snapshots = try Snapshots()
    #expect(try snapshots.loads(mistake.make(snapshots.elements)) == false)
  }

  @Test(arguments: StateDigest.List.allCases) func `elements that entries have made can be read`(
    _ list: StateDigest.List
  ) throws {
    let snapshots = try Snapshots()
    let good = snapshots.elements
    var part = WireStatePart()
    switch list {
    case .records: part.records = [WireStateRecord(good.file)]
    case .deletions: part.deletions = [Self.deletion(.random(), at: good.checkpoint)]
    case .chunks: part.chunks = [WireChunkEntry(good.chunk)]
    case .packs: part.packs = [.init([UInt8](repeating: 3, count: 16))]
    case .versions: part.versions = [WireStateVersion(good.version)]
    }
    #expect(try snapshots.loads(part))
  }

  /// A mistake in the lists of a state with correct elements.
  struct Harm: CustomTestStringConvertible, Sendable {
    var testDescription: String
    var list = StateDigest.List.records
    var change: @Sendable (inout WireStatePart, Elements) throws -> Void
  }

  static let harms: [Harm] = [
    Harm(testDescription: "no root") { part, _ in part.records.removeAll { !$0.hasPlace } },
    Harm(testDescription: "two of one name") { part, elements in
      var other = elements.file
      other.id = .random()
      part.merge(WireStateRecord(other))
    },
    Harm(testDescription: "in a directory that isn't there") { part, elements in
      var file = elements.file
      file.place = file.place.map { Place(parent: .random(), name: $0.name) }
      part.merge(WireStateRecord(file))
    },
    Harm(testDescription: "below a file") { part, elements in
      var other = elements.file
      other.id = .random()
      other.place = other.place.map { Place(parent: elements.file.id, name: $0.name) }
      part.merge(WireStateRecord(other))
    },
    Harm(testDescription: "a directory in itself") { part, elements in
      var circle = elements.file
      (circle.type, circle.content, circle.id) = (.directory, nil, .random())
      let id = circle.id
      circle.place = circle.place.map { Place(parent: id, name: $0.name) }
      part.merge(WireStateRecord(circle))
    },
    Harm(testDescription: "two directories in each other") { part, elements in
      let ids = [RecordID.random(), .random()]
      for (own, other) in [(ids[0], ids[1]), (ids[1], ids[0])] {
        var circle = elements.file
        (circle.type, circle.content, circle.id) = (.directory, nil, own)
        circle.place = circle.place.map { Place(parent: other, name: $0.name) }
        part.merge(WireStateRecord(circle))
      }
    },
    Harm(testDescription: "one twice") { part, _ in part.records += part.records.suffix(1) },
    Harm(testDescription: "in another order") { part, _ in part.records.reverse() },
    Harm(testDescription: "of another list") { part, elements in
      part.packs = [.init([UInt8](repeating: 3, count: 16))]
    },
    Harm(testDescription: "what nobody knows") { part, _ in
      part = try decoded(StoredMessage.encode(part) + [0x80, 0x40, 1])
    },
    Harm(testDescription: "deleted and there", list: .deletions) { part, elements in
      part.deletions.append(deletion(elements.file.id, at: elements.checkpoint))
      part.deletions.sort { $0.id.precedes($1.id) }
    },
  ]

  fileprivate static func decoded(_ bytes: [UInt8]) throws -> WireStatePart {
    try StoredMessage.decode(bytes, as: WireStatePart.self, "a part", limit: SnapshotSeal.limit)
  }

  @Test(arguments: harms) func `lists that are no tree are in no snapshot`(_ harm: Harm) throws {
    let snapshots = try Snapshots()
    #expect(
      try snapshots.loads { list, part in
        if list == harm.list { try harm.change(&part, snapshots.elements) }
      } == false)
  }

  @Test func `an element in the wrong part of a list is in no snapshot`() throws {
    let snapshots = try Snapshots()
    #expect(try snapshots.loads(dividing: .records) { $0 })
    #expect(try snapshots.loads(dividing: .records) { Array($0.reversed()) } == false)
  }

  /// A zone's snapshot with replaceable parts.
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
          record, try zone.versions(of: file, limit: 2),
          try #require(try zone.state.chunks.entry(name))
        )
      }
      elements = Elements(
        file: now, version: try #require(versions.last), chunk: chunk,
        checkpoint: good.header.sequence)
    }

    /// Returns whether the state is accepted if a part's element replaces the one with its id, or
    /// is added.
    func loads(_ mistake: WireStatePart) throws -> Bool {
      try loads { list, part in
        switch list {
        case .records: mistake.records.forEach { part.merge($0) }
        case .deletions:
          part.deletions = (part.deletions + mistake.deletions).sorted { $0.id.precedes($1.id) }
        case .chunks:
          part.chunks.removeAll { chunk in mistake.chunks.contains { $0.name == chunk.name } }
          part.chunks = (part.chunks + mistake.chunks).sorted { $0.name.precedes($1.name) }
        case .packs: part.packs = (part.packs + mistake.packs).sorted { $0.precedes($1) }
        case .versions: if !mistake.versions.isEmpty { part.versions = mistake.versions }
        }
      }
    }

    /// Returns whether the state is accepted if its lists are changed.
    func loads(_ change: (StateDigest.List, inout WireStatePart) throws -> Void) throws -> Bool {
      var snapshot = good
      for list in StateDigest.List.allCases {
        var part = try part(list)
        try change(list, &part)
        snapshot.lists[Int(list.rawValue) - 1] = try put(.part(StoredMessage.encode(part)))
      }
      return try loads(snapshot)
    }

    /// Returns the same for a list in sixteen parts, in the order that `arrange` gives them.
    func loads(
      dividing list: StateDigest.List, _ arrange: ([Bytes32]) -> [Bytes32]
    ) throws -> Bool {
      let whole = try part(list)
      let parts = try (0..<16).map { digit in
        var part = WireStatePart()
        part.records = whole.records.filter { $0.id[0] >> 4 == digit }
        return try put(.part(StoredMessage.encode(part)))
      }
      var snapshot = good
      snapshot.lists[Int(list.rawValue) - 1] = try put(.node(arrange(parts)))
      return try loads(snapshot)
    }

    private func part(_ list: StateDigest.List) throws -> WireStatePart {
      let digest = good.lists[Int(list.rawValue) - 1]
      let place = story.zone.folder.part(digest, told.key)
      let object = try #require(try story.world.store.get(place))
      guard case .part(let bytes)? = SnapshotSeal.open(object, as: digest, story.zone.id, told.key)
      else { throw CancellationError() }
      return try HostileSnapshotTests.decoded(bytes)
    }

    private func put(_ piece: StateDigest.Piece) throws -> Bytes32 {
      let place = story.zone.folder.part(piece.digest, told.key)
      let sealed = SnapshotSeal.seal(piece, story.zone.id, told.key)
      _ = try story.world.store.put(place, sealed)
      return piece.digest
    }

    private func loads(_ snapshot: Snapshot) throws -> Bool {
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

extension WireStatePart {
  /// Replaces the record with the same id, or adds the record.
  fileprivate mutating func merge(_ record: WireStateRecord) {
    records.removeAll { $0.id == record.id }
    records = (records + [record]).sorted { $0.id.precedes($1.id) }
  }
}

extension Data {
  fileprivate func precedes(_ other: Data) -> Bool { lexicographicallyPrecedes(other) }
}
