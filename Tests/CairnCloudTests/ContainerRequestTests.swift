import CairnStore
import CairnZone
import Testing

@testable import CairnCloud

/// Asking for access: who learns what, and who is asked.
struct ContainerRequestTests {
  private func sharing(_ world: ZoneWorld) throws -> (container: Container, zone: Zone) {
    let container = try world.open(try world.account("ana"))
    let zone = try container.privateDatabase.createZone(named: "Trip")
    _ = try container.share(zone, title: "Trip")
    return (container, zone)
  }

  private func refusal(_ body: () throws -> Void) throws -> CloudError? {
    do { try body() } catch let error as CloudError { return error }
    return nil
  }

  @Test func `a closed door and none are the same, and nothing is touched`() throws {
    let world = try ZoneWorld()
    let (container, zone) = try sharing(world)
    let bobs = try world.open(try world.account("bob"))
    let before = try world.keys()
    let nowhere = ShareLink(
      container: world.id, founder: container.account.user, zone: ZoneID(Bytes32.zero))
    let missing = try refusal { try bobs.requestAccess(to: nowhere, text: "let me in") }
    let closed = try refusal { try bobs.requestAccess(to: world.link(zone), text: "let me in") }
    #expect(missing?.code == .permissionFailure && missing == closed)
    #expect(try world.keys() == before)
    try container.setAccessRequests(true, of: zone)
    try bobs.requestAccess(to: world.link(zone), text: "let me in")
    try container.setAccessRequests(false, of: zone)
    #expect(try refusal { try bobs.requestAccess(to: world.link(zone), text: "") } == closed)
    #expect(try world.keys(zone.folder.door.description).isEmpty)
    // What was asked before isn't answered any more.
    #expect(try container.accessRequests().isEmpty)
    #expect(try world.keys("users/\(container.account.user)/inbox/").isEmpty)
  }

  @Test func `a request says who asks and goes when it was handled`() throws {
    let world = try ZoneWorld()
    let (container, zone) = try sharing(world)
    let (bob, carol) = (try world.account("bob"), try world.account("carol"))
    let (bobs, carols) = (try world.open(bob), try world.open(carol))
    try container.setAccessRequests(true, of: zone)
    try bobs.requestAccess(to: world.link(zone), text: "one")
    try bobs.requestAccess(to: world.link(zone), text: "two")
    try carols.requestAccess(to: world.link(zone), text: "")
    let asked = try container.accessRequests()
    #expect(asked.count == 2)
    #expect(asked.first { $0.author.user == bob.user }?.text == "two")
    _ = try container.invite(bob.user, to: zone, permission: .readOnly)
    #expect(try container.accessRequests().map(\.author.user) == [carol.user])
    let invited = try refusal { try bobs.requestAccess(to: world.link(zone), text: "") }
    #expect(invited?.code == .participantAlreadyInvited)
    _ = try bobs.accept(zone.id)
    let member = try refusal { try bobs.requestAccess(to: world.link(zone), text: "") }
    #expect(member?.code == .participantAlreadyInvited)
    #expect(try container.denyRequests(of: carol.user, to: zone))
    #expect(try !container.denyRequests(of: carol.user, to: zone))
    #expect(try container.accessRequests().isEmpty)
    let long = String(repeating: "x", count: 1_001)
    let tooLong = try refusal { try carols.requestAccess(to: world.link(zone), text: long) }
    #expect(tooLong?.code == .limitExceeded)
  }

  @Test func `who is blocked is out, and isn't heard`() throws {
    let world = try ZoneWorld()
    let (container, zone) = try sharing(world)
    let bob = try world.account("bob")
    let bobs = try world.open(bob)
    try container.setAccessRequests(true, of: zone)
    _ = try container.invite(bob.user, to: zone, permission: .readWrite)
    let taken = try bobs.accept(zone.id)
    let epoch = zone.header.epoch
    try zone.pull()
    try container.block(bob.user, in: zone)
    #expect(zone.header.epoch == epoch + 1, "what comes now isn't for them")
    try taken.pull()
    #expect(!taken.canReadOn)
    try bobs.requestAccess(to: world.link(zone), text: "please")
    #expect(try container.accessRequests().isEmpty)
    let invite = try refusal {
      _ = try container.invite(bob.user, to: zone, permission: .readOnly)
    }
    #expect(invite?.code == .invalidArguments)
    try container.unblock(bob.user, in: zone)
    try bobs.requestAccess(to: world.link(zone), text: "please")
    #expect(try container.accessRequests().count == 1)
  }

  @Test func `a door that somebody else put there leads to nobody`() throws {
    let world = try ZoneWorld()
    let (container, zone) = try sharing(world)
    let (bob, eve) = (try world.account("bob"), try world.account("eve"))
    let bobs = try world.open(bob)
    let key = zone.folder.door
    let first = try #require(try world.store.get(zone.place(1)))
    let nonce = try #require(
      EntryCodec.nonce(of: first, zone: zone.id, keys: zone.keyring()))
    for forged in [
      Door(owner: eve.user, nonce: nonce).encoded(),
      Door(owner: eve.user, nonce: .random()).encoded(),
      [], Array(repeating: 7, count: 300),
    ] {
      _ = try world.store.put(key, forged)
      let error = try refusal { try bobs.requestAccess(to: world.link(zone), text: "") }
      #expect(error?.code == .permissionFailure)
      #expect(try world.keys("users/\(eve.user)/inbox/").isEmpty)
      try world.store.delete(key)
    }
    try container.setAccessRequests(true, of: zone)
    #expect(try world.store.get(key) == Door(owner: container.account.user, nonce: nonce).encoded())
    // A request that somebody else signed for Bob doesn't count.
    let ana = try #require(try container.people.person(container.account.user))
    let lie = AccessRequest(
      id: .random(), container: world.id, zone: zone.id, text: "", author: eve.author, time: 1)
    var bytes = try #require(lie.sealed(to: ana, by: eve))
    bytes[bytes.count - 5] ^= 1
    _ = try world.store.put(Inbox.key(of: ana.id, lie.id), bytes)
    #expect(try container.accessRequests().isEmpty)
  }
}
