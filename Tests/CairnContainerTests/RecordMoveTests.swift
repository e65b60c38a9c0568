import CairnStore
import CairnZone
import Testing

@testable import CairnContainer
@testable import CairnIdentity
@testable import CairnReplica

/// Typed records that move to another zone with everything that refers to them.
@Suite struct RecordMoveTests {
  /// Ana's albums: two posts with one tag, a picture of each with a thumbnail, and another tag.
  private struct Album {
    let zone: Zone
    let posts: [RecordID] = [.random(), .random()]
    let pictures: [RecordID] = [.random(), .random()]
    let thumbnails: [RecordID] = [.random(), .random()]
    let tag = RecordID.random()
    let other = RecordID.random()

    init(_ container: Container) throws {
      zone = try container.privateDatabase.createZone(named: "Library")
      func record(_ id: RecordID, _ type: String, _ fields: [String: FieldValue?]) -> RecordChange {
        RecordChange(id: id, act: .create(.typed(type)), fields: fields)
      }
      var changes = [
        record(tag, "Tag", ["name": .text("sea")]), record(other, "Tag", ["name": .text("town")]),
      ]
      for index in 0..<2 {
        changes.append(
          record(
            posts[index], "Post",
            ["title": .text("post \(index)"), "tags": .list([.reference(tag)])]))
        let bytes = ContentPieces.noise(100_000, seed: UInt64(index + 1))
        changes.append(
          record(
            pictures[index], "Picture",
            ["post": .reference(posts[index]), "file": .asset(try zone.ingest(bytes))]))
        changes.append(
          record(
            thumbnails[index], "Thumbnail",
            ["picture": .reference(pictures[index]), "file": .asset(try zone.ingest([1, 2, 3]))]))
      }
      try zone.save(changes)
    }

    /// The records that move with the first post.
    var first: Set<RecordID> { [posts[0], pictures[0], thumbnails[0]] }
    var all: Set<RecordID> { Set(posts + pictures + thumbnails + [tag, other]) }
  }

  private static func ids(_ zone: Zone) throws -> Set<RecordID> {
    try zone.pull()
    return try zone.read { Set(try $0.state.records.allTyped().keys) }
  }

  private static func text(_ id: RecordID, _ field: String, _ zone: Zone) throws -> String? {
    guard case .text(let text)? = try zone.read({ try $0.record(id)?.fields[field] }) else {
      return nil
    }
    return text
  }

  private static func bytes(_ id: RecordID, _ zone: Zone) throws -> [UInt8] {
    let assets = try zone.read { try $0.record(id)?.fields["file"]?.assets }
    var bytes: [UInt8] = []
    try zone.readContent(try #require(assets?.first)) { bytes += Array($0) }
    return bytes
  }

  private static func edit(_ id: RecordID, _ field: String, _ text: String) -> RecordChange {
    RecordChange(id: id, act: .update, fields: [field: .text(text)])
  }

  private static func packs(_ world: ZoneWorld) throws -> [ObjectKey] {
    try world.keys("users/").filter { $0.description.contains("/packs/") }
  }

  @Test func `a post is shared with all that refers to it, and taken out, without a new pack`()
    throws
  {
    let world = try ZoneWorld()
    let (ana, bob) = (try world.account("ana"), try world.account("bob"))
    let container = try world.open(ana)
    let album = try Album(container)
    let packs = try Self.packs(world)
    let share = try container.recordMoves.share([album.posts[0]], of: album.zone, title: "Trip")
    #expect(try Self.ids(share) == album.first.union([album.tag]))
    #expect(try Self.ids(album.zone) == album.all.subtracting(album.first))
    #expect(share.header.share?.title == "Trip" && share.header.genesis?.name == "Trip")
    _ = try container.sharing.invite(bob.user, to: share, permission: .readWrite)
    let bobs = try world.open(bob).participation.accept(share.id)
    #expect(try Self.bytes(album.pictures[0], bobs) == ContentPieces.noise(100_000))
    // The other one is added. The tag, which only it refers to now, is there already.
    try bobs.save([Self.edit(album.tag, "name", "ocean")])
    try container.recordMoves.move([album.posts[1]], from: album.zone, to: share)
    #expect(try Self.ids(bobs) == album.all.subtracting([album.other]))
    #expect(try Self.text(album.tag, "name", bobs) == "ocean")
    try container.recordMoves.move([album.pictures[0]], from: share, to: album.zone)
    #expect(try Self.ids(bobs).isDisjoint(with: [album.pictures[0], album.thumbnails[0]]))
    #expect(try Self.bytes(album.pictures[0], album.zone) == ContentPieces.noise(100_000))
    #expect(try Self.bytes(album.thumbnails[0], album.zone) == [1, 2, 3])
    #expect(try Self.packs(world) == packs, "no content is stored again")
    #expect(try AccountZone.moves(begunBy: ana.device.id, in: container.accountZone).isEmpty)
    for zone in [album.zone, bobs] { #expect(try zone.verify().isEmpty) }
  }

  @Test func `a tag moves with all posts, and adds what an earlier copy of it lacks`() throws {
    let world = try ZoneWorld()
    let container = try world.open(try world.account("ana"))
    let album = try Album(container)
    let share = try container.recordMoves.share([album.posts[0]], of: album.zone, title: "Trip")
    try share.save([Self.edit(album.tag, "name", "ocean")])
    try album.zone.save([Self.edit(album.tag, "color", "blue")])
    try container.recordMoves.move([album.tag], from: album.zone, to: share)
    #expect(try Self.ids(share) == album.all.subtracting([album.other]))
    #expect(try Self.ids(album.zone) == [album.other])
    #expect(try Self.text(album.tag, "name", share) == "ocean")
    #expect(try Self.text(album.tag, "color", share) == "blue")
    // The versions of the post are in two logs.
    try share.save([Self.edit(album.posts[0], "title", "later")])
    let past = try container.formers.versions(of: album.posts[0], in: share)
    #expect(past.map { $0.fields["title"] } == [.text("later"), .text("post 0")])
    #expect(past.last?.created.sequence == 2)
  }

  @Test(arguments: [false, true], [false, true])
  func `stopped at any put, each record is in one zone after the next start`(
    isNew: Bool, keepsIndex: Bool
  ) throws {
    let world = try ZoneWorld()
    let bob = try world.account("bob")
    let bobs = try world.open(bob)
    var (call, isOver) = (0, false)
    while !isOver {
      call += 1
      try #require(call < 100)
      let ana = try world.account("ana\(call)")
      let faulty = FaultyStore(world.store)
      let index = keepsIndex ? "\(world.folder)/index-of-\(call)" : nil
      let container = try world.open(ana, index: index, store: faulty)
      let album = try Album(container)
      let share = try container.privateDatabase.createZone(named: "Trip")
      _ = try container.sharing.share(share, title: "Trip")
      _ = try container.sharing.invite(bob.user, to: share, permission: .readWrite)
      let theirs = try bobs.participation.accept(share.id)
      faulty.fail(call: call, .forGood, putsOnly: true)
      do {
        if isNew {
          _ = try container.recordMoves.share([album.posts[0]], of: album.zone, title: "Trip")
        } else {
          try container.recordMoves.move([album.posts[0]], from: album.zone, to: share)
        }
      } catch is CloudError {} catch is StoreError {}
      isOver = !faulty.isSpent
      faulty.heal()
      if !isNew {
        let seen = try Self.ids(theirs)
        #expect(seen.isEmpty || seen == album.first.union([album.tag]), "call \(call)")
      }
      // The next start remembers nothing, except perhaps the index.
      let next = try world.open(ana, index: index)
      try next.recordMoves.resume()
      let zones = try next.privateDatabase.zones()
      let library = try Self.ids(try #require(zones.first { $0.id == album.zone.id }))
      let others = try zones.filter { $0.id != album.zone.id }.map { try Self.ids($0) }
      let moved = others.reduce(into: Set<RecordID>()) { $0.formUnion($1) }
      if moved.isEmpty {
        #expect(library == album.all && others.count == 1, "call \(call)")
        #expect(!isOver)
      } else {
        #expect(library == album.all.subtracting(album.first), "call \(call)")
        #expect(moved == album.first.union([album.tag]), "call \(call)")
        #expect(others.count == (isNew ? 2 : 1), "call \(call)")
      }
      #expect(try AccountZone.moves(begunBy: ana.device.id, in: next.accountZone).isEmpty)
    }
    #expect(call > 4)
  }

  @Test func `a call that is repeated after a fault ends the move`() throws {
    for isNew in [false, true] {
      let world = try ZoneWorld()
      let ana = try world.account("ana")
      let faulty = FaultyStore(world.store)
      let container = try world.open(ana, store: faulty)
      let album = try Album(container)
      let share = try container.privateDatabase.createZone(named: "Trip")
      func act() throws -> Zone {
        guard isNew else {
          try container.recordMoves.move([album.posts[0]], from: album.zone, to: share)
          return share
        }
        return try container.recordMoves.share([album.posts[0]], of: album.zone, title: "Trip")
      }
      var (call, target): (Int, Zone?) = (0, nil)
      while target == nil {
        call += 1
        try #require(call < 100)
        faulty.fail(call: call, .after, putsOnly: true)
        do { target = try act() } catch is CloudError {} catch is StoreError {}
      }
      faulty.heal()
      #expect(try Self.ids(try #require(target)) == album.first.union([album.tag]))
      #expect(try Self.ids(album.zone) == album.all.subtracting(album.first))
    }
  }

  @Test func `others see all of the records in a zone or none, at each moment`() throws {
    let hooked = HookedStore(DistantStore(MemoryStore()))
    let world = try ZoneWorld(hooked)
    let (zone, bobs, accounts) = try world.shared()
    let container = try world.open(accounts[0])
    let share = try #require(try container.zone(zone.id))
    try share.pull()
    let album = try Album(container)
    let whole = album.first.union([album.tag])
    var seen: [Set<RecordID>] = []
    func watch() throws {
      seen.append(try Self.ids(bobs))
      hooked.afterPut("users/", watch)
    }
    hooked.afterPut("users/", watch)
    try container.recordMoves.move([album.posts[0]], from: album.zone, to: share)
    try container.recordMoves.move([album.posts[0]], from: share, to: album.zone)
    hooked.afterPut("nowhere") {}
    #expect(Set(seen) == [[], whole, [album.tag]])
    #expect(try Self.ids(album.zone) == album.all)
  }
}

// MARK: Others at the same time

extension RecordMoveTests {
  /// Two devices of Ana's, and a share with Bob. `other` acts right before the commit of the first
  /// device that deletes the records from their old zone.
  private struct Race {
    let hooked = HookedStore(DistantStore(MemoryStore()))
    let world: ZoneWorld
    let desk: Container
    let laptop: Container
    let album: Album
    let share: Zone
    let bobs: Zone
    /// The library as the other device has it.
    let theirs: Zone

    init() throws {
      world = try ZoneWorld(hooked)
      let (ana, bob) = (try world.account("ana"), try world.account("bob"))
      desk = try world.open(ana)
      album = try Album(desk)
      share = try desk.privateDatabase.createZone(named: "Trip")
      _ = try desk.sharing.share(share, title: "Trip")
      _ = try desk.sharing.invite(bob.user, to: share, permission: .readWrite)
      bobs = try world.open(bob).participation.accept(share.id)
      let join = DeviceJoin(
        try desk.devices.linkCode(path: [47], now: 0), in: world.store, deviceName: "laptop")
      _ = try join.advance()
      _ = try desk.devices.answerJoins(now: 1)
      laptop = try world.open(try #require(try join.advance()))
      theirs = try #require(try laptop.zone(album.zone.id))
      try theirs.pull()
    }

    func move(while other: @escaping () throws -> Void) throws {
      let next = try album.zone.place(album.zone.header.sequence + 1)
      hooked.beforePut(next.description, other)
      try desk.recordMoves.move([album.posts[0]], from: album.zone, to: share)
      #expect(hooked.isSpent)
    }
  }

  @Test func `what another device saves in between comes along, and keeps what Bob saved`() throws {
    let race = try Race()
    let album = race.album
    let late = RecordID.random()
    try race.move {
      try race.theirs.save([
        Self.edit(album.posts[0], "title", "of the laptop"),
        RecordChange(
          id: late, act: .create(.typed("Picture")),
          fields: [
            "post": .reference(album.posts[0]), "file": .asset(try race.theirs.ingest([7, 7])),
          ]),
        RecordChange(id: album.thumbnails[0], act: .delete),
      ])
      try race.bobs.pull()
      try race.bobs.save([Self.edit(album.posts[0], "by", "bob")])
    }
    let whole: Set<RecordID> = [album.posts[0], album.pictures[0], late, album.tag]
    #expect(try Self.ids(race.bobs) == whole)
    #expect(try Self.text(album.posts[0], "title", race.bobs) == "of the laptop")
    #expect(try Self.text(album.posts[0], "by", race.bobs) == "bob")
    #expect(try Self.bytes(late, race.bobs) == [7, 7])
    #expect(
      try Self.ids(album.zone)
        == album.all.subtracting(album.first))
  }

  @Test func `what Bob deletes in between stays deleted`() throws {
    let race = try Race()
    let album = race.album
    try race.move {
      try race.bobs.pull()
      try race.bobs.save([RecordChange(id: album.thumbnails[0], act: .delete)])
      try race.theirs.save([Self.edit(album.posts[0], "title", "of the laptop")])
    }
    #expect(try Self.ids(race.bobs) == [album.posts[0], album.pictures[0], album.tag])
  }

  @Test(arguments: [false, true])
  func `two devices that move the same records leave them in one zone`(isSameZone: Bool) throws {
    let race = try Race()
    let album = race.album
    let target =
      try isSameZone
      ? #require(try race.laptop.zone(race.share.id))
      : race.laptop.privateDatabase.createZone(named: "Elsewhere")
    try race.move {
      try race.laptop.recordMoves.move([album.posts[0]], from: race.theirs, to: target)
    }
    let zones = try [album.zone, race.share, target].map { try Self.ids($0) }
    #expect(zones[0] == album.all.subtracting(album.first))
    #expect(zones[1] == (isSameZone ? album.first.union([album.tag]) : [album.tag]))
    #expect(zones[2] == album.first.union([album.tag]))
  }

  @Test func `a note that another device wrote moves nothing`() throws {
    let race = try Race()
    let album = race.album
    let move = RecordMove(
      nonce: .random(), source: album.zone.id, target: race.share.id, records: album.posts,
      through: album.zone.header.sequence, joined: race.share.header.sequence, founding: nil)
    try AccountZone.note(move, nil, in: race.laptop.accountZone)
    try race.desk.refresh()
    try race.desk.recordMoves.resume()
    #expect(try Self.ids(race.bobs).isEmpty)
    #expect(try Self.ids(album.zone) == album.all)
  }

  @Test func `records move only between own zones, and a move that doesn't fit changes nothing`()
    throws
  {
    let race = try Race()
    let album = race.album
    let bobs = try race.world.open(try race.world.account("carol"))
    let carols = try bobs.privateDatabase.createZone(named: "hers")
    #expect(
      try cloudCode {
        try race.desk.recordMoves.move([album.posts[0]], from: race.bobs, to: album.zone)
      } == .serverRejectedRequest)
    #expect(
      try cloudCode {
        try race.desk.recordMoves.move([.random()], from: album.zone, to: race.share)
      } == .unknownItem)
    let before = try race.desk.privateDatabase.zones().count
    let numbers = FieldValue.list((0..<30_000).map { .integer($0) })
    let many = (0..<3).map { _ in
      RecordChange(
        id: .random(), act: .create(.typed("Row")),
        fields: ["post": .reference(album.posts[0]), "numbers": numbers])
    }
    for change in many { try album.zone.save([change]) }
    #expect(try cloudCode { try carols.save(many) } == .limitExceeded)
    #expect(
      try cloudCode {
        _ = try race.desk.recordMoves.share([album.posts[0]], of: album.zone, title: "Large")
      } == .limitExceeded)
    #expect(try Self.ids(album.zone).isSuperset(of: album.all))
    #expect(try race.desk.privateDatabase.zones().count == before)
    try race.desk.recordMoves.resume()
    #expect(try Self.ids(album.zone).isSuperset(of: album.all))
  }
}
