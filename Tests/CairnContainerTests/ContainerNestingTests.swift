import CairnStore
import CairnZone
import Testing

@testable import CairnContainer
@testable import CairnIdentity
@testable import CairnReplica

/// Records that move to a zone of their own and back.
@Suite struct ContainerNestingTests {
  private static let path = Array("/home/ana/trip".utf8)

  /// Returns a zone with a directory `trip` that contains a file, a directory with a large file,
  /// and a link.
  private static func outer(
    _ container: Container
  ) throws -> (zone: Zone, trip: RecordID, below: Set<RecordID>) {
    let zone = try container.privateDatabase.createZone(named: "home")
    let (trip, deep, link) = (RecordID.random(), RecordID.random(), RecordID.random())
    let small = try Zone.file("small", zone.ingest([1, 2, 3]))
    let large = try Zone.file("large", zone.ingest(ContentPieces.noise(300_000)))
    let other = try Zone.file("other", zone.ingest([9]))
    func place(_ parent: RecordID, _ name: String) throws -> Place {
      Place(parent: parent, name: try #require(FileName(name)))
    }
    var changes = [small, large, other]
    changes[0].place = try place(trip, "small")
    changes[1].place = try place(deep, "large")
    changes += [
      RecordChange(id: trip, act: .create(.directory), place: try place(.root, "trip")),
      RecordChange(id: deep, act: .create(.directory), place: try place(trip, "deep")),
      RecordChange(
        id: link, act: .create(.symlink), place: try place(trip, "link"), target: [65]),
    ]
    try zone.commit(changes, expecting: zone.header.sequence)
    return (zone, trip, [deep, link, small.id, large.id])
  }

  private static func ids(_ zone: Zone) throws -> Set<RecordID> {
    try zone.read { Set(try $0.state.records.descendants(of: .root).map(\.id)) }
  }

  private static func bytes(_ zone: Zone, _ id: RecordID) throws -> [UInt8] {
    let content = try #require(try zone.read { try $0.record(id)?.content })
    var bytes: [UInt8] = []
    try zone.readContent(content) { bytes += Array($0) }
    return bytes
  }

  @Test func `a directory moves to a zone of its own and back without writing a pack`() throws {
    let world = try ZoneWorld()
    let (ana, bob) = (try world.account("ana"), try world.account("bob"))
    let container = try world.open(ana)
    let (outer, trip, below) = try Self.outer(container)
    let before = try outer.read { view in try below.map { try view.record($0)?.content } }
    let packs = try world.keys("users/\(ana.user)/packs/")
    let all = try Self.ids(outer)

    let nesting = try container.nestings.nest(trip, of: outer, title: "Trip", path: Self.path)
    let inner = try #require(try container.zone(nesting.part.zone))
    #expect(try Self.ids(inner) == below)
    #expect(try Self.ids(outer) == all.subtracting(below + [trip]).union([nesting.reference]))
    #expect(try inner.names() == ["small", "deep", "link"])
    #expect(inner.header.share?.title == "Trip")
    #expect(try world.keys("users/\(ana.user)/packs/") == packs)
    #expect(try container.nestings.nesting(of: nesting.part) == nesting)
    #expect(try container.mounts().map(\.path) == [Self.path])
    // Others read it like any share, and nothing else.
    _ = try container.sharing.invite(bob.user, to: inner, permission: .readWrite)
    let bobs = try world.open(bob).participation.accept(inner.id)
    for id in below where try inner.read({ try $0.record(id)?.type }) == .file {
      #expect(try Self.bytes(bobs, id) == Self.bytes(inner, id))
    }
    let new = try bobs.write("of bob", ContentPieces.noise(200_000))
    // A record in the zone can't be shared again, and neither can a directory around it.
    for id in [RecordID.root, nesting.reference] {
      #expect(throws: CloudError.self) {
        _ = try container.nestings.nest(id, of: outer, title: "again", path: Self.path)
      }
    }
    #expect(throws: CloudError.self) { _ = try container.sharing.share(outer, title: "around") }

    let later = try world.keys("users/\(ana.user)/packs/")
    try container.returning.bringBack([nesting])
    try container.returning.bringBack([nesting])
    #expect(try Self.ids(outer) == all.union([new]))
    #expect(try outer.read { view in try below.map { try view.record($0)?.content } } == before)
    #expect(try Self.bytes(outer, new) == ContentPieces.noise(200_000))
    #expect(try world.keys("users/\(ana.user)/packs/") == later)
    _ = try inner.changeShare([.stop])
    #expect(inner.hadReaders)
    try container.returning.drop([nesting], hadReaders: true)
    // Bob has to learn about the end. His changes stay in the history.
    try bobs.pull()
    #expect(bobs.header.share == nil)
    try container.returning.collectEndedZones(now: WallClock.now + Returning.endedZoneLife * 2)
    #expect(try !world.keys(inner.folder.path).isEmpty)
    #expect(try container.formers.ended() == [inner.id])
    #expect(try container.nestings.all().isEmpty && container.mounts().isEmpty)
    // It is shared again at once.
    let again = try container.nestings.nest(trip, of: outer, title: "Trip", path: Self.path)
    #expect(again.part != nesting.part)
    let copy = try world.open(ana)
    #expect(try Self.ids(try #require(try copy.zone(again.part.zone))).isEmpty)
    try #require(try copy.zone(again.part.zone)).pull()
    #expect(try Self.ids(try #require(try copy.zone(again.part.zone))) == below.union([new]))
  }

  @Test func `a participant who learns late that a share ended can still leave it`()
    throws
  {
    let world = try ZoneWorld()
    let (ana, bob) = (try world.account("ana"), try world.account("bob"))
    let container = try world.open(ana)
    let (outer, trip, _) = try Self.outer(container)
    let nesting = try container.nestings.nest(trip, of: outer, title: "Trip", path: Self.path)
    let inner = try #require(try container.zone(nesting.part.zone))
    _ = try container.sharing.invite(bob.user, to: inner, permission: .readWrite)
    let bobs = try world.open(bob)
    let accepted = try bobs.participation.accept(inner.id)
    // A lost end counts as an end as long as anything of the zone is left.
    let last = try inner.place(accepted.header.sequence)
    let entry = try #require(try world.store.get(last))
    try world.store.delete(last)
    #expect(throws: CloudError.self) { try bobs.participation.leave(accepted) }
    #expect(accepted.trouble?.kind == .lostEnd && accepted.trouble?.mayBeEnded == false)
    _ = try world.store.put(last, entry)

    try container.returning.bringBack([nesting])
    _ = try inner.changeShare([.stop])
    try container.returning.drop([nesting], hadReaders: true)
    try container.returning.collectEndedZones(now: WallClock.now + Returning.endedZoneLife * 2)
    let error = #expect(throws: CloudError.self) { try accepted.pull() }
    #expect(error?.code == .zoneNotFound)
    #expect(accepted.trouble?.mayBeEnded == true && !bobs.upkeep.troubles.isRestored)
    try bobs.participation.leave(accepted)
    try bobs.participation.forgetEverything(of: accepted)
    #expect(try bobs.zone(inner.id) == nil && bobs.upkeep.troubles.isEmpty)
    #expect(try world.keys(inner.folder.path).isEmpty)
  }

  @Test func `one file moves to a zone of its own, and others' additions come along`() throws {
    let world = try ZoneWorld()
    let container = try world.open(try world.account("ana"))
    let zone = try container.privateDatabase.createZone(named: "home")
    let file = try zone.write("report", [1, 2])
    try zone.write("other", [3])
    let nesting = try container.nestings.nest(file, of: zone, title: "report", path: Self.path)
    let inner = try #require(try container.zone(nesting.part.zone))
    #expect(nesting.isFile && nesting.part.base == file)
    #expect(try inner.files() == ["report": [1, 2]])
    #expect(try zone.names() == ["report", "other"])
    try inner.write("other", [4])
    try container.returning.bringBack([nesting])
    #expect(try zone.files() == ["report": [1, 2], "other": [3], "other 2": [4]])
  }

  @Test func `commits in between are in the new zone`() throws {
    let world = try ZoneWorld()
    let ana = try world.account("ana")
    let container = try world.open(ana)
    let (outer, trip, _) = try Self.outer(container)
    let second = try world.open(ana)
    let elsewhere = try #require(try second.zone(outer.id))
    try elsewhere.pull()
    var change = try Zone.file("late", elsewhere.ingest([5]))
    change.place = Place(parent: trip, name: try #require(FileName("late")))
    try elsewhere.save([change])
    let nesting = try container.nestings.nest(trip, of: outer, title: "Trip", path: Self.path)
    let inner = try #require(try container.zone(nesting.part.zone))
    #expect(try Self.bytes(inner, change.id) == [5])
    #expect(try outer.read { try $0.record(change.id) } == nil)
  }

  @Test(arguments: [FaultyStore.Fault.before, .after])
  func `after a failure of any call each record is in exactly one zone`(
    fault: FaultyStore.Fault
  ) throws {
    let world = try ZoneWorld()
    var call = 0
    var isOver = false
    while !isOver {
      call += 1
      try #require(call < 200)
      let ana = try world.account("ana\(call)")
      let faulty = FaultyStore(world.store)
      let container = try world.open(ana, store: faulty)
      let (outer, trip, below) = try Self.outer(container)
      faulty.fail(call: call, fault, putsOnly: fault == .after)
      var nesting: Nesting?
      do {
        nesting = try container.nestings.nest(trip, of: outer, title: "Trip", path: Self.path)
      } catch is CloudError {
      } catch is StoreError {}
      isOver = !faulty.isSpent
      faulty.heal()
      // The next start, perhaps with an empty index.
      let next = try world.open(ana)
      for zone in try next.privateDatabase.zones() { try zone.pull() }
      try next.returning.dropUnlinkedZones()
      let outerIDs = try Self.ids(try #require(try next.zone(outer.id)))
      let nestings = try next.nestings.all()
      if let found = nestings.first {
        #expect(nesting == nil || nesting == found)
        #expect(outerIDs.isDisjoint(with: below) && outerIDs.contains(found.reference))
        #expect(try Self.ids(try #require(try next.zone(found.part.zone))) == below)
      } else {
        #expect(nesting == nil, "call \(call)")
        #expect(outerIDs.isSuperset(of: below), "call \(call)")
        #expect(try next.privateDatabase.zones().count == 1)
      }
    }
    #expect(call > 3)
  }
}
