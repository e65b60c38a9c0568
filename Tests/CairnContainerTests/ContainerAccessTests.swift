import CairnStore
import CairnZone
import Testing

@testable import CairnContainer
@testable import CairnIdentity
@testable import CairnReplica

/// Keys follow access: a person can read nothing that is committed after the removal.
struct ContainerAccessTests {
  @Test func `a removed person reads the removal, and nothing after it`() throws {
    let world = try ZoneWorld()
    let (ana, bob, accounts) = try world.shared()
    try ana.write("before", [1])
    let container = try world.open(accounts[0], index: "\(world.folder)/index-1")
    let zone = try #require(try container.zone(ana.id))
    try container.access.remove(accounts[1].user, from: zone)
    #expect(zone.header.epoch == 2 && !zone.header.isRekeyDue)
    try zone.write("after", [2])

    try bob.pull()
    #expect(bob.header.rights(of: accounts[1].user).isEmpty)
    #expect(bob.header.epoch == 2)
    #expect(!bob.canReadOn)
    #expect(try bob.names() == ["before"])
    #expect(bob.header.sequence == zone.header.sequence - 1)
    #expect(try cloudCode { try bob.write("forced", [3]) } == .permissionFailure)
    // The raw objects, opened with the old key, show nothing either.
    let entry = try #require(try world.store.get(zone.place(zone.header.sequence)))
    #expect(throws: EntryProblem.noKey(epoch: 2)) {
      try EntryCodec.open(
        entry, zone: ana.id, sequence: zone.header.sequence, keys: bob.keyring(),
        opener: .init(account: accounts[1]), signKey: { try container.people.signKey(of: $0) })
    }
  }

  @Test func `an earlier invitation is accepted after a change of key without the owner`()
    throws
  {
    let world = try ZoneWorld()
    let (ana, bob, cleo) = (
      try world.account("ana"), try world.account("bob"), try world.account("cleo")
    )
    let container = try world.open(ana)
    let zone = try container.privateDatabase.createZone(named: "Trip")
    _ = try container.sharing.share(zone, title: "Trip")
    for user in [bob.user, cleo.user] {
      _ = try container.sharing.invite(user, to: zone, permission: .readWrite)
    }
    _ = try world.open(bob).participation.accept(zone.id)
    try zone.pull()
    try zone.write("one", [1])
    try container.access.remove(bob.user, from: zone)
    try zone.write("two", [2])
    let accepted = try world.open(cleo).participation.accept(zone.id)
    #expect(try accepted.files() == ["one": [1], "two": [2]])
    try accepted.write("three", [3])
    try zone.pull()
    #expect(try zone.names() == ["one", "two", "three"])
    // A removed member returns only by a new invitation, and then has everything.
    #expect(
      try cloudCode { _ = try world.open(bob).participation.accept(zone.id) } == .permissionFailure)
    _ = try container.sharing.invite(bob.user, to: zone, permission: .readOnly)
    let back = try world.open(bob).participation.accept(zone.id)
    #expect(try back.names() == ["one", "two", "three"])
    #expect(!back.header.mayWrite(bob.user))
  }

  @Test func `a participant's leaving makes a new key due for the owner's device`() throws {
    let world = try ZoneWorld()
    let (ana, bob, accounts) = try world.shared()
    try bob.changeShare([.remove(user: accounts[1].user)])
    let container = try world.open(accounts[0], index: "\(world.folder)/index-1")
    let zone = try #require(try container.zone(ana.id))
    try container.access.rekeyIfDue(zone)
    #expect(zone.header.epoch == 2 && !zone.header.isRekeyDue)
    try container.access.rekeyIfDue(zone)
    #expect(zone.header.epoch == 2)
    try zone.write("later", [1])
    try bob.pull()
    #expect(try bob.names().isEmpty)
    #expect(!bob.canReadOn)
  }

  @Test func `a zone moves to the database that its owner chooses, on both sides`() throws {
    let world = try ZoneWorld()
    let (ana, bob) = (try world.account("ana"), try world.account("bob"))
    let (anas, bobs) = (try world.open(ana), try world.open(bob))
    let zone = try anas.privateDatabase.createZone(named: "Trip")
    _ = try anas.sharing.share(zone, title: "Trip")
    _ = try anas.sharing.invite(bob.user, to: zone, permission: .readWrite)
    let accepted = try bobs.participation.accept(zone.id)
    try zone.pull()
    try zone.write("one", [1])
    try anas.ownership.offer(zone, to: bob.user)
    try accepted.pull()
    #expect(!anas.ownership.isMisplaced(zone) && !bobs.ownership.isMisplaced(accepted))
    try bobs.ownership.takeOver(accepted)
    try zone.pull()
    #expect(anas.ownership.isMisplaced(zone) && bobs.ownership.isMisplaced(accepted))
    let (lost, got) = (try anas.ownership.replace(zone), try bobs.ownership.replace(accepted))
    #expect(lost.scope == .shared && got.scope == .private)
    #expect(try anas.privateDatabase.zones().isEmpty)
    #expect(try bobs.privateDatabase.zones().map(\.id) == [zone.id])
    #expect(try lost.files() == ["one": [1]])
    try got.write("two", Crypto.random(100_000))
    // The contents of the new owner's folder are stored with the new owner.
    #expect(try world.keys("users/\(bob.user)/packs/").count == 1)
    try lost.pull()
    #expect(try lost.names() == ["one", "two"])
  }

  @Test func `a purged zone is gone for all, and its content leaves the container`() throws {
    let world = try ZoneWorld()
    let (ana, bob, accounts) = try world.shared()
    let container = try world.open(accounts[0], index: "\(world.folder)/index-1")
    let zone = try #require(try container.zone(ana.id))
    let other = try container.privateDatabase.createZone(named: "Other")
    try other.write("kept", Crypto.random(100_000))
    try zone.write("large", Crypto.random(200_000))
    #expect(try world.keys("users/\(accounts[0].user)/packs/").count == 2)
    try container.ownership.purge(zone)
    #expect(try world.keys("users/\(accounts[0].user)/packs/").count == 1)
    #expect(try other.files()["kept"]?.count == 100_000)
    try bob.pull()
    #expect(bob.header.isPurged)
    #expect(try cloudCode { try bob.write("more", [1]) } == .permissionFailure)
  }

  @Test func `only administrators change the public permission, and losses are named`() throws {
    let world = try ZoneWorld()
    let (ana, bob, accounts) = try world.shared()
    let container = try world.open(accounts[0], index: "\(world.folder)/index-1")
    let zone = try #require(try container.zone(ana.id))
    let cleo = try world.account("cleo").user
    _ = try container.sharing.invite(cleo, to: zone, permission: .readOnly)
    #expect(
      Set(container.access.loss(settingPublic: .readOnly, of: zone).map(\.kind))
        == [.invitation, .nameAndWriting])
    #expect(container.access.loss(settingPublic: .none, of: zone).isEmpty)
    try container.access.setPublic(.readOnly, of: zone)
    #expect(container.access.loss(settingPublic: .none, of: zone).map(\.kind) == [.access])
    try bob.pull()
    #expect(bob.canReadOn)
    let bobs = try world.open(accounts[1])
    #expect(try cloudCode { try bobs.access.setPublic(.none, of: bob) } == .permissionFailure)
  }
}
