import CairnStore
import CairnZone
import Testing

@testable import CairnContainer
@testable import CairnIdentity
@testable import CairnReplica

/// Assets in the fields of typed records: stored, read, kept, moved and lost like the contents of
/// files.
@Suite struct AssetTests {
  private static let small: [UInt8] = [1, 2, 3]
  private static let large = noise(1)

  private static func noise(_ seed: UInt8) -> [UInt8] {
    ContentPieces.noise(200_000).map { $0 ^ seed }
  }

  /// Creates a typed record with these assets, the first one alone and the others in a list.
  private static func photo(
    _ zone: Zone, _ assets: [[UInt8]], id: RecordID = .random()
  ) throws -> RecordChange {
    let contents = try assets.map { FieldValue.asset(try zone.ingest($0)) }
    return RecordChange(
      id: id, act: .create(.typed("Photo")),
      fields: ["picture": contents[0], "more": .list(Array(contents.dropFirst()))])
  }

  private static func bytes(_ content: Content, _ zone: Zone) throws -> [UInt8] {
    var bytes: [UInt8] = []
    try zone.readContent(content) { bytes += Array($0) }
    return bytes
  }

  /// The bytes of all assets of a record, the one of `picture` first.
  private static func assets(_ id: RecordID, _ zone: Zone) throws -> [[UInt8]] {
    let record = try #require(try zone.read { try $0.record(id) })
    return try ["picture", "more"].flatMap { record.fields[$0]?.assets ?? [] }
      .map { try bytes($0, zone) }
  }

  @Test(arguments: ["empty", "small", "large", "mixed", "two large"])
  func `a record with assets is saved, and everybody reads their bytes`(kind: String) throws {
    let assets: [[UInt8]] =
      switch kind {
      case "empty": [[]]
      case "small": [Self.small]
      case "large": [Self.large]
      case "mixed": [Self.small, Self.large, [], Self.small]
      default: [Self.large, Self.noise(2)]
      }
    let world = try ZoneWorld()
    let (zone, bobs, accounts) = try world.shared()
    let change = try Self.photo(zone, assets)
    try zone.save([change])
    #expect(try Self.assets(change.id, zone) == assets)
    try bobs.pull()
    #expect(try Self.assets(change.id, bobs) == assets)
    let fresh = try #require(try world.open(accounts[1]).zone(zone.id))
    try fresh.pull()
    #expect(try Self.assets(change.id, fresh) == assets)
    #expect(zone.header.bytes == UInt64(assets.joined().count))
  }

  @Test func `assets are replaced, removed, shared between fields, and count for the quota`() throws
  {
    let world = try ZoneWorld()
    let (zone, bobs, _) = try world.shared()
    let change = try Self.photo(zone, [Self.large, Self.small])
    try zone.save([change])
    let other = Self.noise(3)
    try zone.save([
      RecordChange(
        id: change.id, act: .update,
        fields: ["picture": .asset(try zone.ingest(other)), "more": FieldValue?.none])
    ])
    try bobs.pull()
    #expect(try Self.assets(change.id, bobs) == [other])
    // Another record refers to the same chunks: they aren't sent again.
    let before = try world.keys("users/").count { $0.description.contains("/packs/") }
    let second = try Self.photo(bobs, [other, other])
    try bobs.save([second])
    #expect(
      try world.keys("users/").count { $0.description.contains("/packs/") } == before)
    try zone.pull()
    #expect(try Self.assets(second.id, zone) == [other, other])
    try zone.save([RecordChange(id: second.id, act: .delete)])
    #expect(zone.header.bytes == UInt64(other.count))
  }

  @Test func `a quota holds for assets`() throws {
    let world = try ZoneWorld()
    let (zone, bobs, accounts) = try world.shared()
    let ana = try world.open(accounts[0])
    let anas = try #require(try ana.zone(zone.id))
    try anas.pull()
    try ana.ownership.setQuota(100_000, of: anas)
    try bobs.pull()
    let change = try Self.photo(bobs, [Self.large])
    #expect(try cloudCode { try bobs.save([change]) } == .quotaExceeded)
    try bobs.save([try Self.photo(bobs, [Self.small])])
  }

  @Test func `garbage collection keeps the packs of assets, and deletes those of replaced ones`()
    throws
  {
    let world = try ZoneWorld()
    let (zone, bobs, accounts) = try world.shared()
    let change = try Self.photo(zone, [Self.large, Self.small])
    try zone.save([change])
    let before = try Self.packs(world)
    let later = try Self.photo(zone, [Self.noise(4)])
    try zone.save([later])
    let gone = try #require(try Self.packs(world).subtracting(before).first)
    try zone.save([RecordChange(id: later.id, act: .delete)])
    let ana = try world.open(accounts[0])
    let anas = try #require(try ana.zone(zone.id))
    try anas.pull()
    try ana.ownership.setHistory(HistoryPolicy(versions: 1), of: anas)
    for week in 1...4 as ClosedRange<Int64> {
      _ = try ana.upkeep.collectGarbage(at: WallClock.seconds + week * 9 * 86_400)
    }
    #expect(try world.store.size(of: gone) == nil)
    try bobs.pull()
    #expect(try Self.assets(change.id, bobs) == [Self.large, Self.small])
    #expect(try bobs.verify().isEmpty)
  }

  private static func packs(_ world: ZoneWorld) throws -> Set<ObjectKey> {
    Set(try world.keys("users/").filter { $0.description.contains("/packs/") })
  }

  @Test func `an asset that somebody saves while its pack is closed stays`() throws {
    let store = HookedStore(DistantStore(MemoryStore()))
    let world = try ZoneWorld(store)
    let (zone, bobs, accounts) = try world.shared()
    let old = try Self.photo(zone, [Self.large])
    try zone.save([old])
    try zone.save([RecordChange(id: old.id, act: .delete)])
    try bobs.pull()
    let ana = try world.open(accounts[0])
    let anas = try #require(try ana.zone(zone.id))
    try anas.pull()
    let day: Int64 = 86_400
    try ana.ownership.setHistory(HistoryPolicy(all: UInt64(day)), of: anas)
    let now = WallClock.seconds
    _ = try ana.upkeep.collectGarbage(at: now + 6 * day)
    #expect(try ana.upkeep.surveyGarbage(at: now + 9 * day).unneeded.packs == 1)
    // Bob has the same bytes right before the owner's commit that closes the pack.
    let again = try Self.photo(bobs, [Self.large])
    let place = try anas.place(anas.header.sequence + 1)
    store.beforePut(place.description) {
      try bobs.pull()
      try bobs.save([again])
    }
    #expect(try ana.upkeep.collectGarbage(at: now + 9 * day).closed == 1)
    #expect(store.isSpent)
    for week in 2...4 as ClosedRange<Int64> {
      _ = try ana.upkeep.collectGarbage(at: now + week * 9 * day)
    }
    try bobs.pull()
    #expect(try Self.assets(again.id, bobs) == [Self.large])
    #expect(try bobs.verify().isEmpty)
  }

  @Test func `a newcomer below a log start reads assets`() throws {
    let story = try FloorStory()
    let change = try Self.photo(story.zone, [Self.large, Self.small])
    try story.zone.save([change])
    try story.save(20)
    try story.raise()
    try story.sweep()
    let fresh = try #require(try story.world.open(story.accounts[1]).zone(story.zone.id))
    try fresh.pull()
    #expect(try Self.assets(change.id, fresh) == [Self.large, Self.small])
    #expect(try fresh.verify().isEmpty)
  }

  @Test func `verify names the records whose assets are damaged`() throws {
    let world = try ZoneWorld()
    let (zone, _, _) = try world.shared()
    let change = try Self.photo(zone, [Self.small, Self.large])
    try zone.save([change])
    try zone.save([try Self.photo(zone, [[7]])])
    try world.store.delete(try #require(try Self.packs(world).first))
    #expect(try zone.verify().map(\.records) == [[change.id]])
    let broken = try zone.brokenChunks()
    #expect(try zone.mend(broken, isDryRun: true) { _, _ in false }.count == broken.count)
  }

  @Test func `an asset of a lost entry is saved again when a device follows another history`()
    throws
  {
    let world = try ZoneWorld()
    let (zone, bobs, _) = try world.shared()
    let before = try world.objects()
    let change = try Self.photo(zone, [Self.small, [9, 9]])
    try zone.save([change])
    try world.rollBack(to: before)
    try bobs.write("of bob", [4])
    #expect(try cloudCode { try zone.pull() } == .changeTokenExpired)
    let plan = try zone.planRepair()
    let common = try zone.common(upTo: try #require(plan.trouble?.agreed))
    _ = try zone.follow(common)
    try bobs.pull()
    for one in [zone, bobs] {
      #expect(try Self.assets(change.id, one) == [Self.small, [9, 9]])
      #expect(try one.verify().isEmpty)
    }
  }

  @Test(arguments: [false, true])
  func `assets move to another zone with their record`(ofAnotherOwner: Bool) throws {
    let world = try ZoneWorld()
    let (zone, bobs, accounts) = try world.shared()
    let container = try world.open(accounts[ofAnotherOwner ? 1 : 0])
    let target = try #require(try container.zone(zone.id))
    try target.pull()
    let source = try container.privateDatabase.createZone(named: "mine")
    let change = try Self.photo(source, [Self.large, Self.small, Self.noise(6)])
    try source.save([change])
    let packs = try Self.packs(world)
    try container.merging.copy(source, into: .root, of: target)
    #expect(try (Self.packs(world) == packs) == !ofAnotherOwner, "one owner: nothing is sent again")
    if ofAnotherOwner { for key in packs { try world.store.delete(key) } }
    for one in [zone, bobs] {
      try one.pull()
      #expect(try Self.assets(change.id, one) == [Self.large, Self.small, Self.noise(6)])
    }
  }
}
