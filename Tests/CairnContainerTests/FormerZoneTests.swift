import CairnStore
import CairnZone
import Testing

@testable import CairnContainer
@testable import CairnIdentity
@testable import CairnReplica

/// Records that move to another zone keep their history for the people who had it.
@Suite struct FormerZoneTests {
  private static let path = Array("/home/ana/one".utf8)

  /// A private zone of Ana's with a file of two versions, a deleted one, and a typed record.
  private struct Source {
    let zone: Zone
    let file: RecordID
    let gone: RecordID
    let typed: RecordID
    let first = ContentPieces.noise(200_000)
    var asset: [UInt8] { first }

    init(_ container: Container) throws {
      let zone = try container.privateDatabase.createZone(named: "one")
      let file = try zone.write("file", ContentPieces.noise(200_000))
      (self.zone, self.file) = (zone, file)
      gone = try zone.write("gone", [7])
      typed = .random()
      let stored = try zone.read { try $0.record(file)?.content }
      let content = try #require(stored)
      try zone.commit(
        [
          RecordChange(
            id: typed, act: .create(.typed("note")),
            fields: ["text": .text("hello"), "asset": .asset(content)])
        ], expecting: zone.header.sequence)
      try change([2, 2])
      try zone.commit(
        [RecordChange(id: gone, act: .delete)], expecting: zone.header.sequence)
    }

    func change(_ bytes: [UInt8]) throws {
      try zone.commit(
        [RecordChange(id: file, act: .update, content: try zone.ingest(bytes))],
        expecting: zone.header.sequence)
    }
  }

  /// Makes a directory in a zone. A folder that mirrored another zone moves into it.
  private static func directory(_ zone: Zone, _ name: String) throws -> RecordID {
    let change = RecordChange(
      id: .random(), act: .create(.directory),
      place: Place(parent: .root, name: try #require(FileName(name))))
    try zone.save([change])
    return change.id
  }

  private static func move(
    _ source: Zone, into directory: RecordID, of target: Zone, _ container: Container
  ) throws {
    try container.merging.copy(source, into: directory, of: target)
    try container.formers.replace(
      source, by: container.mountEntry(ZonePart(target.id, base: directory), path: path),
      of: target)
  }

  private static func versions(_ id: RecordID, _ zone: Zone, _ container: Container) throws
    -> [[UInt8]]
  {
    let past = try container.formers.past(of: zone)
    let contents = try past.read { view in
      try view.versions(of: id, limit: 100).compactMap(\.record.content)
    }
    return try contents.map { content in
      var bytes: [UInt8] = []
      try past.readContent(content) { bytes += Array($0) }
      return bytes
    }
  }

  @Test func `a whole zone moves with typed records, and its readers keep its versions`()
    throws
  {
    let world = try ZoneWorld()
    let (ana, bob) = (try world.account("ana"), try world.account("bob"))
    let container = try world.open(ana)
    let source = try Source(container)
    try container.addMount(source.zone.id, path: Self.path)
    let packs = try world.keys("users/\(ana.user)/packs/")
    let shared = try container.privateDatabase.createZone(named: "both")
    _ = try container.sharing.share(shared, title: "Both")
    _ = try container.sharing.invite(bob.user, to: shared, permission: .readWrite)
    let bobs = try world.open(bob)
    let accepted = try bobs.participation.accept(shared.id)
    let directory = try Self.directory(shared, "one")
    try Self.move(source.zone, into: directory, of: shared, container)

    #expect(try world.keys("users/\(ana.user)/packs/") == packs)
    #expect(try container.formers.ended() == [source.zone.id])
    #expect(try container.zoneIDs() == [shared.id])
    #expect(try container.mounts().map(\.zone) == [shared.id])
    let note = try #require(try shared.read { try $0.record(source.typed) })
    #expect(note.type == .typed("note") && note.fields["text"] == .text("hello"))
    let content = try #require(note.contents.first)
    try accepted.pull()
    var read: [UInt8] = []
    try accepted.readContent(content) { read += Array($0) }
    #expect(read == source.asset)

    #expect(try Self.versions(source.file, shared, container) == [[2, 2], source.first])
    #expect(try Self.versions(source.file, accepted, bobs) == [[2, 2]])
    #expect(try Self.versions(source.gone, shared, container) == [[7]])
    #expect(try Self.versions(source.gone, accepted, bobs).isEmpty)
    let name = try #require(FileName("gone"))
    let place = Place(parent: directory, name: name)
    let past = try container.formers.past(of: shared)
    try past.read { view in
      let last = try #require(try view.lastVersion(thatLeft: place))
      #expect(last.record.id == source.gone && last.record.place == place)
      #expect(last.end?.ending == .deleted)
      let moment = last.began
      #expect(try view.child(of: directory, named: name, at: moment) == source.gone)
      let children = try view.children(of: directory, at: moment, after: [], limit: 1)
      #expect(children.map(\.id) == [source.file])
      #expect(try view.version(of: source.file, at: moment)?.record.content?.size == 200_000)
      #expect(view.entry(at: moment).zone == source.zone.id)
    }
    // It goes on as one history, and can be restored from there.
    let deleted = try past.read { try #require(try $0.lastVersion(thatLeft: place)).record }
    _ = try past.commit(
      [RecordChange(creating: deleted)], expecting: shared.header.sequence)
    try accepted.pull()
    let back = try #require(try accepted.read { try $0.record(source.gone)?.content })
    read = []
    try accepted.readContent(back) { read += Array($0) }
    #expect(read == [7])
    try expectKept(source, shared, container, world.open(ana))
  }

  @Test func `a record whose id the other zone has is copied under another id, once`() throws {
    let world = try ZoneWorld()
    let container = try world.open(world.account("ana"))
    let source = try Source(container)
    let target = try container.privateDatabase.createZone(named: "both")
    let directory = try Self.directory(target, "one")
    // Somebody restored it there after it had moved away.
    let name = try #require(FileName("restored"))
    try target.save([
      RecordChange(
        id: source.file, act: .create(.file), place: Place(parent: .root, name: name),
        content: try target.ingest([1]))
    ])
    for _ in 0..<2 {
      try container.merging.copy(source.zone, into: directory, of: target)
      let (other, copies) = try target.read { view in
        (try view.record(source.file), try view.children(of: directory))
      }
      #expect(other?.place?.name == name && other?.content?.size == 1)
      #expect(copies.count == 1 && copies != [source.file])
      let copy = try target.read { view in try copies.first.flatMap { try view.record($0) } }
      #expect(copy?.content?.size == 2)
    }
    // It is in another zone, so it is restored under another id in the one that it left.
    let ids = try container.formers.idsForRestoring([source.file, source.gone], in: source.zone)
    #expect(ids.keys.map { $0 } == [source.file] && ids[source.file] != source.file)
  }

  /// Expects that content which only the history needs isn't deleted, here and on a new device.
  private func expectKept(
    _ source: Source, _ shared: Zone, _ container: Container, _ second: Container
  ) throws {
    let report = try container.upkeep.collectGarbage(at: WallClock.seconds)
    #expect(report.unnamed.packs == 0 && report.unneeded.packs == 0)
    _ = try container.upkeep.collectGarbage(at: WallClock.seconds + 3 * Upkeep.garbageLife)
    let elsewhere = try #require(try second.zone(shared.id))
    try elsewhere.pull()
    #expect(try Self.versions(source.file, elsewhere, second) == [[2, 2], source.first])
  }

  @Test func `a move into another person's share stores content again, with its ids`() throws {
    let world = try ZoneWorld()
    let (zone, accepted, accounts) = try world.shared()
    let bob = try world.open(accounts[1])
    let theirs = try #require(try bob.zone(accepted.id))
    try theirs.pull()
    let source = try Source(bob)
    let before = try world.keys("users/\(accounts[0].user)/packs/").count
    let directory = try Self.directory(theirs, "one")
    try Self.move(source.zone, into: directory, of: theirs, bob)
    #expect(try world.keys("users/\(accounts[0].user)/packs/").count > before)
    try zone.pull()
    // Nobody except Bob needs his packs.
    for key in try world.keys("users/\(accounts[1].user)/packs/") { try world.store.delete(key) }
    let note = try #require(try zone.read { try $0.record(source.typed)?.contents.first })
    var read: [UInt8] = []
    try zone.readContent(note) { read += Array($0) }
    #expect(read == source.asset)
    #expect(try zone.read { try $0.record(source.file)?.content?.size } == 2)
  }

  @Test(arguments: [FaultyStore.Fault.before, .after])
  func `after a failure of any call a folder has its old zone or the new one`(
    fault: FaultyStore.Fault
  ) throws {
    let world = try ZoneWorld()
    var (call, isOver) = (0, false)
    while !isOver {
      call += 1
      try #require(call < 200)
      let ana = try world.account("ana\(call)")
      let faulty = FaultyStore(world.store)
      let container = try world.open(ana, store: faulty)
      let source = try Source(container)
      try container.addMount(source.zone.id, path: Self.path)
      let shared = try container.privateDatabase.createZone(named: "both")
      let directory = try Self.directory(shared, "one")
      faulty.fail(call: call, fault, putsOnly: fault == .after)
      do {
        try Self.move(source.zone, into: directory, of: shared, container)
      } catch is CloudError {
      } catch is StoreError {}
      isOver = !faulty.isSpent
      faulty.heal()
      // The next start, perhaps with an empty index.
      let next = try world.open(ana)
      for zone in try next.privateDatabase.zones() { try zone.pull() }
      let (old, new) = (try #require(try next.zone(source.zone.id)), try next.zone(shared.id))
      let mount = try #require(try next.mounts().first)
      if mount.zone == source.zone.id {
        #expect(try next.formers.ended().isEmpty)
        #expect(try next.mounts().count == 1)
        // The repeated command does the rest.
        try Self.move(old, into: directory, of: try #require(new), next)
      }
      #expect(try next.mounts().map(\.part) == [ZonePart(shared.id, base: directory)])
      #expect(try next.formers.ended() == [source.zone.id])
      let versions = try Self.versions(source.file, try #require(new), next)
      #expect(versions == [[2, 2], source.first])
      #expect(try new?.read { try $0.record(source.typed) } != nil)
    }
    #expect(call > 2)
  }

  @Test func `changes in a zone that moves back are kept, and the history is one`() throws {
    let world = try ZoneWorld()
    let (ana, bob) = (try world.account("ana"), try world.account("bob"))
    let container = try world.open(ana)
    let outer = try container.privateDatabase.createZone(named: "home")
    let trip = try Self.directory(outer, "trip")
    var (file, early) = (
      try Zone.file("file", outer.ingest([1])), try Zone.file("early", outer.ingest([9]))
    )
    file.place?.parent = trip
    early.place?.parent = trip
    try outer.save([file, early])
    try outer.save([RecordChange(id: early.id, act: .delete)])
    func versions() throws -> [[UInt8]] { try Self.versions(file.id, outer, container) }

    for round in 1...2 {
      let nesting = try container.nestings.nest(
        trip, of: outer, title: "Trip", path: Self.path)
      let inner = try #require(try container.zone(nesting.part.zone))
      let before = try versions().count
      #expect(try Self.versions(file.id, inner, container).count == (round == 1 ? 1 : before))
      #expect(try Self.versions(early.id, inner, container) == [[9]])
      let note = RecordChange(
        id: .random(), act: .create(.typed("note")), fields: ["text": .text("hello")])
      try inner.save([note])
      _ = try container.sharing.invite(bob.user, to: inner, permission: .readWrite)
      let bobs = try world.open(bob)
      let accepted = try bobs.participation.accept(inner.id)
      #expect(try Self.versions(early.id, accepted, bobs).isEmpty)
      let gone = try accepted.write("gone", [UInt8(round), 7])
      try accepted.save([RecordChange(id: gone, act: .delete)])
      try accepted.save([
        RecordChange(
          id: file.id, act: .update, content: try accepted.ingest([UInt8(round), 2]))
      ])
      try inner.pull()
      _ = try inner.changeShare([.stop])
      try container.returning.bringBack([nesting])
      try container.returning.drop([nesting], hadReaders: true)
      #expect(try container.nestings.all().isEmpty && container.mounts().isEmpty)
      #expect(try container.formers.ended().contains(inner.id))
      #expect(try outer.read { try $0.record(note.id)?.fields["text"] } == .text("hello"))
      #expect(try Self.versions(gone, outer, container) == [[UInt8(round), 7]])
      let past = try container.formers.past(of: outer)
      try past.read { view in
        let all = try view.versions(of: file.id, limit: 10)
        #expect(all.first?.record.changed.user == bob.user && all.first?.end == nil)
        let place = Place(parent: trip, name: try #require(FileName("gone")))
        #expect(try view.lastVersion(thatLeft: place)?.record.id == gone)
      }
    }
    #expect(try versions() == [[2, 2], [1, 2], [1]])
    // A person who was never in the share gets nothing of it.
    let carol = try world.open(try world.account("carol"))
    #expect(try carol.formers.all().isEmpty)
  }

  @Test func `the rules of the new zone decide about the history in a former zone`() throws {
    let world = try ZoneWorld()
    let ana = try world.account("ana")
    let container = try world.open(ana)
    let source = try Source(container)
    try container.addMount(source.zone.id, path: Self.path)
    let shared = try container.privateDatabase.createZone(named: "both")
    let directory = try Self.directory(shared, "one")
    try Self.move(source.zone, into: directory, of: shared, container)
    let bytes = try container.formers.bytes(of: shared)
    #expect(bytes >= 200_000)
    // While another device mirrors the old zone, nothing is deleted there.
    let mount = container.mountEntry(ZonePart(source.zone.id), path: Self.path)
    try AccountZone.add(mount, to: container.accountZone)
    try container.formers.settle()
    #expect(try source.zone.names() == ["file"])
    try container.removeMount(source.zone.id)
    try container.formers.settle()
    #expect(try source.zone.names().isEmpty)

    let versions = try Self.versions(source.file, shared, container)
    #expect(versions == [[2, 2], source.first])
    #expect(try container.formers.all().allSatisfy(\.isEmptied))
    try container.formers.settle()
    #expect(try Self.versions(source.gone, shared, container) == [[7]])

    // Without a history to keep, it is deleted. The present belongs to the new zone.
    try container.ownership.setHistory(HistoryPolicy(), of: shared)
    let clock = WallClock.seconds
    for days in [0, 8, 16] {
      _ = try container.upkeep.collectGarbage(at: clock + Int64(days) * 86_400, floorAfter: 1)
    }
    #expect(source.zone.header.history == HistoryPolicy())
    let past = try container.formers.past(of: shared)
    let contents = try past.read { view in
      try view.versions(of: source.gone, limit: 9).compactMap(\.record.content)
    }
    #expect(try past.read { view in try contents.filter { try view.hasChunks(of: $0) } }.isEmpty)
    #expect(try Self.versions(source.typed, shared, container).isEmpty)
    #expect(try shared.read { try $0.record(source.typed) } != nil)

    // Deleting the folder for everybody deletes the history, too.
    try container.ownership.purge(shared)
    try container.participation.forgetEverything(of: shared)
    #expect(try container.formers.all().isEmpty && container.zoneIDs().isEmpty)
  }

  @Test func `points in time of several logs have one order, whatever single clocks say`() {
    let second: Int64 = 1_000_000_000
    let clock = PastClock(
      [(1, 10), (2, 20), (3, 1_000), (4, 30), (7, 40)].map { ($0.0, Int64($0.1) * second) },
      floors: [(7, 50 * 1_000_000)])
    #expect(clock.sequence(at: 9_000_000) == 0)
    #expect((2...3).contains(clock.sequence(at: 25_000_000)))
    #expect(clock.sequence(at: 35_000_000) >= 4 && clock.sequence(at: 35_000_000) < 7)
    #expect(clock.tick(of: 7) > 50_000_000)
    let ticks = (1...20).map { clock.tick(of: $0) }
    #expect(zip(ticks, ticks.dropFirst()).allSatisfy { $0 < $1 })
    for sequence: UInt64 in 1...20 {
      #expect(clock.sequence(at: clock.tick(of: sequence)) == sequence)
    }
    let none = PastClock([])
    #expect(none.tick(of: 3) == 3 && none.sequence(at: 3) == 3)
    // A zone that stays in use has no last entry, and a thief may note any positions.
    let end = clock.tick(of: FormerZone.open)
    #expect(end > clock.tick(of: 1_000) && UInt64(end) < UInt64.max >> 8)
    let planted = PastClock([(1, second)], floors: [(FormerZone.open, end), (.max, end)])
    #expect(planted.tick(of: .max) >= planted.tick(of: FormerZone.open))
    #expect(planted.sequence(at: planted.tick(of: 1)) == 1)
  }
}
