import CairnStore
import CairnZone
import Foundation
import Testing

@testable import CairnCloud

/// The public database: everybody reads, people create, creators change and delete.
@Suite struct PublicZoneTests {
  private func create(
    _ name: String, _ zone: Zone, _ bytes: [UInt8] = [1, 2, 3]
  ) throws -> RecordID {
    let id = RecordID.random()
    let place = Place(parent: .root, name: try #require(FileName(name)))
    let content = try zone.ingest(bytes)
    try zone.save([RecordChange(id: id, act: .create(.file), place: place, content: content)])
    return id
  }

  private func code(_ body: () throws -> Void) -> CloudError.Code? {
    do {
      try body()
      return nil
    } catch {
      return (error as? CloudError)?.code
    }
  }

  @Test func `people create, and only the creator changes and deletes`() throws {
    let world = try ZoneWorld()
    let ana = try world.open(try world.account("ana")).foundedPublicZone()
    let bob = try world.open(try world.account("bob")).foundedPublicZone()
    #expect(ana.id == bob.id && ana.id == .public(in: world.id) && ana.scope == .public)
    let anas = try create("ana", ana)
    try bob.pull()
    let bobs = try create("bob", bob)
    #expect(try bob.mayWrite && bob.read { try !$0.mayWrite(anas) && $0.mayWrite(bobs) })
    let attributes = Attributes(isExecutable: true, modified: 1)
    #expect(
      code { try bob.save([RecordChange(id: anas, act: .update, attributes: attributes)]) }
        == .permissionFailure)
    #expect(code { try bob.save([RecordChange(id: anas, act: .delete)]) } == .permissionFailure)
    // A refusal stopped nothing.
    try bob.save([RecordChange(id: bobs, act: .update, attributes: attributes)])
    try ana.save([RecordChange(id: anas, act: .delete)])
    try bob.pull()
    #expect(try bob.read { try $0.record(anas) } == nil)
    #expect(try bob.read { try $0.record(bobs)?.attributes } == attributes)
  }

  @Test func `two who begin the zone at once begin one zone`() throws {
    let world = try ZoneWorld()
    let zones = try ["ana", "bob"].map { try world.open(try world.account($0)).publicZone() }
    for zone in zones { try zone.found(named: "Public") }
    #expect(zones.map(\.header.head).count == 2 && zones[0].header.head == zones[1].header.head)
    #expect(try world.keys("\(zones[0].folder.path)/").count == 1)
  }

  @Test func `rubbish in the first places spoils the public zone for nobody`() throws {
    let world = try ZoneWorld()
    let id = ZoneID.public(in: world.id)
    for place in [1, 2] as [UInt64] {
      _ = try world.store.put(
        ZoneFolder(zone: id, founder: nil).place(place, .public(in: world.id)),
        ContentPieces.noise(200 + Int(place)))
    }
    let ana = try world.open(try world.account("ana")).foundedPublicZone()
    let record = try create("ana", ana)
    #expect(ana.header.sequence == 4)
    let bob = try world.open(try world.account("bob")).foundedPublicZone()
    #expect(bob.header.head == ana.header.head)
    #expect(try bob.read { try $0.record(record) } != nil)
  }

  @Test func `packs lie with who wrote them`() throws {
    let world = try ZoneWorld()
    let bob = try world.account("bob")
    _ = try world.open(try world.account("ana")).foundedPublicZone()
    let zone = try world.open(bob).foundedPublicZone()
    let bytes = Crypto.random(300_000)
    let id = try create("large", zone, bytes)
    #expect(try !world.keys("users/\(bob.user)/packs/").isEmpty)
    let reader = try world.anonymous().publicZone()
    try reader.pull()
    let content = try #require(try reader.read { try $0.record(id)?.content })
    var read: [UInt8] = []
    try reader.readContent(content) { read += $0 }
    #expect(read == bytes)
  }

  @Test func `an anonymous home reads, and nothing is written for it`() throws {
    let world = try ZoneWorld()
    let id = try create("f", try world.open(try world.account("ana")).foundedPublicZone())
    let before = try world.keys()
    let container = try world.anonymous()
    let zone = try container.publicZone()
    try zone.pull()
    #expect(try zone.read { try $0.record(id) } != nil)
    #expect(try !zone.mayWrite && zone.read { try !$0.mayWrite(id) && !$0.mayWrite(.random()) })
    #expect(code { _ = try container.foundedPublicZone() } == .notAuthenticated)
    #expect(
      code { _ = try container.privateDatabase.createZone(named: "x") } == .notAuthenticated)
    #expect(throws: CloudError.self) { try zone.save([RecordChange(id: id, act: .delete)]) }
    try container.addMount(zone.id, path: [47])
    #expect(try container.mounts().map(\.zone) == [zone.id])
    #expect(try container.zone(zone.id) === zone)
    #expect(try world.keys() == before)
  }

  @Test func `forged authors have no effect, and are told of`() throws {
    let world = try ZoneWorld()
    let ana = try world.open(try world.account("ana")).foundedPublicZone()
    let id = try create("f", ana)
    // Somebody whom the container doesn't know, and somebody who says that they are Ana.
    let stranger = try Sample.account("mallory").account
    let key = ZoneKey.public(in: world.id)
    let header = ana.header
    let commit = Commit(
      previous: header.head, author: stranger.author, time: 0, epoch: 1,
      records: [RecordChange(id: id, act: .delete)])
    let forged = try EntryCodec.seal(
      commit, zone: ana.id, sequence: header.sequence + 1, key: key, boxesFor: [],
      account: stranger)
    #expect(
      try world.store.put(ana.place(header.sequence + 1), forged) == .stored)
    let pulled = try ana.pull()
    #expect(pulled.applied == 0 && pulled.refused.count == 1)
    #expect(try ana.read { try $0.record(id) } != nil)
    // Everybody goes on behind it.
    let bob = try world.open(try world.account("bob")).foundedPublicZone()
    let next = try create("g", bob)
    try ana.pull()
    #expect(try ana.read { try $0.record(next) } != nil)
    #expect(try ana.verify().contains { $0.reason.hasPrefix("has no effect") })
  }

  @Test func `rubbish in the log holds up nobody`() throws {
    let world = try ZoneWorld()
    let mallory = try world.account("mallory")
    let ana = try world.open(try world.account("ana")).foundedPublicZone()
    let head = ana.header.sequence
    #expect(try world.store.put(ana.place(head + 1), [1, 2, 3]) == .stored)
    // As if the entry before had been another one when it was written.
    let commit = Commit(previous: .zero, author: mallory.author, time: 0, epoch: 1)
    let entry = try EntryCodec.seal(
      commit, zone: ana.id, sequence: head + 2, key: .public(in: world.id), boxesFor: [],
      account: mallory)
    #expect(try world.store.put(ana.place(head + 2), entry) == .stored)
    #expect(try ana.pull().refused.map(\.sequence) == [head + 1, head + 2])
    let id = try create("f", ana)
    let reader = try world.anonymous().publicZone()
    try reader.pull()
    #expect(try reader.read { try $0.record(id) } != nil)
  }

  @Test func `zones and shares can't be made in the public database`() throws {
    let world = try ZoneWorld()
    let container = try world.open(try world.account("ana"))
    let zone = try container.foundedPublicZone()
    #expect(code { _ = try container.publicDatabase.createZone(named: "x") } == .badDatabase)
    #expect(code { _ = try container.share(zone, title: "x") } == .badDatabase)
    #expect(code { _ = try zone.changeShare([.title("x")], rekey: false) } == .invalidArguments)
    #expect(try container.publicDatabase.zones().map(\.id) == [zone.id])
  }
}

extension ZoneWorld {
  /// The container as a home without an account sees it.
  fileprivate func anonymous() throws -> Container {
    let path = "\(folder)/anonymous"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    return try Container(
      reading: store, id: id, account: try Sample.account("anonymous").account,
      indexFolder: path, ownStore: MemoryStore())
  }
}
