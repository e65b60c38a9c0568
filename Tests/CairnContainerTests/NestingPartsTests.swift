import CairnStore
import CairnZone
import Testing

@testable import CairnContainer
@testable import CairnIdentity
@testable import CairnReplica

/// Several records of one zone that move into one share, or into an existing share.
@Suite struct NestingPartsTests {
  /// Ana's zone: `a/one`, `a/deep/two`, `b/three`, `four` and `mine`.
  private struct Home {
    let zone: Zone
    let a: RecordID
    let b: RecordID
    let four: RecordID
    let mine: RecordID

    init(_ container: Container) throws {
      let zone = try container.privateDatabase.createZone(named: "home")
      let (a, b, deep) = (RecordID.random(), RecordID.random(), RecordID.random())
      func directory(_ id: RecordID, _ name: String, in parent: RecordID) throws -> RecordChange {
        RecordChange(
          id: id, act: .create(.directory),
          place: Place(parent: parent, name: try #require(FileName(name))))
      }
      func file(_ name: String, in parent: RecordID) throws -> RecordChange {
        var file = try Zone.file(name, zone.ingest(ContentPieces.noise(name.utf8.count * 20_000)))
        file.place?.parent = parent
        return file
      }
      let (four, mine) = (try file("four", in: .root), try file("mine", in: .root))
      try zone.commit(
        [
          directory(a, "a", in: .root), directory(deep, "deep", in: a),
          directory(b, "b", in: .root), file("one", in: a), file("two", in: deep),
          file("three", in: b), four, mine,
        ], expecting: zone.header.sequence)
      (self.zone, self.a, self.b, self.four, self.mine) = (zone, a, b, four.id, mine.id)
    }

    /// The two directories and the file that are shared.
    var items: [Nestling] {
      [a, b, four].map { Nestling($0, path: Array("/home/ana/\($0)".utf8)) }
    }
  }

  /// Returns the contents of a zone's files, by path.
  private static func tree(_ zone: Zone) throws -> [String: ContentID?] {
    try zone.read { view in
      var found: [String: ContentID?] = [:]
      var next = try view.children(of: .root).map { ("", $0) }
      while let (path, id) = next.popLast() {
        let record = try #require(try view.record(id))
        let here = try "\(path)/\(#require(record.place?.name))"
        switch record.type {
        case .reference: found[here + " ->"] = .some(nil)
        case .directory:
          found[here + "/"] = .some(nil)
          next += try view.children(of: id).map { (here, $0) }
        default: found[here] = record.content?.id
        }
      }
      return found
    }
  }

  private static func child(_ zone: Zone, _ parent: RecordID, _ name: String) throws -> RecordID {
    let name = try #require(FileName(name))
    return try #require(try zone.read { try $0.child(of: parent, named: name) })
  }

  private static func paths(_ zone: Zone) throws -> Set<String> { Set(try tree(zone).keys) }

  private static let shared: Set<String> = [
    "/a/", "/a/one", "/a/deep/", "/a/deep/two", "/b/", "/b/three", "/four",
  ]

  @Test func `several records become one share, and each returns to its place`() throws {
    let world = try ZoneWorld()
    let (ana, bob) = (try world.account("ana"), try world.account("bob"))
    let container = try world.open(ana)
    let home = try Home(container)
    let before = try Self.tree(home.zone)
    let packs = try world.keys("users/\(ana.user)/packs/")
    let nestings = try container.nestings.nest(
      home.items, of: home.zone, into: .new(title: "Both", isShared: true))
    #expect(nestings.map(\.record) == [home.a, home.b, home.four])
    #expect(nestings.map(\.isFile) == [false, false, true])
    let zone = try #require(try container.zone(nestings[0].part.zone))
    #expect(try Self.paths(zone) == Self.shared)
    #expect(try Self.paths(home.zone) == ["/a ->", "/b ->", "/four ->", "/mine"])
    #expect(try container.privateDatabase.zones().count == 2)

    // Bob has all of it, adds something beside it, and moves something between the parts.
    _ = try container.sharing.invite(bob.user, to: zone, permission: .readWrite)
    let bobs = try world.open(bob).participation.accept(zone.id)
    #expect(try Self.tree(bobs) == Self.tree(zone))
    try bobs.write("beside", [1])
    let three = try Self.child(bobs, home.b, "three")
    try bobs.save([
      RecordChange(
        id: three, act: .update,
        place: Place(parent: home.a, name: try #require(FileName("three"))))
    ])
    #expect(try world.keys("users/\(ana.user)/packs/") == packs)

    try zone.pull()
    _ = try zone.changeShare([.stop])
    try container.returning.bringBack(nestings)
    try container.returning.drop(nestings, hadReaders: true)
    var after = before
    after["/a/three"] = after.removeValue(forKey: "/b/three")
    #expect(try Self.paths(home.zone) == Set(after.keys).union(["/beside"]))
    #expect(try Self.tree(home.zone).filter { $0.key != "/beside" } == after)
    for id in [home.a, home.b, home.four] {
      #expect(try home.zone.read { try $0.record(id) } != nil)
    }
    #expect(try container.nestings.all().isEmpty && container.mounts().isEmpty)
    #expect(try container.formers.ended() == [zone.id])
    // Bob has to learn about the end.
    try bobs.pull()
    #expect(bobs.header.share == nil)
  }

  @Test func `a record moves into an existing share, and back out of it`() throws {
    let world = try ZoneWorld()
    let ana = try world.account("ana")
    let container = try world.open(ana)
    let home = try Home(container)
    let before = try Self.tree(home.zone)
    let share = try container.privateDatabase.createZone(named: "Photos")
    _ = try container.sharing.share(share, title: "Photos")
    for name in ["own", "four"] { try share.write(name, [1, 2]) }
    let packs = try world.keys("users/\(ana.user)/packs/")
    var nestings: [Nesting] = []
    for item in [home.items[2], home.items[0]] {
      nestings += try container.nestings.nest([item], of: home.zone, into: .zone(share))
    }
    #expect(try world.keys("users/\(ana.user)/packs/") == packs)
    let own: Set<String> = ["/own", "/four"]
    let added: Set<String> = ["/four 2", "/a/", "/a/one", "/a/deep/", "/a/deep/two"]
    #expect(try Self.paths(share) == own.union(added))
    #expect(nestings.map(\.part.base) == [home.four, home.a])
    // A record that is already in it can't move into it, and neither can a directory around it.
    let error = try cloudCode {
      _ = try container.nestings.nest(
        [Nestling(home.a, path: [])], of: home.zone, into: .zone(share))
    }
    #expect(error == .unknownItem)
    #expect(throws: CloudError.self) {
      _ = try container.nestings.nest([home.items[1]], of: home.zone, into: .zone(home.zone))
    }

    _ = try share.changeShare([.stop])
    try container.returning.bringBack(nestings)
    try container.returning.drop(nestings, hadReaders: true)
    #expect(try Self.tree(home.zone) == before)
    #expect(try Self.paths(share) == own, "the zone was there before, and stays")
    #expect(try container.nestings.all().isEmpty)
  }

  /// The directory that was shared is all of the zone, and the other one is in it.
  @Test func `a folder that was added to the share of a directory stays when that one returns`()
    throws
  {
    let world = try ZoneWorld()
    let container = try world.open(try world.account("ana"))
    let home = try Home(container)
    let before = try Self.tree(home.zone)
    let nesting = try container.nestings.nest(home.a, of: home.zone, title: "a", path: [47, 97])
    let share = try #require(try container.zone(nesting.part.zone))
    let added = RecordChange(
      id: .random(), act: .create(.directory),
      place: Place(parent: .root, name: try #require(FileName("added"))))
    var file = try Zone.file("new", share.ingest([1, 2, 3]))
    file.place?.parent = added.id
    try share.save([added, file])
    try container.addMount(ZonePart(share.id, base: added.id), path: [47, 98])

    _ = try share.changeShare([.stop])
    try container.returning.bringBack([nesting])
    try container.returning.drop([nesting], hadReaders: true)
    #expect(try Self.tree(home.zone) == before)
    #expect(try Self.paths(share) == ["/added/", "/added/new"])
    #expect(try container.mounts().map(\.part) == [ZonePart(share.id, base: added.id)])
    #expect(try container.nestings.all().isEmpty && container.zoneIDs().contains(share.id))
    // The past of what returned is still read through the zone that stays.
    let past = try container.formers.past(of: home.zone)
    #expect(past.isJoined)
  }

  @Test func `a share is never inside of another one, nor of another person's`() throws {
    let world = try ZoneWorld()
    let (anas, bobs, accounts) = try world.shared()
    let container = try world.open(accounts[1])
    let home = try Home(container)
    let deep = try Self.child(home.zone, home.a, "deep")
    let inside = [home.items[0], Nestling(deep, path: [])]
    #expect(
      try cloudCode {
        _ = try container.nestings.nest(
          inside, of: home.zone, into: .new(title: "x", isShared: true))
      } == .invalidArguments)
    // Ana's share is no place for records that stay in a folder of Bob's.
    let accepted = try #require(try container.zone(bobs.id))
    #expect(
      try cloudCode {
        _ = try container.nestings.nest([home.items[0]], of: home.zone, into: .zone(accepted))
      } == .serverRejectedRequest)
    #expect(try container.nestings.all().isEmpty && anas.names().isEmpty)
    #expect(try Self.paths(home.zone).contains("/a/one"))
  }

  @Test func `another device's changes during the return are carried along, too`() throws {
    let world = try ZoneWorld()
    let ana = try world.account("ana")
    let container = try world.open(ana)
    let home = try Home(container)
    let share = try container.privateDatabase.createZone(named: "Photos")
    _ = try container.sharing.share(share, title: "Photos")
    let nestings = try container.nestings.nest([home.items[0]], of: home.zone, into: .zone(share))
    let second = try #require(try world.open(ana).zone(share.id))
    _ = try share.changeShare([.stop])
    try container.returning.bringBack(nestings)
    // The other device doesn't know that yet.
    try second.pull()
    let one = try Self.child(second, home.a, "one")
    let content = try second.ingest(Array("late".utf8))
    try second.save([RecordChange(id: one, act: .update, content: content)])
    try container.returning.drop(nestings, hadReaders: true)
    #expect(try home.zone.read { try $0.record(one)?.content?.id } == content.id)
    #expect(try Self.paths(share).isEmpty)
  }

  // MARK: Interruptions

  /// Returns the next start of the device, with an empty index.
  private static func restart(_ world: ZoneWorld, _ account: Account) throws -> Container {
    let next = try world.open(account)
    for zone in try next.privateDatabase.zones() { try zone.pull() }
    try next.returning.dropUnlinkedZones()
    for zone in try next.privateDatabase.zones() { try zone.pull() }
    return next
  }

  @Test(arguments: [false, true])
  func `stopped at any call, all are together in one zone or the other`(isAdded: Bool) throws {
    let world = try ZoneWorld()
    var (call, isOver) = (0, false)
    while !isOver {
      call += 1
      try #require(call < 200)
      let ana = try world.account("ana\(call)")
      let faulty = FaultyStore(world.store)
      let container = try world.open(ana, store: faulty)
      let home = try Home(container)
      var target = NestingTarget.new(title: "Both", isShared: true)
      if isAdded {
        let share = try container.privateDatabase.createZone(named: "Photos")
        _ = try container.sharing.share(share, title: "Photos")
        try share.write("own", [1])
        target = .zone(share)
      }
      faulty.fail(call: call, .forGood)
      var made: [Nesting]?
      do {
        made = try container.nestings.nest(home.items, of: home.zone, into: target)
      } catch is CloudError {} catch is StoreError {}
      isOver = !faulty.isSpent
      faulty.heal()
      let next = try Self.restart(world, ana)
      let outer = try Self.paths(try #require(try next.zone(home.zone.id)))
      let others = try next.privateDatabase.zones().filter { $0.id != home.zone.id }
      let inner = try others.reduce(into: Set<String>()) { try $0.formUnion(Self.paths($1)) }
      let own: Set<String> = isAdded ? ["/own"] : []
      if try next.nestings.all().isEmpty {
        #expect(made == nil, "call \(call)")
        #expect(outer == Self.shared.union(["/mine"]), "call \(call)")
        #expect(inner == own && others.count == (isAdded ? 1 : 0), "call \(call)")
        #expect(try next.mounts().isEmpty, "call \(call)")
      } else {
        #expect(outer == ["/a ->", "/b ->", "/four ->", "/mine"], "call \(call)")
        #expect(inner == Self.shared.union(own), "call \(call)")
        #expect(try next.mounts().count == 3, "call \(call)")
      }
    }
    #expect(call > 5)
  }

  @Test(arguments: [false, true])
  func `stopped at any call on the way back, nothing is lost or doubled`(isAdded: Bool) throws {
    let world = try ZoneWorld()
    var (call, isOver) = (0, false)
    while !isOver {
      call += 1
      try #require(call < 200)
      let ana = try world.account("ana\(call)")
      let faulty = FaultyStore(world.store)
      let container = try world.open(ana, store: faulty)
      let home = try Home(container)
      var target = NestingTarget.new(title: "Both", isShared: true)
      if isAdded {
        let share = try container.privateDatabase.createZone(named: "Photos")
        _ = try container.sharing.share(share, title: "Photos")
        try share.write("own", [1])
        target = .zone(share)
      }
      let before = try Self.tree(home.zone)
      let nestings = try container.nestings.nest(home.items, of: home.zone, into: target)
      let zone = try #require(try container.zone(nestings[0].part.zone))
      _ = try zone.changeShare([.stop])
      faulty.fail(call: call, .forGood)
      do {
        try container.returning.bringBack(nestings)
        try container.returning.drop(nestings, hadReaders: true)
      } catch is CloudError {} catch is StoreError {}
      isOver = !faulty.isSpent
      faulty.heal()
      // The next start goes on.
      let next = try Self.restart(world, ana)
      let left = try next.nestings.all(of: zone.id)
      if !left.isEmpty {
        #expect(left.count == 3, "call \(call)")
        try next.returning.bringBack(left)
        try next.returning.drop(left, hadReaders: true)
      }
      let outer = try #require(try next.zone(home.zone.id))
      try outer.pull()
      #expect(try Self.tree(outer) == before, "call \(call)")
      let others = try next.privateDatabase.zones().filter { $0.id != home.zone.id }
      #expect(try others.map { try Self.paths($0) } == (isAdded ? [["/own"]] : []))
      #expect(try next.nestings.all().isEmpty && next.mounts().isEmpty)
    }
    #expect(call > 5)
  }

  @Test func `a part that was being taken out leaves its share, with others' late changes`() throws
  {
    let world = try ZoneWorld()
    let (anas, bobs, accounts) = try world.shared()
    let container = try world.open(accounts[0])
    let home = try Home(container)
    let share = try #require(try container.zone(anas.id))
    let nestings = try container.nestings.nest([home.items[0]], of: home.zone, into: .zone(share))
    // The device ends after the commit that returns the records.
    try container.returning.bringBack(nestings, keepsZone: true)
    try bobs.pull()
    let one = try Self.child(bobs, home.a, "one")
    let content = try bobs.ingest(Array("of bob".utf8))
    try bobs.save([RecordChange(id: one, act: .update, content: content)])
    let next = try Self.restart(world, accounts[0])
    #expect(try next.nestings.all().isEmpty && next.mounts().isEmpty)
    let outer = try #require(try next.zone(home.zone.id))
    #expect(try outer.read { try $0.record(one)?.content?.id } == content.id)
    try bobs.pull()
    #expect(try Self.paths(bobs).isEmpty && bobs.header.share != nil)
  }

  @Test func `others' changes during an interruption stay in the share`() throws {
    let world = try ZoneWorld()
    let (anas, bobs, accounts) = try world.shared()
    let faulty = FaultyStore(world.store)
    let container = try world.open(accounts[0], store: faulty)
    let home = try Home(container)
    let share = try #require(try container.zone(anas.id))
    var call = 0
    // It is cut off between the share's entry and the entry of the zone around it.
    while try Self.paths(bobs).isEmpty {
      call += 1
      try #require(call < 100)
      faulty.fail(call: call, .forGood)
      do {
        _ = try container.nestings.nest([home.items[0]], of: home.zone, into: .zone(share))
      } catch is CloudError {} catch is StoreError {}
      faulty.heal()
      try bobs.pull()
      if try Self.paths(bobs).isEmpty { try container.returning.dropUnlinkedZones() }
    }
    let one = try Self.child(bobs, home.a, "one")
    let content = try bobs.ingest(Array("of bob".utf8))
    try bobs.save([RecordChange(id: one, act: .update, content: content)])
    let next = try Self.restart(world, accounts[0])
    #expect(try next.nestings.all().isEmpty)
    let kept = try #require(try next.zone(anas.id))
    #expect(try kept.read { try $0.record(one)?.content?.id } == content.id)
    let outer = try #require(try next.zone(home.zone.id))
    #expect(try Self.paths(outer).isSuperset(of: ["/a/", "/a/one", "/a/deep/two"]))
    // Added again, it is other records beside those that others changed.
    let before = try Self.tree(outer)
    let again = try next.nestings.nest([home.items[0]], of: outer, into: .zone(kept))
    #expect(again.first?.part.base != home.a)
    #expect(try Self.paths(kept).filter { $0.hasSuffix("/one") }.count == 2)
    #expect(try kept.read { try $0.record(one)?.content?.id } == content.id)
    try next.returning.bringBack(again)
    try next.returning.drop(again, hadReaders: true)
    #expect(try Self.tree(outer) == before)
    #expect(try Self.paths(kept).filter { $0.hasSuffix("/one") }.count == 1)
  }
}
