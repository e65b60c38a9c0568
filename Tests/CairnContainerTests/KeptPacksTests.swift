import CairnIndex
import CairnStore
import CairnZone
import Testing

@testable import CairnContainer
@testable import CairnIdentity
@testable import CairnReplica

/// The older packs that a zone keeps as they are closed, while others commit.
@Suite struct KeptPacksTests {
  private static let day: Int64 = 86_400

  private let store: HookedStore
  private let world: ZoneWorld
  private let ana: Container
  private let (zone, bobs): (Zone, Zone)

  init() throws {
    store = HookedStore(DistantStore(MemoryStore()))
    world = try ZoneWorld(store)
    let (anas, bobs, accounts) = try world.shared()
    ana = try world.open(accounts[0])
    zone = try #require(try ana.zone(anas.id))
    try zone.pull()
    self.bobs = bobs
  }

  private static func noise(_ seed: UInt8) -> [UInt8] {
    ContentPieces.noise(200_000).map { $0 ^ seed }
  }

  private func kept(dropsInline: Bool = false) throws -> KeptPacks {
    try look { state in
      try KeptPacks(
        state, below: 9, at: WallClock.seconds, droppingInline: dropsInline)
    }
  }

  private func look<Result>(_ body: (IndexedZone) throws -> Result) throws -> Result {
    try zone.pull()
    return try zone.index.read { db in
      try body(IndexedZone(db, zone: zone.id, header: zone.header))
    }
  }

  @Test func `content that somebody refers to while packs are closed stays`() throws {
    let gone = try zone.write("gone", Self.noise(1))
    try zone.write("stays", Self.noise(2))
    try zone.save([RecordChange(id: gone, act: .delete)])
    try ana.ownership.setHistory(HistoryPolicy(all: UInt64(Self.day)), of: zone)
    let now = WallClock.seconds
    #expect(try ana.upkeep.collectGarbage(at: now + 6 * Self.day).unneeded.packs == 0)
    #expect(try ana.upkeep.surveyGarbage(at: now + 9 * Self.day).unneeded.packs == 1)
    // Bob has the same bytes right before the owner's commit that closes the pack.
    let place = try zone.place(zone.header.sequence + 1)
    store.beforePut(place.description) {
      try bobs.pull()
      try bobs.write("back", Self.noise(1))
    }
    #expect(try ana.upkeep.collectGarbage(at: now + 9 * Self.day).closed == 1)
    #expect(store.isSpent)
    for week in 2...4 as ClosedRange<Int64> {
      _ = try ana.upkeep.collectGarbage(at: now + week * 9 * Self.day)
    }
    try bobs.pull()
    #expect(try bobs.files() == ["back": Self.noise(1), "stays": Self.noise(2)])
    #expect(try bobs.verify().isEmpty)
  }

  @Test func `another policy causes one more complete check`() throws {
    try zone.write("file", Self.noise(3))
    var kept = try self.kept()
    try zone.write("other", Self.noise(4))
    #expect(try look { try kept.follow($0, at: WallClock.seconds) })
    #expect(try kept.names == self.kept().names && kept.names.count == 2)
    try ana.ownership.setHistory(HistoryPolicy(versions: 1), of: zone)
    #expect(try !look { try kept.follow($0, at: WallClock.seconds) })
  }

  @Test func `inline content that became a version meanwhile stays`() throws {
    let file = try zone.write("small", [1, 2, 3])
    var kept = try self.kept(dropsInline: true)
    #expect(kept.dropsInline)
    try zone.write("another", [1])
    #expect(try look { try kept.follow($0, at: WallClock.seconds) } && kept.dropsInline)
    let content = try zone.ingest([4, 5, 6])
    try zone.save([RecordChange(id: file, act: .update, content: content)])
    #expect(try look { try kept.follow($0, at: WallClock.seconds) } && !kept.dropsInline)
  }
}
