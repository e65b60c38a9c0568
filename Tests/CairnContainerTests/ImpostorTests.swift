import CairnStore
import CairnZone
import Testing

@testable import CairnContainer
@testable import CairnIdentity
@testable import CairnReplica

/// Identities in a container that shows false people.
struct ImpostorTests {
  private func hide(_ user: UserID, in world: ZoneWorld) throws -> [(ObjectKey, [UInt8])] {
    try world.keys("users/\(user)/log/").map { key in
      let bytes = try #require(try world.store.get(key))
      try world.store.delete(key)
      return (key, bytes)
    }
  }

  @Test func `nobody takes the place of a person whom the container hides`() throws {
    let world = try ZoneWorld()
    let (zone, _, accounts) = try world.shared()
    let (mine, bob) = (accounts[0], accounts[1].user)
    let index = world.folder + "/mine"
    let ana = try world.open(mine, index: index)
    let trip = try #require(try ana.zone(zone.id))
    try trip.pull()
    try ana.acquaintances.verify(try #require(try ana.people.person(bob)))
    let away = try hide(bob, in: world)
    let other = try world.account("bob").user
    // With an earlier reading, and with an empty index.
    for container in [ana, try world.open(mine)] {
      let view = try container.acquaintances.lookAtPeople()
      #expect(Set(view.claimants(of: "bob").map(\.id)) == [bob, other])
      #expect(view.hidden.map(\.id) == [bob])
      #expect(view.trust == [bob: .verified, other: .notVerified])
      #expect(view.doubt(about: bob) == .hidden)
      #expect(view.doubt(about: other) == .claimed(others: [bob]))
    }
    #expect(ana.upkeep.troubles.people[bob]?.kind == .lostEnd)
    let sent = try world.keys("users/\(bob)/inbox/")
    #expect(
      try cloudCode { _ = try ana.sharing.invite(bob, to: trip, permission: .readOnly) }
        == .changeTokenExpired)
    #expect(try world.keys("users/\(bob)/inbox/") == sent)
    #expect(trip.header.share?.participants[bob]?.permission == .readWrite)
    for (key, bytes) in away { _ = try world.store.put(key, bytes) }
    let after = try ana.acquaintances.lookAtPeople()
    #expect(after.hidden.isEmpty && after.doubt(about: bob) == nil)
    #expect(ana.upkeep.troubles.people.isEmpty)
  }

  @Test func `a person who is gone for good can be forgotten, which frees the handle`() throws {
    let world = try ZoneWorld()
    let ana = try world.open(try world.account("ana"))
    let bob = try world.account("bob").user
    try ana.acquaintances.verify(try #require(try ana.people.person(bob)))
    _ = try ana.acquaintances.lookAtPeople()
    _ = try hide(bob, in: world)
    let other = try world.account("bob").user
    #expect(try ana.acquaintances.lookAtPeople().claimants(of: "bob").count == 2)
    try ana.acquaintances.forget(bob)
    let view = try ana.acquaintances.lookAtPeople()
    #expect(view.claimants(of: "bob").map(\.id) == [other])
    #expect(view.known.isEmpty && view.doubt(about: other) == nil)
    #expect(ana.upkeep.troubles.people.isEmpty)
  }

  @Test func `a stranger who disappears is no problem, and keeps the handle`() throws {
    let world = try ZoneWorld()
    let ana = try world.open(try world.account("ana"))
    let carl = try world.account("carl").user
    _ = try ana.acquaintances.lookAtPeople()
    _ = try hide(carl, in: world)
    #expect(try ana.acquaintances.lookAtPeople().hidden.map(\.id) == [carl])
    #expect(ana.upkeep.troubles.people.isEmpty)
    let other = try world.account("carl").user
    #expect(try ana.acquaintances.lookAtPeople().doubt(about: other) == .claimed(others: [carl]))
  }

  @Test func `once somebody is verified, unverified people get a warning`() throws {
    let world = try ZoneWorld()
    let (zone, _, accounts) = try world.shared()
    let ana = try world.open(accounts[0])
    try #require(try ana.zone(zone.id)).pull()
    let carl = try world.account("carl").user
    #expect(try ana.acquaintances.lookAtPeople().doubt(about: carl) == nil)
    try ana.acquaintances.verify(try #require(try ana.people.person(accounts[1].user)))
    let view = try ana.acquaintances.lookAtPeople()
    #expect(view.doubt(about: carl) == .notVerified)
    #expect(view.doubt(about: accounts[1].user) == nil)
    _ = try People(store: world.store).append(to: accounts[1]) { me in
      .addDevice(DeviceRequest(name: "phone", keys: .random(), to: me))
    }
    #expect(try ana.acquaintances.lookAtPeople().doubt(about: accounts[1].user) == .changed)
  }

  private struct Refused: Error {}

  @Test func `an invitation's contents are shown before it is accepted`() throws {
    let world = try ZoneWorld()
    let (ana, bob) = (try world.account("ana"), try world.account("bob"))
    let anas = try world.open(ana)
    let zone = try anas.privateDatabase.createZone(named: "Trip")
    _ = try anas.sharing.share(zone, title: "Trip")
    try zone.write("file", [1, 2, 3])
    let once = try anas.links.oneTimeLink(to: zone, permission: .readOnly).secret
    _ = try anas.sharing.invite(bob.user, to: zone, permission: .readOnly)
    let head = zone.header.sequence
    let bobs = try world.open(bob)
    for link in [anas.links.link(to: zone), anas.links.link(to: zone, secret: once)] {
      let offer = try #require(try bobs.links.offer(link))
      #expect(offer.inviter == ana.user && offer.owner == ana.user && offer.title == "Trip")
      #expect(offer.permission == .readOnly)
      #expect(offer.summary == ZoneSummary(files: 1, directories: 0, bytes: 3))
      #expect(throws: Refused.self) { try bobs.links.accept(link) { _ in throw Refused() } }
    }
    try zone.pull()
    #expect(zone.header.sequence == head)
    #expect(try bobs.sharedDatabase.zones().isEmpty && bobs.participation.invitations().count == 1)
    var asked = 0
    _ = try bobs.links.accept(anas.links.link(to: zone, secret: once)) { _ in asked += 1 }
    #expect(asked == 1)
    #expect(try bobs.links.offer(anas.links.link(to: zone)) == nil)
  }

  @Test func `one person's link is no link by another of the same handle`() throws {
    let world = try ZoneWorld()
    let (ana, eve) = (try world.account("ana"), try world.account("ana"))
    let (anas, eves) = (try world.open(ana), try world.open(eve))
    let zone = try anas.privateDatabase.createZone(named: "Trip")
    _ = try anas.sharing.share(zone, title: "Trip")
    let secret = try anas.links.oneTimeLink(to: zone, permission: .readOnly).secret
    let keys = LinkKeys(secret: secret)
    // A person with the link and the container puts their own sealed object behind it.
    let theirs = try eves.privateDatabase.createZone(named: "Trip")
    _ = try eves.sharing.share(theirs, title: "Trip")
    var invitation = try eves.sharing.invitation(to: theirs, permission: .readOnly)
    let bobs = try world.open(try world.account("bob"))
    for owner in [eve.user, ana.user] {
      invitation.owner = owner
      invitation.zone = zone.id
      let bytes = try #require(
        invitation.sealed(to: keys.id.bytes, key: keys.box.publicKey, by: eve))
      try world.store.delete(zone.folder.link(keys.id))
      _ = try world.store.put(zone.folder.link(keys.id), bytes)
      let code = try cloudCode {
        _ = try bobs.links.accept(anas.links.link(to: zone, secret: secret))
      }
      #expect(code == .permissionFailure)
    }
    #expect(try bobs.sharedDatabase.zones().isEmpty)
  }
}
