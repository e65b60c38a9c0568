import CairnStore
import CairnZone
import Testing

@testable import CairnContainer
@testable import CairnIdentity
@testable import CairnReplica

/// A payload stays as long as a version needs it, also under other pieces: through garbage
/// collection, repacking, moves to other zones, history cutoffs and forgotten versions.
@Suite struct GrownChunkLifeTests {
  private static let day: Int64 = 86_400

  /// Collects garbage until nothing is left to do.
  private func collect(_ log: GrowingLog, _ now: inout Int64) throws {
    for _ in 0..<3 {
      now += 8 * Self.day
      _ = try log.ana.upkeep.collectGarbage(at: now)
    }
  }

  @Test func `a pack outlives the version that it was made for`() throws {
    let log = try GrowingLog(ContentPieces.noise(150_000))
    try log.ana.ownership.setHistory(HistoryPolicy(versions: 0), of: log.zone)
    for _ in 0..<3 { try log.append(1_000) }
    var now = WallClock.seconds
    try collect(log, &now)
    #expect(try log.world.packs().count == 1)
    for zone in [log.zone, log.bobs, try log.newcomer()] {
      try zone.pull()
      #expect(try zone.files() == ["log": log.bytes] && zone.verify().isEmpty)
    }
    // Once it is replaced, nothing needs the pack any more.
    try log.write([1])
    try collect(log, &now)
    #expect(try log.world.packs().isEmpty)
    #expect(try log.newcomer().files() == ["log": [1]])
  }

  @Test func `repacked chunks keep their pieces, and their payload is stored once`() throws {
    let log = try GrowingLog(
      ContentPieces.noise(150_000), beside: ["dead": ContentPieces.noise(800_000, seed: 8)])
    for _ in 0..<5 { try log.append(1_000) }
    try log.ana.ownership.setHistory(HistoryPolicy(versions: 3), of: log.zone)
    let gone = try log.zone.read { view in
      try view.children(of: .root).filter { $0 != log.file }
    }
    try log.zone.save(gone.map { RecordChange(id: $0, act: .delete) })
    for id in gone {
      let past = try log.zone.read { try PastToForget(of: id, version: nil, in: $0) }
      try log.ana.ownership.forget(past, in: log.zone)
    }
    var now = WallClock.seconds
    try collect(log, &now)
    let packs = try log.world.packs()
    let sizes = try packs.map { try #require(try log.world.store.size(of: $0)) }
    #expect(sizes.count == 1 && sizes.reduce(0, +) < 170_000, "\(sizes)")
    for zone in [log.zone, try log.newcomer()] {
      try zone.pull()
      try log.expectAll(in: zone, from: 2)
      #expect(try zone.verify().isEmpty)
    }
    let place = try log.place(of: log.versions[5].content)
    #expect(place.pieces.map(\.before) == (0..<5).map { log.versions[$0].content.chunks[0] })
    #expect(try log.ana.upkeep.collectGarbage(at: now + Self.day).repacked.packs == 0)
    #expect(try log.append(1_000).pieces.count == 6, "it is in an open pack")
    try log.expectAll(in: log.newcomer(), from: 2)
  }

  @Test func `repacking writes each payload once, with and without pieces`() throws {
    let log = try GrowingLog(ContentPieces.noise(150_000))
    for _ in 0..<3 { try log.append(1_000) }
    let all = Set(try log.zone.read { try $0.state.chunks.namedPacks() })
    try log.zone.repack(all, at: WallClock.seconds)
    let places = try log.versions.map { try log.place(of: $0.content) }
    #expect(Set(places.map { $0.position.range }).count == 1)
    #expect(places.map(\.pieces.count) == [0, 1, 2, 3])
    let packs = try log.world.packs()
    #expect(packs.count == 2)
    for key in packs where places[0].position.range?.key != key {
      try log.world.store.delete(key)
    }
    try log.expectAll(in: log.newcomer())
  }

  @Test func `a folder that moves to a zone of its own and back keeps what grew`() throws {
    let world = try ZoneWorld()
    let ana = try world.open(try world.account("ana"))
    let outer = try ana.privateDatabase.createZone(named: "home")
    let trip = RecordChange(
      id: .random(), act: .create(.directory),
      place: Place(parent: .root, name: try #require(FileName("trip"))))
    var bytes = ContentPieces.noise(150_000)
    var file = try Zone.file("log", outer.ingest(bytes))
    file.place?.parent = trip.id
    try outer.commit([trip, file], expecting: outer.header.sequence)
    func append(to zone: Zone) throws {
      bytes += ContentPieces.noise(1_000, seed: UInt64(bytes.count))
      let earlier = try zone.read { try #require(try $0.record(file.id)?.content) }
      let content = try zone.ingest(bytes, after: earlier)
      try zone.save([RecordChange(id: file.id, act: .update, content: content)])
    }
    func read(_ zone: Zone) throws -> [UInt8] {
      let content = try zone.read { try #require(try $0.record(file.id)?.content) }
      var found: [UInt8] = []
      try zone.readContent(content) { found += $0 }
      return found
    }
    try append(to: outer)
    let packs = try world.packs()
    let nesting = try ana.nestings.nest(trip.id, of: outer, title: "Trip", path: Array("/t".utf8))
    let inner = try #require(try ana.zone(nesting.part.zone))
    try append(to: inner)
    #expect(try read(inner) == bytes && world.packs() == packs, "nothing is stored again")
    // The inner zone alone needs the pack, by a chunk that isn't its base.
    try ana.ownership.setHistory(HistoryPolicy(versions: 0), of: outer)
    var now = WallClock.seconds
    for _ in 0..<3 {
      now += 8 * Self.day
      _ = try ana.upkeep.collectGarbage(at: now)
    }
    #expect(try read(inner) == bytes && world.packs() == packs)
    try outer.exclusively {
      _ = try PackClosing($0).retire(to: 9) { _ in Retirement(generation: 9, kept: []) }
    }
    try ana.returning.bringBack([nesting])
    #expect(try read(outer) == bytes)
    try append(to: outer)
    #expect(try read(outer) == bytes && outer.verify().isEmpty)
  }

  @Test func `a newcomer after a history cutoff reads what grew, and nothing else`() throws {
    let log = try GrowingLog(ContentPieces.noise(150_000))
    for _ in 0..<3 { try log.append(1_000) }
    _ = try log.zone.exclusively { try PastClosing($0, at: WallClock.seconds).close() }
    try log.append(1_000)
    let cleo = try log.world.account("cleo")
    _ = try log.ana.sharing.invite(
      cleo.user, to: log.zone, permission: .readOnly, fromNow: true)
    let fresh = try log.world.open(cleo).participation.accept(log.zone.id)
    #expect(try fresh.files() == ["log": log.bytes] && fresh.verify().isEmpty)
    #expect(throws: ContentError.self) { try fresh.readContent(log.versions[1].content) { _ in } }
    try log.expectAll(in: log.newcomer())
    // A former version comes back with its pieces.
    try log.write(log.versions[2].bytes)
    try fresh.pull()
    #expect(try fresh.files() == ["log": log.bytes])
  }

  @Test func `a forgotten piece leaves no trace`() throws {
    let beside = ContentPieces.noise(90_000, seed: 2)
    let log = try GrowingLog(ContentPieces.noise(150_000), beside: ["beside": beside])
    let secret = ContentPieces.noise(500, seed: 99)
    #expect(try log.append(secret).pieces.bytes > 500)
    try log.write([1])
    let past = try log.zone.read { try PastToForget(of: log.file, version: nil, in: $0) }
    try log.ana.ownership.forget(past, in: log.zone)
    var now = WallClock.seconds
    try collect(log, &now)
    let entry = log.versions[1].content.chunks[0]
    for zone in [log.zone, try log.newcomer()] {
      #expect(try zone.read { try $0.state.chunks.readable(entry) } == nil)
      #expect(try zone.files() == ["log": [1], "beside": beside])
      #expect(try zone.verify().isEmpty)
    }
    let sizes = try log.world.packs().map { try #require(try log.world.store.size(of: $0)) }
    #expect(sizes.reduce(0, +) < 100_000, "the base is gone, too: \(sizes)")
  }

  @Test(arguments: 1...6)
  func `random lives of growing files lose nothing`(seed: Int) throws {
    let log = try GrowingLog(
      ContentPieces.noise(90_000 + seed * 30_000, seed: UInt64(seed)),
      beside: ["beside": ContentPieces.noise(300_000, seed: 1_000)])
    let dice = ContentPieces.noise(120, seed: UInt64(seed) + 500)
    var (now, kept) = (WallClock.seconds, 0)
    try log.ana.ownership.setHistory(HistoryPolicy(versions: 2), of: log.zone)
    for (step, roll) in dice.enumerated() {
      switch roll % 12 {
      case 0...5: try log.append(Int(roll) * 31 + 1)
      case 6: try log.append(Int(roll) * 31 + 1, by: log.bobs)
      case 7: try log.append(GrowingLog.lines(Int(roll) + 1, from: step))
      case 8: try log.write(Array(log.bytes.dropLast(Int(roll) * 10)))
      case 9:
        let all = Set(try log.zone.read { try $0.state.chunks.namedPacks() })
        try log.zone.pull()
        try log.zone.repack(all, at: now)
      case 10:
        now += 8 * Self.day
        _ = try log.ana.upkeep.collectGarbage(at: now)
        kept = max(kept, log.versions.count - 3)
      default:
        var edited = log.bytes
        edited[Int(roll) * 100] ^= 1
        try log.write(edited)
      }
      try log.bobs.pull()
      try log.zone.pull()
      try log.expectAll(in: log.bobs, from: max(0, log.versions.count - 1), "step \(step)")
    }
    let fresh = try log.newcomer()
    try log.expectAll(in: fresh, from: log.versions.count - 1)
    try log.expectAll(in: log.zone, from: max(0, min(kept, log.versions.count - 1)))
    #expect(try fresh.verify().isEmpty && log.zone.verify().isEmpty)
  }
}

extension ChunkPlace.Position {
  /// The range in a pack; nil inside an entry.
  fileprivate var range: PackRange? {
    guard case .pack(let range, _) = self else { return nil }
    return range
  }
}
