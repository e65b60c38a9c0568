import CairnIndex
import CairnStore
import CairnZone
import Synchronization
import Testing

@testable import CairnContainer
@testable import CairnIdentity
@testable import CairnReplica

/// Unreferenced packs: their choice, their deletion, and people who are using them meanwhile.
@Suite struct GarbageTests {
  private static let now: Int64 = 1_700_000_000

  /// Puts a pack that no entry names.
  @discardableResult
  private static func orphan(
    _ world: ZoneWorld, of user: UserID, _ generation: UInt32 = 0
  ) throws -> ObjectKey {
    let key = PackStamp.random(generation: generation).key(owner: user)
    #expect(try world.store.put(key, ContentPieces.noise(4_096)) == .stored)
    return key
  }

  private static func noise(_ seed: UInt8, _ count: Int = 200_000) -> [UInt8] {
    ContentPieces.noise(count).map { $0 ^ seed }
  }

  @Test func `a pack's key says which pack it is`() throws {
    let account = try Sample.account("ana").account
    let stamp = PackStamp.random(generation: 0x0102_0304)
    let key = stamp.key(owner: account.user)
    #expect(PackStamp(key: key, owner: account.user) == stamp)
    let text = key.description
    let others = [
      text + "a", text.replacing("/packs/", with: "/inbox/"), text.replacing("01020304", with: "1"),
      String(text.dropLast()), "users/x/packs/01020304/00/\(text.suffix(32))",
    ]
    for other in others {
      let key = try #require(ObjectKey(other))
      #expect(PackStamp(key: key, owner: account.user) == nil)
    }
  }

  @Test func `an object that holds the log of another's share keeps nobody from tidying`() throws {
    let world = try ZoneWorld()
    let (_, bobs, accounts) = try world.shared()
    let bob = try world.open(accounts[1])
    let orphan = try Self.orphan(world, of: accounts[1].user)
    _ = try bob.privateDatabase.createZone(named: "own")
    try bobs.pull()
    let held = try bobs.place(bobs.header.sequence + 1)
    _ = try world.store.put(held, ContentPieces.noise(20))
    let week = Self.now + Upkeep.garbageLife
    for clock in [Self.now, week] { _ = try bob.upkeep.collectGarbage(at: clock) }
    #expect(try world.store.get(orphan) == nil)
    let ana = try world.open(accounts[0])
    #expect(
      try cloudCode { _ = try ana.upkeep.collectGarbage(at: Self.now) } == .zoneBusy, "it is hers")
  }

  @Test func `impossible sizes are counted, and end nothing`() throws {
    let world = try ZoneWorld()
    let (_, _, accounts) = try world.shared()
    for _ in 0..<3 { try Self.orphan(world, of: accounts[0].user) }
    let ana = try world.open(accounts[0], store: EndlessStore(world.store))
    #expect(try ana.upkeep.surveyGarbage().unnamed.bytes == .max)
    #expect(try ana.upkeep.storedBytes() == .max)
  }

  @Test func `only an unreferenced pack is deleted, seven days after it was closed`() throws {
    let world = try ZoneWorld()
    let (anas, bobs, accounts) = try world.shared()
    let ana = try world.open(accounts[0])
    let zone = try #require(try ana.zone(anas.id))
    try bobs.write("kept", Self.noise(1))
    let orphan = try Self.orphan(world, of: accounts[0].user)
    let before = try world.keys()

    let survey = try ana.upkeep.surveyGarbage()
    #expect(survey.all.packs == 2 && survey.unnamed.packs == 1 && survey.unnamed.bytes == 4_096)
    #expect(try world.keys() == before, "looking changes nothing")
    #expect(zone.header.generation == 0)

    let first = try ana.upkeep.collectGarbage(at: Self.now)
    #expect(first.closed == 1 && first.deleted.packs == 0 && first.waiting.packs == 1)
    #expect(first.rest == Upkeep.garbageLife)
    #expect(zone.header.generation == 2, "the public zone's is passed over")
    let again = try ana.upkeep.collectGarbage(at: Self.now + Upkeep.garbageLife - 1)
    #expect(again.closed == 0 && again.deleted.packs == 0 && again.rest == 1)
    let last = try ana.upkeep.collectGarbage(at: Self.now + Upkeep.garbageLife)
    #expect(last.deleted.packs == 1 && last.waiting.packs == 0)
    #expect(try world.store.get(orphan) == nil)
    #expect(try ana.upkeep.surveyGarbage().unnamed.packs == 0)

    // Everybody continues, and a later reader reads everything.
    try bobs.pull()
    try bobs.write("later", Self.noise(2))
    let fresh = try #require(try world.open(accounts[1]).zone(zone.id))
    try fresh.pull()
    #expect(try fresh.files() == ["kept": Self.noise(1), "later": Self.noise(2)])
    #expect(try fresh.verify().isEmpty)
  }

  @Test func `without garbage nothing is written`() throws {
    let world = try ZoneWorld()
    let (anas, _, accounts) = try world.shared()
    try anas.write("kept", Self.noise(1))
    let ana = try world.open(accounts[0])
    let before = try world.keys()
    let report = try ana.upkeep.collectGarbage(at: Self.now)
    #expect(report.closed == 0 && report.all.packs == 1 && report.unnamed.packs == 0)
    #expect(try world.keys() == before)
  }

  @Test func `a writer whose pack was closed on its way stores the bytes again`() throws {
    let world = try ZoneWorld()
    let (anas, bobs, accounts) = try world.shared()
    let ana = try world.open(accounts[0])
    let zone = try #require(try ana.zone(anas.id))
    let content = try bobs.ingest(Self.noise(3))
    #expect(try ana.upkeep.collectGarbage(at: Self.now).waiting.packs == 1)

    let change = try Zone.file("late", content)
    let before = bobs.header.sequence
    #expect(try cloudCode { try bobs.commit([change], expecting: before) } == .serverRecordChanged)
    try bobs.pull()
    #expect(
      try cloudCode { try bobs.commit([change], expecting: bobs.header.sequence) }
        == .referenceViolation)
    #expect(try bobs.read { try !$0.hasChunks(of: content) }, "so its reader reads it again")
    #expect(try bobs.ingest(Self.noise(3)) == content)
    try bobs.commit([change], expecting: bobs.header.sequence)

    #expect(try ana.upkeep.collectGarbage(at: Self.now + Upkeep.garbageLife).deleted.packs == 1)
    #expect(try zone.files() == ["late": Self.noise(3)])
  }

  @Test func `nothing is deleted while one zone can't be read, or hasn't closed the pack`() throws {
    let world = try ZoneWorld()
    let (_, _, accounts) = try world.shared()
    let ana = try world.open(accounts[0])
    let other = try ana.privateDatabase.createZone(named: "other")
    try other.write("one", Self.noise(4))
    let orphan = try Self.orphan(world, of: accounts[0].user)
    _ = try ana.upkeep.collectGarbage(at: Self.now)
    let place = try other.place(other.header.sequence)
    let entry = try #require(try world.store.get(place))
    try world.store.delete(place)
    let late = Self.now + Upkeep.garbageLife
    #expect(throws: CloudError.self) { _ = try ana.upkeep.collectGarbage(at: late) }
    #expect(try world.store.get(orphan) != nil)
    #expect(try world.store.put(place, entry) == .stored)
    // A zone that is behind may still name packs that all others have closed.
    let third = try ana.privateDatabase.createZone(named: "third")
    #expect(third.header.generation == 0 && other.header.generation == 2)
    #expect(try ana.upkeep.surveyGarbage().unnamed.packs == 1)
    let report = try ana.upkeep.collectGarbage(at: late)
    #expect(third.header.generation > 0 && report.closed > 0)
  }

  @Test(arguments: [false, true])
  func `a transferred folder keeps the packs of its former owner`(bySuccessor: Bool) throws {
    let world = try ZoneWorld()
    let (anas, bobs, accounts) = try world.shared()
    let ana = try world.open(accounts[0])
    let zone = try #require(try ana.zone(anas.id))
    try zone.pull()
    try zone.write("of ana", Self.noise(5))
    let orphan = try Self.orphan(world, of: accounts[0].user)
    let user = accounts[1].user
    if bySuccessor {
      try ana.ownership.decide(Succession(people: [user]), for: zone)
      try bobs.changeShare([.zone(.confirm(user))])
    } else {
      try ana.ownership.offer(zone, to: user)
    }
    try bobs.changeShare([.takeOver])
    try zone.pull()
    let moved = try ana.ownership.replace(zone)
    _ = try ana.upkeep.collectGarbage(at: Self.now)
    let report = try ana.upkeep.collectGarbage(at: Self.now + 2 * Upkeep.garbageLife)
    #expect(report.deleted.packs == 0, "the new owner's zone may still name it")
    #expect(moved.header.generation == 0)

    // He closes it. Then it is deleted, and the packs that the folder needs stay.
    let bob = try world.open(accounts[1])
    try Self.orphan(world, of: accounts[1].user)
    #expect(
      try bob.upkeep.collectGarbage(at: Self.now).closed == 1, "also before it is among his own")
    let his = try bob.ownership.replace(try #require(try bob.zone(bobs.id)))
    _ = try ana.upkeep.collectGarbage(at: Self.now + 2 * Upkeep.garbageLife)
    let last = try ana.upkeep.collectGarbage(at: Self.now + 3 * Upkeep.garbageLife)
    #expect(last.deleted.packs == 1)
    #expect(try world.store.get(orphan) == nil)
    #expect(try his.files() == ["of ana": Self.noise(5)])
  }

  @Test func `content on its way into the public zone isn't garbage`() throws {
    let world = try ZoneWorld()
    let ana = try world.open(try world.account("ana"))
    _ = try ana.privateDatabase.createZone(named: "own")
    let zone = try ana.publicZones.founded()
    let content = try zone.ingest(Self.noise(6))
    try Self.orphan(world, of: ana.account.user)
    for time in [0, 1, 2] as [Int64] {
      _ = try ana.upkeep.collectGarbage(at: Self.now + time * Upkeep.garbageLife)
    }
    #expect(try ana.upkeep.surveyGarbage().unnamed.packs == 1)
    try zone.commit([Zone.file("for all", content)], expecting: zone.header.sequence)
    #expect(try zone.files() == ["for all": Self.noise(6)])
  }

  @Test func `a folder moves to a zone of its own and back after packs were closed`() throws {
    let world = try ZoneWorld()
    let ana = try world.open(try world.account("ana"))
    let outer = try ana.privateDatabase.createZone(named: "home")
    let trip = RecordChange(
      id: .random(), act: .create(.directory),
      place: Place(parent: .root, name: try #require(FileName("trip"))))
    var file = try Zone.file("large", outer.ingest(Self.noise(7)))
    file.place?.parent = trip.id
    try outer.commit([trip, file], expecting: outer.header.sequence)
    try Self.orphan(world, of: ana.account.user)
    _ = try ana.upkeep.collectGarbage(at: Self.now)
    let packs = try ana.upkeep.surveyGarbage().all
    let nesting = try ana.nestings.nest(
      trip.id, of: outer, title: "Trip", path: Array("/trip".utf8))
    let inner = try #require(try ana.zone(nesting.part.zone))
    #expect(inner.header.generation == outer.header.generation)
    #expect(try ana.upkeep.surveyGarbage().all == packs, "nothing is stored again")
    #expect(try inner.files() == ["large": Self.noise(7)])

    // Only the inner zone has the pack now. On its way back the pack is closed to the outer zone.
    try Self.orphan(world, of: ana.account.user, 2)
    #expect(try ana.upkeep.collectGarbage(at: Self.now).closed == 2)
    try outer.exclusively {
      _ = try PackClosing($0).retire(to: 9) { _ in Retirement(generation: 9, kept: []) }
    }
    try ana.returning.bringBack([nesting])
    #expect(try outer.read { try $0.record(file.id) }?.content == file.content)
    var bytes: [UInt8] = []
    try outer.readContent(try #require(file.content)) { bytes += Array($0) }
    #expect(bytes == Self.noise(7))
  }

  @Test func `content of unkept versions is deleted, and content of kept ones stays`() throws {
    let world = try ZoneWorld()
    let (anas, bobs, accounts) = try world.shared()
    let ana = try world.open(accounts[0])
    let zone = try #require(try ana.zone(anas.id))
    // Each in a pack of its own: three versions of one file, a file that goes, one that stays.
    let contents = try (10..<15 as Range<UInt8>).map { try zone.ingest(Self.noise($0)) }
    let file = try Zone.file("edited", contents[0])
    let gone = try Zone.file("gone", contents[3])
    try zone.save([file, gone, Zone.file("stays", contents[4])])
    for content in contents[1...2] {
      try zone.save([RecordChange(id: file.id, act: .update, content: content)])
    }
    try zone.save([RecordChange(id: gone.id, act: .delete)])
    let place = Place(parent: .root, name: try #require(FileName("renamed")))
    try zone.save([RecordChange(id: file.id, act: .update, place: place)])
    func unneeded(_ policy: HistoryPolicy?, _ days: Int64) throws -> Int {
      try zone.index.read { db in
        let state = try IndexedZone(reading: db, zone: zone.id)
        let now = try state.ages.known(at: WallClock.seconds).now + days * 86_400
        let seen = [(sequence: zone.header.sequence, time: now - days * 86_400)]
        let retention = Retention(
          changes: [(sequence: 0, policy: policy)], ages: PlaceAges(seen: seen, now: now))
        return try 5 - state.chunkUse.packsNeeded(below: .max, retention).count
      }
    }
    #expect(try unneeded(nil, 1_000) == 0)
    #expect(try unneeded(HistoryPolicy(all: 100 * 86_400), 99) == 0)
    #expect(try unneeded(HistoryPolicy(all: 100 * 86_400), 101) == 3)
    #expect(try unneeded(HistoryPolicy(versions: 1), 1_000) == 1)
    #expect(try unneeded(HistoryPolicy(versions: 2), 1_000) == 0)

    try ana.ownership.setHistory(HistoryPolicy(versions: 1), of: zone)
    let now = WallClock.seconds
    #expect(try ana.upkeep.collectGarbage(at: now + 6 * 86_400).unneeded.packs == 0, "too soon")
    let first = try ana.upkeep.collectGarbage(at: now + 8 * 86_400)
    #expect(first.unneeded.packs == 1 && first.closed == 1 && first.waiting.packs == 1)
    let last = try ana.upkeep.collectGarbage(at: now + 15 * 86_400)
    #expect(last.deleted.packs == 1 && last.all.packs == 5)
    for content in contents[1...] { try zone.readContent(content) { _ in } }
    #expect(throws: ContentError.self) { try zone.readContent(contents[0]) { _ in } }
    // Nobody misses it: not earlier readers, not later readers, and not people with the same bytes.
    try bobs.pull()
    let fresh = try #require(try world.open(accounts[1]).zone(zone.id))
    try fresh.pull()
    let files = ["renamed": Self.noise(12), "stays": Self.noise(14)]
    #expect(try bobs.files() == files && fresh.files() == files)
    #expect(try zone.verify().isEmpty && fresh.verify().isEmpty)
    try fresh.write("again", Self.noise(10))
    try zone.pull()
    #expect(try zone.files()["again"] == Self.noise(10))
  }

  @Test func `the needed chunks of a mostly dead pack are repacked`() throws {
    let world = try ZoneWorld()
    let (anas, bobs, accounts) = try world.shared()
    let ana = try world.open(accounts[0])
    let zone = try #require(try ana.zone(anas.id))
    func pack(_ seeds: Range<UInt8>) throws -> [RecordChange] {
      var changes: [RecordChange] = []
      try zone.ingestAll { ingest in
        for seed in seeds {
          changes.append(try Zone.file("\(seed)", Zone.read(Self.noise(seed), with: ingest)))
        }
      }
      try zone.save(changes)
      return changes
    }
    let (half, most) = (try pack(20..<24), try pack(30..<34))
    let gone = half.prefix(3) + most.prefix(1)
    try ana.ownership.setHistory(HistoryPolicy(versions: 0), of: zone)
    try zone.save(gone.map { RecordChange(id: $0.id, act: .delete) })
    try bobs.pull()
    let now = WallClock.seconds
    #expect(
      try ana.upkeep.collectGarbage(at: now).repacked.packs == 0, "what was kept is kept a while")

    let report = try ana.upkeep.collectGarbage(at: now + 8 * 86_400)
    #expect(try ana.upkeep.surveyGarbage().repacked.packs == 0, "nothing more")
    #expect(report.repacked.packs == 1 && report.waiting.packs == 1 && report.all.packs == 3)
    let files = try zone.files()
    #expect(Set(files.keys) == ["23", "31", "32", "33"])
    // A reader who doesn't know the new pack yet reads from the old one.
    #expect(try bobs.files() == files)
    #expect(try ana.upkeep.collectGarbage(at: now + 15 * 86_400).deleted.packs == 1)
    #expect(
      try ana.upkeep.collectGarbage(at: now + 16 * 86_400).repacked.packs == 0, "it is dense now")
    try bobs.pull()
    let fresh = try #require(try world.open(accounts[1]).zone(zone.id))
    try fresh.pull()
    #expect(try bobs.files() == files && zone.files() == files && fresh.files() == files)
    #expect(try zone.verify().isEmpty && fresh.verify().isEmpty)
  }

  @Test func `the owner of a generation's packs makes its folders, and deletes them`()
    throws
  {
    let folder = try TemporaryContainer()
    let world = try ZoneWorld(DirectoryStore(root: folder.path))
    let (_, _, accounts) = try world.shared()
    let ana = try world.open(accounts[0])
    let packs = "users/\(accounts[0].user)/packs/"
    try Self.orphan(world, of: accounts[0].user)
    #expect(try world.store.folders(in: packs) == ["00000000"])
    _ = try ana.upkeep.collectGarbage(at: Self.now)
    #expect(try world.store.folders(in: packs) == ["00000000", "00000002", "00000003"])
    #expect(try world.store.folders(in: packs + "00000002/").count == 256)
    let report = try ana.upkeep.collectGarbage(at: Self.now + Upkeep.garbageLife)
    #expect(report.deleted.packs == 1)
    #expect(try world.store.folders(in: packs) == ["00000002", "00000003"])
  }

  @Test func `strangers' entries in the place of folders of packs are taken away`() throws {
    let folder = try TemporaryContainer()
    let world = try ZoneWorld(DirectoryStore(root: folder.path))
    let (_, _, accounts) = try world.shared()
    let ana = try world.open(accounts[0])
    let packs = "users/\(accounts[0].user)/packs"
    #expect(try ana.upkeep.blockedFolders() == [])
    func place(_ name: String) throws -> ObjectKey { try #require(ObjectKey("\(packs)/\(name)")) }
    // Those of the first packs, of the next generation, and of the one after it.
    for name in ["00000000", "00000002", "00000003"] {
      try world.store.prune("\(packs)/\(name)")
      #expect(try world.store.put(place(name), [1]) == .stored)
    }
    let blocked = try ana.upkeep.blockedFolders()
    #expect(blocked.map(\.path).contains("\(packs)/00000000"), "\(blocked)")
    for folder in blocked { #expect(try ana.upkeep.takeBack(folder)) }
    #expect(try ana.upkeep.blockedFolders() == [])
    try Self.orphan(world, of: accounts[0].user)
    _ = try ana.upkeep.collectGarbage(at: Self.now)
    #expect(
      try world.store.folders(in: packs + "/") == ["00000000", "00000002", "00000003"])
  }

  @Test func `an object that can't be deleted is named, and the rest is deleted`() throws {
    let world = try ZoneWorld()
    let account = try world.account("ana")
    let store = DenyingStore(world.store)
    let ana = try world.open(account, store: store)
    _ = try ana.privateDatabase.createZone(named: "own")
    let keys = try [Self.orphan(world, of: account.user), Self.orphan(world, of: account.user)]
      .sorted()
    store.denied = keys[0]
    _ = try ana.upkeep.collectGarbage(at: Self.now)
    let report = try ana.upkeep.collectGarbage(at: Self.now + Upkeep.garbageLife)
    #expect(report.refused == [keys[0].description] && report.deleted.packs == 1)
    #expect(try world.store.get(keys[1]) == nil)
  }

  @Test func `an interruption at any call loses nothing, and the next run goes on`() throws {
    var call = 1
    var isDone = false
    while !isDone {
      for fault in [FaultyStore.Fault.before, .after] {
        let world = try ZoneWorld()
        let account = try world.account("ana")
        let store = FaultyStore(world.store)
        let ana = try world.open(account, store: store)
        let zones = try ["a", "b"].map { try ana.privateDatabase.createZone(named: $0) }
        for zone in zones { try zone.write("kept", Self.noise(8, 70_000)) }
        let orphan = try Self.orphan(world, of: account.user)
        store.fail(call: call, fault)
        for time in [0, 1] as [Int64] where !store.isSpent {
          do {
            _ = try ana.upkeep.collectGarbage(at: Self.now + time * Upkeep.garbageLife)
          } catch is CloudError {}
        }
        isDone = !store.isSpent
        store.heal()
        for time in [1, 2, 3] as [Int64] {
          _ = try ana.upkeep.collectGarbage(at: Self.now + time * Upkeep.garbageLife)
        }
        #expect(try world.store.get(orphan) == nil, "call \(call)")
        for zone in zones {
          #expect(try zone.files() == ["kept": Self.noise(8, 70_000)], "call \(call)")
          #expect(try zone.verify().isEmpty)
        }
      }
      call += 1
    }
    #expect(call > 20)
  }
}

/// A store with one object that can't be deleted.
private final class DenyingStore: StoreAround {
  let inner: any ObjectStore
  private let key = Mutex<ObjectKey?>(nil)
  var denied: ObjectKey? {
    get { key.withLock { $0 } }
    set { key.withLock { $0 = newValue } }
  }

  init(_ inner: any ObjectStore) { self.inner = inner }

  func delete(_ key: ObjectKey) throws(StoreError) {
    guard key != denied else { throw StoreError(code: .denied, cause: "It is somebody else's.") }
    try inner.delete(key)
  }
}

/// A store whose packs report the largest possible size.
private final class EndlessStore: StoreAround {
  let inner: any ObjectStore

  init(_ inner: any ObjectStore) { self.inner = inner }

  func size(of key: ObjectKey) throws(StoreError) -> Int? {
    let size = try inner.size(of: key)
    return size != nil && key.description.contains("/packs/") ? .max : size
  }
}
