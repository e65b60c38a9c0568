import CairnStore
import CairnZone
import Foundation
import Testing

@testable import CairnContainer
@testable import CairnIdentity
@testable import CairnReplica

/// The public database: everybody reads, and each person publishes in a zone of their own.
@Suite struct PublicZoneTests {
  private func code(_ body: () throws -> Void) -> CloudError.Code? {
    do {
      try body()
      return nil
    } catch {
      return (error as? CloudError)?.code
    }
  }

  @Test func `each publishes in a zone of their own, and only its author changes it`() throws {
    let world = try ZoneWorld()
    let (ana, bob) = (try world.account("ana"), try world.account("bob"))
    let containers = try [ana, bob].map { try world.open($0) }
    let zones = try containers.map { try $0.publicZones.founded() }
    #expect(zones[0].id == .public(in: world.id, by: ana.user) && zones[0].scope == .public)
    #expect(zones[0].id != zones[1].id && zones[0].author == ana.user)
    let record = try zones[0].write("plan", [1])
    try zones[1].write("plan", [2])
    let theirs = try containers[1].publicZones.zone(of: ana.user)
    try theirs.pull()
    #expect(!theirs.mayWrite && zones[0].mayWrite && zones[1].mayWrite)
    #expect(try theirs.files() == ["plan": [1]])
    #expect(
      code { try theirs.save([RecordChange(id: record, act: .delete)]) } == .permissionFailure)
    #expect(code { try theirs.write("mine", [3]) } == .permissionFailure)
    // A refusal stopped nothing.
    try zones[0].save([RecordChange(id: record, act: .delete)])
    try zones[1].write("more", [4])
    try theirs.pull()
    #expect(try theirs.files().isEmpty && zones[1].files() == ["plan": [2], "more": [4]])
    let found = try world.anonymous().publicZones.all().map(\.id)
    #expect(Set(found) == Set(zones.map(\.id)))
  }

  @Test func `two devices of one author write into one log`() throws {
    let world = try ZoneWorld()
    let ana = try world.account("ana")
    let first = try world.open(ana)
    let other = try world.open(try world.device(of: first, "laptop"))
    let zones = try [first, other].map { try $0.publicZones.own() }
    for (container, zone) in zip([first, other], zones) {
      #expect(try container.publicZones.founded() === zone)
    }
    #expect(try world.keys("\(zones[0].folder.path)/").count == 1)
    for (number, zone) in zones.enumerated() {
      try zone.pull()
      try zone.write("of \(number)", [UInt8(number)])
    }
    for zone in zones { try zone.pull() }
    #expect(zones[0].header == zones[1].header && zones[0].header.sequence == 3)
    let reader = try world.anonymous().publicZones.zone(of: ana.user)
    try reader.pull()
    #expect(try reader.files() == ["of 0": [0], "of 1": [1]])
    #expect(try reader.verify().isEmpty)
  }

  @Test func `packs are stored with their author`() throws {
    let world = try ZoneWorld()
    let bob = try world.account("bob")
    let zone = try world.open(bob).publicZones.founded()
    let bytes = Crypto.random(300_000)
    try zone.write("large", bytes)
    #expect(try !world.keys("users/\(bob.user)/packs/").isEmpty)
    let reader = try world.anonymous().publicZones.zone(of: bob.user)
    try reader.pull()
    #expect(try reader.files() == ["large": bytes])
  }

  @Test func `an anonymous home reads, and nothing is written for it`() throws {
    let world = try ZoneWorld()
    let ana = try world.account("ana")
    let id = try world.open(ana).publicZones.founded().write("f", [1])
    let before = try world.keys()
    let container = try world.anonymous()
    let zone = try container.publicZones.zone(of: ana.user)
    try zone.pull()
    #expect(try zone.read { try $0.record(id) } != nil)
    #expect(try !zone.mayWrite && zone.read { !$0.mayWrite })
    #expect(code { _ = try container.publicZones.founded() } == .notAuthenticated)
    #expect(
      code { _ = try container.privateDatabase.createZone(named: "x") } == .notAuthenticated)
    #expect(throws: CloudError.self) { try zone.save([RecordChange(id: id, act: .delete)]) }
    try container.addMount(zone.id, path: [47])
    #expect(try container.mounts().map(\.zone) == [zone.id])
    #expect(try container.zone(zone.id) === zone)
    #expect(try world.keys() == before)
  }

  @Test func `a mounted zone is found by its id, even without the container`() throws {
    let world = try ZoneWorld()
    let (ana, bob) = (try world.account("ana"), try world.account("bob"))
    let id = try world.open(ana).publicZones.founded().id
    let index = "\(world.folder)/bob"
    #expect(try world.open(bob, index: index).zone(id)?.author == ana.user)
    try world.open(bob, index: index).publicZones.zone(of: ana.user).pull()
    let gone = FaultyStore(world.store)
    let container = try world.open(bob, index: index, store: gone)
    gone.fail(call: 1, .before)
    #expect(try container.zone(id)?.author == ana.user)
    #expect(try container.zone(.derive(owner: ana.user, nonce: .random())) == nil)
    // A mount contains the owner. Then neither the index nor the container is needed.
    try container.addMount(id, path: [47])
    let mount = try #require(try container.mounts().first)
    #expect(mount.author == ana.user)
    let fresh = try world.open(bob, store: gone)
    try fresh.refresh()
    try world.store.list("users/\(ana.user)/", after: nil, limit: 100).forEach {
      try world.store.delete($0)
    }
    #expect(try fresh.zone(id) == nil && fresh.zone(of: mount)?.author == ana.user)
  }

  @Test func `zones and shares can't be made in the public database`() throws {
    let world = try ZoneWorld()
    let container = try world.open(try world.account("ana"))
    let zone = try container.publicZones.founded()
    #expect(code { _ = try container.publicDatabase.createZone(named: "x") } == .badDatabase)
    #expect(code { _ = try container.sharing.share(zone, title: "x") } == .badDatabase)
    #expect(code { _ = try zone.changeShare([.title("x")], rekey: false) } == .invalidArguments)
    #expect(try container.publicDatabase.zones().map(\.id) == [zone.id])
  }
}

extension ZoneWorld {
  /// Returns the container for a home without an account, which remembers nothing.
  func anonymous() throws -> Container {
    let path = "\(folder)/anonymous-\(UUID())"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    return try Container(
      reading: store, id: id, account: try Sample.account("anonymous").account,
      indexFolder: path, ownStore: MemoryStore())
  }

  /// Returns another device of a person.
  func device(of container: Container, _ name: String) throws -> Account {
    let join = DeviceJoin(
      try container.devices.linkCode(path: [47], now: 0), in: store, deviceName: name)
    #expect(try join.advance() == nil)
    #expect(try container.devices.answerJoins(now: 1).count == 1)
    let account = try #require(try join.advance())
    join.clean()
    return account
  }
}
