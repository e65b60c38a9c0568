import CairnIndex
import CairnStore
import CairnZone
import Testing

@testable import CairnContainer
@testable import CairnIdentity
@testable import CairnReplica

/// Forged floors, and entries that are put into the room that a floor has made.
struct HostileFloorTests {
  /// Returns a snapshot as it is in the container, and its name.
  private func told(_ story: FloorStory) throws -> (floor: Floors.Told, snapshot: Snapshot) {
    let floors = Floors(folder: story.zone.folder, store: story.world.store)
    let told = try #require(try floors.told(story.zone.keyring()).first)
    return (told, try #require(try floors.read(told)))
  }

  private func fresh(_ story: FloorStory) throws -> Zone {
    try #require(try story.world.open(story.accounts[1]).zone(story.zone.id))
  }

  @Test
  func `a part with a wrong digest is no state, and standing entries are read instead`()
    throws
  {
    let story = try FloorStory()
    try story.raise()
    let floors = Floors(folder: story.zone.folder, store: story.world.store)
    let part = try #require(try floors.parts().first)
    let good = try #require(try story.world.store.get(part))
    try story.world.replace(part) { $0[$0.count - 1] ^= 1 }
    let whole = try fresh(story)
    try whole.pull()
    #expect(whole.header == story.zone.header, "read entry by entry")
    // Nothing is deleted while the snapshot can't be read.
    #expect(try story.sweep().deletedEntries.entries == 0)
    try story.world.replace(part) { $0 = good }
    #expect(try story.sweep().deletedEntries.entries == 0, "the seven days begin anew")
    #expect(try story.sweep().deletedEntries.entries > 0)
    try story.world.store.delete(part)
    let late = try fresh(story)
    _ = try cloudCode { try late.pull() }
    #expect(late.header.sequence == 0, "better nothing than something else")
    // The next gc makes another snapshot from the owner's device.
    #expect(try story.ana.upkeep.collectGarbage(at: story.now, floorAfter: 1).floors == 1)
    try late.pull()
    #expect(late.header == story.zone.header)
  }

  @Test func `a snapshot that the owner didn't sign for is skipped`() throws {
    let story = try FloorStory()
    try story.raise()
    let (floor, snapshot) = try told(story)
    // Bob has the key, may write, and claims that everything is his.
    var header = snapshot.header
    header.sequence += 1
    header.owner = story.accounts[1].user
    let claim = Floor(
      checkpoint: header.sequence,
      digest: StateDigest.digest(header, lists: Array(snapshot.lists.prefix(4))), forgotten: 0,
      past: Snapshot.past(
        versions: snapshot.lists[4], PassedPositions(upTo: header.sequence) { _ in nil }))
    try story.bobs.pull()
    let place = story.bobs.header.sequence + 1
    let commit = Commit(
      previous: story.bobs.header.head, author: story.accounts[1].author, time: 1,
      epoch: floor.key.epoch, share: [.zone(.floor(claim))],
      chain: ChainHead(length: 1, head: IdentityLog.digest(of: story.accounts[1].origin)))
    let entry = try EntryCodec.seal(
      commit, zone: story.zone.id, sequence: place, key: floor.key, account: story.accounts[1])
    #expect(
      try story.world.store.put(story.zone.folder.place(place, floor.key), entry) == .stored)
    let writer = SnapshotWriter(
      folder: story.zone.folder, store: story.world.store, key: floor.key)
    try writer.put(
      Snapshot(
        entry: entry, place: place, header: header, lists: snapshot.lists,
        passed: PassedPositions(upTo: header.sequence) { _ in nil }))
    #expect(try told(story).snapshot.header.sequence == header.sequence, "it is the highest")
    let newcomer = try fresh(story)
    do { try newcomer.pull() } catch is CloudError {}
    #expect(newcomer.header.owner == story.accounts[0].user)
    #expect(newcomer.header.sequence == place - 1 && newcomer.trouble?.kind == .held)
  }

  @Test func `a floor without its entry, or with one of another digest, isn't valid`()
    throws
  {
    let story = try FloorStory()
    try story.raise()
    let (floor, snapshot) = try told(story)
    try story.sweep()
    // The owner's signature is for another state than the shown one.
    var other = snapshot
    other.lists[0] = other.lists[1]
    try story.world.store.delete(floor.object)
    let writer = SnapshotWriter(
      folder: story.zone.folder, store: story.world.store, key: floor.key)
    try writer.put(other)
    let first = try fresh(story)
    _ = try cloudCode { try first.pull() }
    #expect(first.header.sequence == 0)
    try story.world.store.delete(floor.object)
    try writer.put(snapshot)
    let place = try story.zone.place(snapshot.place)
    let entry = try #require(try story.world.store.get(place))
    try story.world.store.delete(place)
    let second = try fresh(story)
    _ = try cloudCode { try second.pull() }
    #expect(second.header.sequence == 0)
    #expect(try story.world.store.put(place, entry) == .stored)
    try second.pull()
    #expect(second.header == story.zone.header)
  }

  /// A folder of floors into which strangers put very many names that sort first.
  private struct CrowdedFloors: StoreAround {
    let inner: any ObjectStore
    let crowd: [ObjectKey]

    init(_ inner: any ObjectStore, _ folder: String) throws {
      self.inner = inner
      crowd = try (0..<100_500).map { number in
        let digits = String(number, radix: 16)
        return try #require(
          ObjectKey("\(folder)/-" + String(repeating: "0", count: 8 - digits.count) + digits))
      }
    }

    func list(
      _ prefix: String, after: ObjectKey?, limit: Int
    ) throws(StoreError) -> [ObjectKey] {
      guard let first = crowd.first, let last = crowd.last, first.description.hasPrefix(prefix),
        after.map({ $0 < last }) ?? true
      else { return try inner.list(prefix, after: after, limit: limit) }
      let start = after.flatMap { Int($0.description.suffix(8), radix: 16) }.map { $0 + 1 } ?? 0
      return Array(crowd[start...].prefix(limit))
    }
  }

  @Test func `a hundred thousand names before it don't hide a floor`() throws {
    let story = try FloorStory()
    try story.raise()
    let folder = story.zone.folder
    let store = try CrowdedFloors(story.world.store, folder.floors)
    let told = try Floors(folder: folder, store: store).told(story.zone.keyring())
    let plain = try Floors(folder: folder, store: story.world.store).told(story.zone.keyring())
    #expect(!plain.isEmpty && told.map(\.object) == plain.map(\.object))
  }

  @Test func `rubbish under the names of a snapshot costs nobody anything`() throws {
    let story = try FloorStory()
    let path = story.zone.folder.path
    for name in ["floors/" + String(repeating: "f", count: 32), "floors/x", "parts/x"] {
      let key = try #require(ObjectKey("\(path)/\(name)"))
      #expect(try story.world.store.put(key, [1, 2, 3]) == .stored)
    }
    try story.raise()
    try story.sweep()
    let (floor, snapshot) = try told(story)
    try story.save(12)
    // A member can compute the names of parts, and put rubbish there first.
    let next = story.zone.header.sequence
    #expect(next > snapshot.place)
    let taken = story.zone.folder.floor(next + 3, floor.key)
    #expect(try story.world.store.put(taken, [4]) == .stored)
    try story.raise()
    let newcomer = try fresh(story)
    try newcomer.pull()
    #expect(newcomer.header == story.zone.header)
  }

  @Test func `an entry that falls below a floor isn't reported as stored`() throws {
    let story = try FloorStory()
    let hooked = HookedStore(story.world.store)
    let late = try #require(
      try story.world.open(story.accounts[1], store: hooked).zone(story.zone.id))
    try late.pull()
    let content = try late.ingest([7, 7])
    let expected = late.header.sequence
    hooked.beforePut("\(story.zone.folder.log)/") {
      try story.save(3)
      try story.raise()
      try story.sweep()
    }
    let change = try Zone.file("late", content)
    #expect(
      try cloudCode { try late.commit([change], expecting: expected) } == .serverRecordChanged)
    #expect(try story.standing(expected + 1) == nil, "it took its entry away again")
    try late.pull()
    #expect(late.header == story.zone.header)
    // Its bytes were in the entry, and are read again.
    #expect(try late.ingest([7, 7]) == content)
    try late.commit([change], expecting: late.header.sequence)
    try story.zone.pull()
    #expect(try story.zone.files()["late"] == [7, 7])
  }

  @Test func `an entry that counted before it was deleted is reported as stored`() throws {
    let story = try FloorStory()
    let hooked = HookedStore(story.world.store)
    let late = try #require(
      try story.world.open(story.accounts[1], store: hooked).zone(story.zone.id))
    try late.pull()
    let change = try Zone.file("late", try late.ingest([7, 7]))
    let expected = late.header.sequence
    hooked.afterPut("\(story.zone.folder.log)/") {
      try story.save(3)
      try story.raise()
      try story.sweep()
    }
    try late.commit([change], expecting: expected)
    try late.pull()
    #expect(late.header == story.zone.header)
    #expect(try late.files()["late"] == [7, 7])
    #expect(try late.read { try $0.summary().files } == 3)
  }

  @Test func `if one entry can't be deleted, none behind it is`() throws {
    let story = try FloorStory()
    try story.raise()
    let hooked = HookedStore(story.world.store)
    let held = try story.zone.place(5)
    hooked.refuse(held)
    let ana = try story.world.open(story.accounts[0], store: hooked)
    _ = try #require(try ana.zone(story.zone.id)).pull()
    let report = try story.sweep(ana)
    #expect(report.refused == [held.description] && report.deletedEntries.entries == 4)
    let floor = try #require(story.zone.header.floor)
    #expect(try story.places(below: floor.checkpoint) == Array(5..<floor.checkpoint))
  }

  @Test func `a container that went back to before a floor is noticed`() throws {
    let story = try FloorStory()
    var old: [ObjectKey: [UInt8]] = [:]
    for key in try story.world.keys() { old[key] = try story.world.store.get(key) }
    try story.save(4)
    try story.raise()
    try story.sweep()
    try story.bobs.pull()
    for key in try story.world.keys() { try story.world.store.delete(key) }
    for (key, bytes) in old { #expect(try story.world.store.put(key, bytes) == .stored) }
    for zone in [story.zone, story.bobs] {
      #expect(throws: CloudError.self) { try zone.pull() }
      let trouble = try #require(zone.trouble)
      #expect(trouble.kind == .lostEnd && trouble.seen == zone.header.sequence)
    }
  }

  @Test func `nobody goes on with another history above a floor`() throws {
    let story = try FloorStory()
    var old: [ObjectKey: [UInt8]] = [:]
    for key in try story.world.keys() { old[key] = try story.world.store.get(key) }
    let away = try #require(
      try story.world.open(story.accounts[1], index: "\(story.world.folder)/away")
        .zone(story.zone.id))
    try story.save(2)
    try away.pull()
    for key in try story.world.keys() { try story.world.store.delete(key) }
    for (key, bytes) in old { #expect(try story.world.store.put(key, bytes) == .stored) }
    // Ana's index is gone, too. She goes on from the older container, and raises a floor there.
    let other = try FloorStory(
      continuing: story, try story.world.open(story.accounts[0]))
    try other.save(6)
    try other.raise()
    try other.sweep()
    #expect(try #require(other.zone.header.floor).checkpoint > away.header.sequence)
    let before = away.header
    #expect(throws: CloudError.self) { try away.pull() }
    #expect(away.header == before && away.trouble != nil)
  }
}
