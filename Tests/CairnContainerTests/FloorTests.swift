import CairnIndex
import CairnStore
import CairnZone
import Testing

@testable import CairnContainer
@testable import CairnIdentity
@testable import CairnReplica

/// Floors, which are log starts: a newcomer reads a floor instead of the entries below, and the
/// entries are deleted later.
struct FloorTests {
  /// Returns the objects of a zone's floors in the container.
  private func objects(_ zone: Zone, _ story: FloorStory) throws -> [ObjectKey] {
    try story.world.store.list("\(zone.folder.floors)/", after: nil, limit: 1_000)
  }

  @Test func `requests can be allowed in a log without its first entry`() throws {
    let story = try FloorStory()
    try story.raise()
    try story.sweep()
    #expect(try story.standing(1) == nil)
    try story.ana.requests.setAllowed(true, of: story.zone)
    #expect(try story.world.store.size(of: story.zone.folder.door) != nil)
  }

  @Test func `a newcomer reads the floor's snapshot and the entries behind it`() throws {
    let story = try FloorStory()
    let before = try story.places(below: story.zone.header.sequence).count
    let report = try story.raise()
    #expect(report.floors == 1 && report.deletedEntries.entries == 0)
    let floor = try #require(story.zone.header.floor)
    #expect(floor.checkpoint > UInt64(before))
    try story.bobs.pull()
    #expect(story.bobs.header == story.zone.header, "everybody found the same state there")
    let gone = try story.sweep()
    #expect(gone.deletedEntries.entries == Int(floor.checkpoint) - 1 && gone.refused.isEmpty)
    #expect(try story.places(below: floor.checkpoint).isEmpty)
    #expect(try story.zone.place(floor.checkpoint) == story.standing(floor.checkpoint))

    try story.zone.write("later", [9])
    let counting = TallyStore(story.world.store, flight: 16)
    let fresh = try #require(
      try story.world.open(story.accounts[1], store: counting).zone(story.zone.id))
    _ = counting.take()
    try fresh.pull()
    let asked = counting.take()
    #expect(asked.gets < 40, "and not each entry: \(asked)")
    #expect(asked.rounds < asked.gets, "\(asked)")
    #expect(fresh.header == story.zone.header && fresh.trouble == nil)
    #expect(try fresh.files() == story.zone.files())
    #expect(try fresh.verify().isEmpty && story.zone.verify().isEmpty)
    #expect(try story.digest(fresh) == story.digest(story.zone))
    try fresh.write("of bob", [8])
    try story.zone.pull()
    #expect(try story.zone.files()["of bob"] == [8])
  }

  @Test func `a newcomer joins even if the beginning of the log is gone`() throws {
    let story = try FloorStory()
    // The second floor is raised when nobody can read the first entry at its place any more.
    for _ in 0..<2 {
      try story.save(20)
      try story.raise()
      try story.sweep()
    }
    // An invitation doesn't announce unavailable content either.
    let past = try story.zone.read { try $0.pastSummary() }
    #expect(past.versions < 20 && past.deleted == 1, "of seventy")
    let (cleo, dan) = (try story.world.account("cleo"), try story.world.account("dan"))
    _ = try story.ana.sharing.invite(cleo.user, to: story.zone, permission: .readWrite)
    let cleos = try story.world.open(cleo).participation.accept(story.zone.id)
    let made = try story.ana.links.oneTimeLink(to: story.zone, permission: .readWrite)
    let link = story.ana.links.link(to: story.zone, secret: made.secret)
    let dans = try story.world.open(dan).links.accept(link)
    for (zone, name) in [(cleos, "of cleo"), (dans, "of dan")] {
      try zone.pull()
      try zone.write(name, [3])
    }
    try story.zone.pull()
    for zone in [cleos, dans] {
      try zone.pull()
      #expect(try zone.files() == story.zone.files() && zone.verify().isEmpty)
      let theirs = try zone.read { try $0.pastSummary() }
      #expect(theirs.versions == 4 && theirs.deleted == 1, "the file's three, and the deleted one")
    }
  }

  @Test func `a floor pays off behind an entry for each 64 elements of its snapshot`() throws {
    let world = try ZoneWorld()
    let zone = try world.open(world.account("ana")).privateDatabase.createZone(named: "Large")
    let elements = 500
    try zone.save(
      (0..<elements).map { try Zone.file("\($0)", Content(size: 0, chunks: [])) })
    func isDue() throws -> Bool {
      try zone.exclusively { try FloorRaise($0, at: 0).isDue(after: 1) }
    }
    while zone.header.sequence < UInt64(elements / 64) {
      #expect(try !isDue(), "\(zone.header.sequence)")
      try zone.commit([], expecting: zone.header.sequence)
    }
    #expect(try isDue())
    #expect(try !zone.exclusively { try FloorRaise($0, at: 0).isDue(after: 100) })
  }

  @Test func `a small pack isn't repacked again and again`() throws {
    let story = try FloorStory()
    try story.raise()
    try story.sweep()
    let before = try story.world.keys()
    for _ in 0..<3 {
      story.now += 8 * 86_400
      #expect(try story.ana.upkeep.collectGarbage(at: story.now).repacked.packs == 0)
    }
    #expect(try story.world.keys().count <= before.count)
  }

  @Test func `only kept versions can be read below the floor`()
    throws
  {
    let story = try FloorStory()
    try story.raise()
    try story.sweep()
    let fresh = try #require(try story.world.open(story.accounts[1]).zone(story.zone.id))
    try fresh.pull()
    let versions = try fresh.read { try $0.versions(of: story.file, limit: 100) }
    #expect(versions.count == 4, "the present, and three")
    #expect(versions.dropFirst().allSatisfy { $0.end != nil })
    for (back, version) in versions.enumerated() {
      var bytes: [UInt8] = []
      try fresh.readContent(try #require(version.record.content)) { bytes += Array($0) }
      #expect(bytes == FloorStory.text(FloorStory.saves - 1 - back))
    }
    let deleted = try fresh.read { try $0.versions(of: story.deleted, limit: 100) }
    #expect(deleted.map { $0.end?.ending } == [.deleted])
    #expect(try fresh.read { try $0.deletion(of: story.deleted) } != nil)
    // A version that isn't kept is in nobody's state. Its bytes were in an entry.
    #expect(try fresh.read { try !$0.hasChunks(of: story.first) })
    #expect(try story.zone.read { try !$0.hasChunks(of: story.first) })
    // A person with the same bytes stores them again.
    try fresh.write("again", FloorStory.text(0))
    try story.zone.pull()
    #expect(try story.zone.files()["again"] == FloorStory.text(0))
  }

  @Test func `a device that returns from before the floor goes on`() throws {
    let story = try FloorStory()
    let folder = "\(story.world.folder)/away"
    let away = try story.world.open(story.accounts[1], index: folder)
    let old = try #require(try away.zone(story.zone.id))
    try old.pull()
    let seen = old.header
    try story.save(5)
    try story.zone.save([RecordChange(id: story.kept, act: .delete)])
    try story.raise()
    try story.sweep()
    #expect(try #require(story.zone.header.floor).checkpoint > seen.sequence)

    try old.pull()
    #expect(old.trouble == nil)
    #expect(old.header == story.zone.header)
    #expect(try story.digest(old) == story.digest(story.zone))
    #expect(try old.read { try $0.head(at: seen.sequence) } == seen.head, "it knows where it was")
    let changed = try old.read { try $0.changes(after: seen.sequence, limit: 1_000) }
    #expect(Set(changed.ids) == [story.kept, story.file])
    #expect(
      try old.read { try $0.versions(of: story.kept, limit: 9).map { $0.end?.ending } }
        == [.deleted])
    try old.write("of bob", [8])
    #expect(try old.verify().isEmpty)
    let token = ChangeToken(
      zone: old.id, epoch: seen.epoch, sequence: seen.sequence, head: seen.head)
    #expect(token.standing(against: old.header) { _ in seen.head } == .expired)
  }

  @Test func `after an absence the key of a raised epoch is found without entries, too`() throws {
    let story = try FloorStory()
    let folder = "\(story.world.folder)/away"
    let old = try #require(
      try story.world.open(story.accounts[1], index: folder).zone(story.zone.id))
    try old.pull()
    for _ in 0..<2 {
      try story.zone.changeShare([], rekey: true)
      try story.save(4)
    }
    try story.raise()
    try story.sweep()
    try old.pull()
    #expect(old.header == story.zone.header && old.header.epoch == 3)
    // The account's own record of the keys is from the first epoch.
    let fresh = try #require(try story.world.open(story.accounts[1]).zone(story.zone.id))
    try fresh.pull()
    #expect(fresh.header == story.zone.header)
    #expect(try fresh.files() == story.zone.files())
  }

  @Test func `a person who was removed while away isn't told of a loss in the container`() throws {
    let story = try FloorStory()
    let folder = "\(story.world.folder)/away"
    let old = try #require(
      try story.world.open(story.accounts[1], index: folder).zone(story.zone.id))
    try old.pull()
    try story.ana.access.remove(story.accounts[1].user, from: story.zone)
    try story.save(20)
    try story.raise()
    try story.sweep()
    #expect(try cloudCode { try old.pull() } == .zoneNotFound)
    #expect(old.trouble?.kind == .lostEnd && old.trouble?.mayBeEnded == true)
    // The owner's own device, with the same loss, is told.
    let anas = try story.world.open(story.accounts[0], index: "\(folder)-ana")
    let zone = try #require(try anas.zone(story.zone.id))
    try zone.pull()
    try story.world.store.delete(zone.place(zone.header.sequence))
    for key in try objects(zone, story) {
      try story.world.store.delete(key)
    }
    #expect(try cloudCode { try zone.pull() } == .changeTokenExpired)
  }

  @Test func `a second floor keeps the first one's snapshot, except for common parts`() throws {
    let story = try FloorStory()
    try story.raise()
    try story.sweep()
    let floors = Floors(folder: story.zone.folder, store: story.world.store)
    let (first, parts) = (try objects(story.zone, story), Set(try floors.parts()))
    try story.save(20)
    #expect(try story.raise().floors == 1)
    #expect(try objects(story.zone, story).count == 2)
    let report = try story.sweep()
    #expect(report.deletedEntries.entries > 20)
    #expect(try objects(story.zone, story).count == 1 && objects(story.zone, story) != first)
    let now = Set(try floors.parts())
    #expect(!now.isDisjoint(with: parts), "what didn't change is there once")
    #expect(!parts.isSubset(of: now) && now.count < 8)
    let fresh = try #require(try story.world.open(story.accounts[1]).zone(story.zone.id))
    try fresh.pull()
    #expect(fresh.header == story.zone.header)
    #expect(try story.digest(fresh) == story.digest(story.zone))
  }

  @Test func `a dry run reports what it would delete, and changes nothing`() throws {
    let story = try FloorStory()
    let before = try story.world.keys()
    #expect(
      try story.ana.upkeep.surveyGarbage(at: story.now).entries.entries == 0, "not worth it yet")
    try story.allowFloors()
    let survey = try story.ana.upkeep.surveyGarbage(at: story.now, floorAfter: 10)
    #expect(survey.entries.entries == Int(story.zone.header.sequence) - 1)
    #expect(survey.entries.bytes > 10_000 && survey.floors == 0)
    #expect(try story.world.keys().count == before.count + 1, "the policy's own entry")
    let raised = try story.raise()
    #expect(raised.entries.entries >= survey.entries.entries && raised.rest == 7 * 86_400)
    let later = try story.ana.upkeep.surveyGarbage(at: story.now)
    #expect(later.entries == raised.entries)
    try story.sweep()
    #expect(try story.ana.upkeep.surveyGarbage(at: story.now).entries.entries == 0)
  }

  @Test func `with a policy for ever, entries are deleted below a floor, and no version is`()
    throws
  {
    let story = try FloorStory()
    let before = story.zone.header.sequence
    let times = try (1...before).map { place in
      try #require(try story.zone.read { try $0.stamp(at: place) }).time
    }
    let few = try story.ana.upkeep.collectGarbage(at: story.now)
    #expect(few.floors == 0 && story.zone.header.floor == nil, "it isn't worth it yet")
    #expect(try story.ana.upkeep.collectGarbage(at: story.now, floorAfter: 10).floors == 1)
    let gone = try story.sweep()
    let floor = try #require(story.zone.header.floor)
    #expect(gone.deletedEntries.entries == Int(floor.checkpoint) - 1 && floor.forgotten == 0)
    #expect(story.zone.header.history == nil)

    let fresh = try #require(try story.world.open(story.accounts[1]).zone(story.zone.id))
    try fresh.pull()
    #expect(fresh.header == story.zone.header)
    let versions = try fresh.read { try $0.versions(of: story.file, limit: 100) }
    #expect(versions.count == FloorStory.saves)
    // The owner vouches for the authors there, because nobody signed what this device can see.
    #expect(try versions.allSatisfy { try fresh.read(signed($0)) == nil })
    #expect(try versions.allSatisfy { try story.zone.read(signed($0)) != nil })
    for (back, version) in versions.enumerated() {
      var bytes: [UInt8] = []
      try fresh.readContent(try #require(version.record.content)) { bytes += Array($0) }
      #expect(bytes == FloorStory.text(FloorStory.saves - 1 - back))
    }
    #expect(
      try fresh.read { try $0.versions(of: story.deleted, limit: 9).map { $0.end?.ending } }
        == [.deleted])
    // A point in time means the same positions, as far as something happened to a file.
    for version in versions {
      let time = times[Int(version.began) - 1]
      #expect(try fresh.read { try $0.place(at: time) } == version.began)
      #expect(try story.zone.read { try $0.place(at: time) } == version.began)
    }
    #expect(try fresh.read { try $0.place(at: times[0] - 1) } == 0)
    #expect(try fresh.verify().isEmpty)
  }

  private func signed(_ version: RecordVersion) -> (ZoneView) throws -> Stamp? {
    { try $0.stamp(at: version.began) }
  }

  @Test func `a device that began with a snapshot raises the next floor like any other`() throws {
    let story = try FloorStory()
    try story.raise()
    try story.sweep()
    let other = try FloorStory(continuing: story, try story.world.open(story.accounts[0]))
    let known = story.zone.header.sequence
    for place in 1...known {
      let digest = try story.zone.read { try $0.head(at: place) }
      #expect(try other.zone.read { try $0.head(at: place) } == digest, "at \(place)")
    }
    try other.save(20)
    #expect(try other.ana.upkeep.collectGarbage(at: other.now, floorAfter: 10).floors == 1)
    try other.sweep()
    let fresh = try #require(try story.world.open(story.accounts[1]).zone(story.zone.id))
    try fresh.pull()
    #expect(fresh.header == other.zone.header && fresh.header.floor != story.zone.header.floor)
    // A reader of the whole log finds each place as they know it.
    try story.zone.pull()
    for place in 1...known {
      #expect(
        try fresh.read { try $0.head(at: place) } == story.zone.read { try $0.head(at: place) })
    }
  }

  @Test func `a gc that is cut off at any call is finished by the next`() throws {
    for call in stride(from: 1, to: 200, by: 7) {
      let story = try FloorStory(saves: 12)
      try story.allowFloors()
      let faulty = FaultyStore(story.world.store)
      let ana = try story.world.open(
        story.accounts[0], index: "\(story.world.folder)/faulty", store: faulty)
      _ = try #require(try ana.zone(story.zone.id)).pull()
      faulty.fail(call: call, call.isMultiple(of: 2) ? .before : .after)
      do { _ = try ana.upkeep.collectGarbage(at: story.now, floorAfter: 10) } catch is CloudError {}
      let isOver = !faulty.isSpent
      faulty.heal()
      try story.raise()
      #expect(story.zone.header.floor != nil)
      story.now += 7 * 86_400
      faulty.fail(call: call, .before)
      do { _ = try ana.upkeep.collectGarbage(at: story.now, floorAfter: 1_000) } catch is CloudError
      {}
      faulty.heal()
      try story.sweep()
      let floor = try #require(story.zone.header.floor)
      #expect(try story.places(below: floor.checkpoint).isEmpty, "at call \(call)")
      let fresh = try #require(try story.world.open(story.accounts[1]).zone(story.zone.id))
      try fresh.pull()
      #expect(fresh.header == story.zone.header, "at call \(call)")
      #expect(try fresh.files() == story.zone.files() && fresh.verify().isEmpty)
      if isOver { return }
    }
  }
}

/// A zone of Ana's with many saves of one small file, which Bob reads, and her clock.
final class FloorStory {
  static let saves = 30
  let world: ZoneWorld
  let ana: Container
  let accounts: [Account]
  let zone: Zone
  let bobs: Zone
  var now: Int64
  /// A file that was saved often, with its first content; one that stays; one that was deleted.
  let (file, kept, deleted): (RecordID, RecordID, RecordID)
  let first: Content
  private var count = 0

  static func text(_ number: Int) -> [UInt8] { Array("version \(number) \(number * 7)".utf8) }

  init(saves: Int = saves, _ store: any ObjectStore = MemoryStore()) throws {
    world = try ZoneWorld(store)
    let (anas, bobs, accounts) = try world.shared()
    self.accounts = accounts
    self.bobs = bobs
    ana = try world.open(accounts[0])
    zone = try #require(try ana.zone(anas.id))
    try zone.pull()
    now = WallClock.seconds
    first = try zone.ingest(Self.text(0))
    let change = try Zone.file("often", first)
    try zone.commit([change], expecting: zone.header.sequence)
    file = change.id
    kept = try zone.write("kept", ContentPieces.noise(100_000))
    deleted = try zone.write("deleted", [1, 2, 3])
    try zone.save([RecordChange(id: deleted, act: .delete)])
    count = 1
    try save(saves - 1)
  }

  /// Creates the story of the same zone for another device of Ana's, or one that lost its index.
  init(continuing story: FloorStory, _ container: Container) throws {
    (world, accounts, bobs, now) = (story.world, story.accounts, story.bobs, story.now)
    (file, kept, deleted, first) = (story.file, story.kept, story.deleted, story.first)
    count = 1_000
    ana = container
    zone = try #require(try container.zone(story.zone.id))
    try zone.pull()
  }

  func save(_ times: Int) throws {
    for _ in 0..<times {
      var change = RecordChange(id: file, act: .update)
      change.content = try zone.ingest(Self.text(count))
      count += 1
      try zone.pull()
      try zone.commit([change], expecting: zone.header.sequence)
    }
  }

  /// Lets the owner keep three versions, and lets the grace period end.
  func allowFloors() throws {
    guard zone.header.history == nil else { return }
    try ana.ownership.setHistory(HistoryPolicy(versions: 3), of: zone)
    _ = try ana.upkeep.collectGarbage(at: now, floorAfter: .max)
    now += 8 * 86_400
  }

  @discardableResult
  func raise() throws -> GarbageReport {
    try allowFloors()
    return try ana.upkeep.collectGarbage(at: now, floorAfter: 10)
  }

  /// Lets seven days pass. No other floor pays off by then.
  @discardableResult
  func sweep(_ other: Container? = nil) throws -> GarbageReport {
    let container = other ?? ana
    if other != nil { _ = try container.upkeep.collectGarbage(at: now, floorAfter: .max) }
    now += 7 * 86_400
    return try container.upkeep.collectGarbage(at: now, floorAfter: .max)
  }

  /// Returns the object of an entry, or nil if there is none.
  func standing(_ place: UInt64) throws -> ObjectKey? {
    let key = try zone.place(place)
    return try world.store.get(key) == nil ? nil : key
  }

  func places(below end: UInt64) throws -> [UInt64] {
    try (1..<end).filter { try standing($0) != nil }
  }

  /// Returns the digest of a device's replayed state.
  func digest(_ zone: Zone) throws -> Bytes32 {
    try zone.read { try $0.state.digest(under: zone.header) }
  }
}
