import CairnStore
import CairnWire
import CairnZone
import FoundationEssentials
import Testing

@testable import CairnContainer
@testable import CairnIdentity
@testable import CairnReplica

/// Requests for access: their contents, and their recipients.
struct ContainerRequestTests {
  private func sharing(_ world: ZoneWorld) throws -> (container: Container, zone: Zone) {
    let container = try world.open(try world.account("ana"))
    let zone = try container.privateDatabase.createZone(named: "Trip")
    _ = try container.sharing.share(zone, title: "Trip")
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
    let missing = try refusal { try bobs.requests.requestAccess(to: nowhere, text: "let me in") }
    let closed = try refusal {
      try bobs.requests.requestAccess(to: world.link(zone), text: "let me in")
    }
    #expect(missing?.code == .permissionFailure && missing == closed)
    #expect(try world.keys() == before)
    try container.requests.setAllowed(true, of: zone)
    try bobs.requests.requestAccess(to: world.link(zone), text: "let me in")
    try container.requests.setAllowed(false, of: zone)
    #expect(
      try refusal { try bobs.requests.requestAccess(to: world.link(zone), text: "") } == closed)
    #expect(try world.keys(zone.folder.door.description).isEmpty)
    // Earlier requests aren't answered any more.
    #expect(try container.requests.waiting().isEmpty)
    #expect(try world.keys("users/\(container.account.user)/inbox/").isEmpty)
  }

  @Test func `a request names the asker and is deleted once it was handled`() throws {
    let world = try ZoneWorld()
    let (container, zone) = try sharing(world)
    let (bob, carol) = (try world.account("bob"), try world.account("carol"))
    let (bobs, carols) = (try world.open(bob), try world.open(carol))
    try container.requests.setAllowed(true, of: zone)
    try bobs.requests.requestAccess(to: world.link(zone), text: "one")
    try bobs.requests.requestAccess(to: world.link(zone), text: "two")
    try carols.requests.requestAccess(to: world.link(zone), text: "")
    let asked = try container.requests.waiting()
    #expect(asked.count == 2)
    #expect(asked.first { $0.author.user == bob.user }?.text == "two")
    _ = try container.sharing.invite(bob.user, to: zone, permission: .readOnly)
    #expect(try container.requests.waiting().map(\.author.user) == [carol.user])
    let invited = try refusal { try bobs.requests.requestAccess(to: world.link(zone), text: "") }
    #expect(invited?.code == .participantAlreadyInvited)
    _ = try bobs.participation.accept(zone.id)
    let member = try refusal { try bobs.requests.requestAccess(to: world.link(zone), text: "") }
    #expect(member?.code == .participantAlreadyInvited)
    #expect(try container.requests.deny(carol.user, to: zone))
    #expect(try !container.requests.deny(carol.user, to: zone))
    #expect(try container.requests.waiting().isEmpty)
    let long = String(repeating: "x", count: 1_001)
    let tooLong = try refusal {
      try carols.requests.requestAccess(to: world.link(zone), text: long)
    }
    #expect(tooLong?.code == .limitExceeded)
  }

  @Test func `a second request counts, whatever the asker's clock says`() throws {
    let world = try ZoneWorld()
    let (container, zone) = try sharing(world)
    let bob = try world.account("bob")
    let bobs = try world.open(bob)
    try container.requests.setAllowed(true, of: zone)
    try bobs.requests.requestAccess(to: world.link(zone), text: "one")
    #expect(try container.requests.waiting().map(\.text) == ["one"])
    let ana = try #require(try container.people.person(container.account.user))
    for (text, time) in [("two", Int64.min), ("three", .max), ("four", 0)] {
      let request = AccessRequest(
        id: .random(), container: world.id, zone: zone.id, text: text, author: bob.author,
        recipient: ana.id, time: time)
      let sealed = try #require(request.sealed(to: ana, by: bob))
      _ = try world.store.put(Inbox.key(of: ana.id, request.id), sealed)
      #expect(try container.requests.waiting().map(\.text) == [text])
      #expect(try container.requests.waiting().map(\.time) == [time])
    }
    // One answer covers all of them.
    #expect(try container.requests.deny(bob.user, to: zone))
    #expect(try world.keys("users/\(ana.id)/inbox/").isEmpty)
  }

  @Test func `a blocked person is removed, and their requests are ignored`() throws {
    let world = try ZoneWorld()
    let (container, zone) = try sharing(world)
    let bob = try world.account("bob")
    let bobs = try world.open(bob)
    try container.requests.setAllowed(true, of: zone)
    _ = try container.sharing.invite(bob.user, to: zone, permission: .readWrite)
    let taken = try bobs.participation.accept(zone.id)
    let epoch = zone.header.epoch
    try zone.pull()
    try container.requests.block(bob.user, in: zone)
    #expect(zone.header.epoch == epoch + 1, "what comes now isn't for them")
    try taken.pull()
    #expect(!taken.canReadOn)
    try bobs.requests.requestAccess(to: world.link(zone), text: "please")
    #expect(try container.requests.waiting().isEmpty)
    let invite = try refusal {
      _ = try container.sharing.invite(bob.user, to: zone, permission: .readOnly)
    }
    #expect(invite?.code == .invalidArguments)
    try container.requests.unblock(bob.user, in: zone)
    try bobs.requests.requestAccess(to: world.link(zone), text: "please")
    #expect(try container.requests.waiting().count == 1)
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
      let error = try refusal { try bobs.requests.requestAccess(to: world.link(zone), text: "") }
      #expect(error?.code == .permissionFailure)
      #expect(try world.keys("users/\(eve.user)/inbox/").isEmpty)
      try world.store.delete(key)
    }
    try container.requests.setAllowed(true, of: zone)
    #expect(try world.store.get(key) == Door(owner: container.account.user, nonce: nonce).encoded())
    // A request that somebody else signed for Bob doesn't count.
    let ana = try #require(try container.people.person(container.account.user))
    let lie = AccessRequest(
      id: .random(), container: world.id, zone: zone.id, text: "", author: eve.author,
      recipient: ana.id, time: 1)
    var bytes = try #require(lie.sealed(to: ana, by: eve))
    bytes[bytes.count - 5] ^= 1
    _ = try world.store.put(Inbox.key(of: ana.id, lie.id), bytes)
    #expect(try container.requests.waiting().isEmpty)
  }

  /// Returns Ana's share with Cleo, who administers it, and Dan, who doesn't.
  private func administered(_ world: ZoneWorld) throws -> (
    ana: Container, zone: Zone, cleo: Container, dan: Container
  ) {
    let (ana, zone) = try sharing(world)
    try ana.requests.setAllowed(true, of: zone)
    var others: [Container] = []
    for name in ["cleo", "dan"] {
      let account = try world.account(name)
      let other = try world.open(account)
      _ = try ana.sharing.invite(account.user, to: zone, permission: .readWrite)
      _ = try other.participation.accept(zone.id)
      others.append(other)
    }
    try zone.pull()
    try ana.access.setRole(.administrator, of: others[0].account.user, in: zone)
    for other in others { try other.zone(zone.id)?.pull() }
    return (ana, zone, others[0], others[1])
  }

  @Test func `a request reaches the administrators, and one answer is enough`() throws {
    let world = try ZoneWorld()
    let (ana, zone, cleo, dan) = try administered(world)
    let bob = try world.account("bob")
    try world.open(bob).requests.requestAccess(to: world.link(zone), text: "please")
    #expect(try cleo.requests.waiting().isEmpty, "who asks knows the owner only")
    var passed: Set<ObjectKey> = []
    try ana.requests.passOn(&passed)
    #expect(try cleo.requests.waiting().map(\.text) == ["please"])
    #expect(try cleo.requests.waiting() == ana.requests.waiting())
    #expect(try dan.requests.waiting().isEmpty)
    let theirs = try #require(try cleo.zone(zone.id))
    #expect(try cleo.requests.deny(bob.user, to: theirs))
    #expect(try ana.requests.waiting().isEmpty && cleo.requests.waiting().isEmpty)
    try ana.requests.passOn(&passed)
    #expect(try cleo.requests.waiting().isEmpty)
    // A person let in by one of them doesn't ask the others any more.
    try world.open(bob).requests.requestAccess(to: world.link(zone), text: "again")
    try ana.requests.passOn(&passed)
    _ = try cleo.sharing.invite(bob.user, to: theirs, permission: .readOnly)
    try zone.pull()
    #expect(try ana.requests.waiting().isEmpty && cleo.requests.waiting().isEmpty)
  }

  @Test func `a forwarded request counts only if the owner was asked`() throws {
    let world = try ZoneWorld()
    let (ana, zone, cleo, dan) = try administered(world)
    let bob = try world.account("bob")
    let cleos = try #require(try ana.people.person(cleo.account.user))
    // Bob asked Dan, who owns nothing. Dan forwards the request, as himself and as Ana.
    let dans = try #require(try ana.people.person(dan.account.user))
    let asked = AccessRequest(
      id: .random(), container: world.id, zone: zone.id, text: "", author: bob.author,
      recipient: dans.id, time: 1)
    let stored = try #require(asked.sealed(to: dans, by: bob))
    let message = try SealedMessage(stored) { dan.account.open($0) }
    for claimed in [dans.id, ana.account.user] {
      let further = try #require(message.passedOn(by: claimed, key: cleos.encryptionKey))
      _ = try world.store.put(Inbox.key(of: cleos.id, .random()), further)
    }
    #expect(try cleo.requests.waiting().isEmpty)
    // A former administrator gets no more requests.
    try world.open(bob).requests.requestAccess(to: world.link(zone), text: "please")
    var passed: Set<ObjectKey> = []
    try ana.requests.passOn(&passed)
    #expect(try cleo.requests.waiting().count == 1)
    try ana.access.setRole(.privateUser, of: cleos.id, in: zone)
    try cleo.zone(zone.id)?.pull()
    #expect(try cleo.requests.waiting().isEmpty)
  }

  @Test func `an invitation can't be forwarded`() throws {
    let world = try ZoneWorld()
    let (ana, _) = try sharing(world)
    var signed = WireSignedMessage()
    signed.passedOn = .init(ana.account.user.bytes)
    var message = WireInboxMessage()
    message.format = SealedMessage.format
    for kind in [WireSignedMessage.Kind.invitation, .request] {
      signed.kind = kind
      let plain = StoredMessage.encode(signed)
      message.sealed = .init(try #require(BoxKey.seal(plain, to: ana.account.encryptionKey)))
      let stored = StoredMessage.encode(message)
      let opened = try? SealedMessage(stored) { ana.account.open($0) }
      #expect(opened?.passedOn == (kind == .request ? ana.account.user : nil))
      #expect((opened == nil) == (kind == .invitation))
    }
  }

  @Test func `requests move along with a share that gets another owner`() throws {
    let world = try ZoneWorld()
    let (container, zone) = try sharing(world)
    let (bob, carol, dave) = try (
      world.account("bob"), world.account("carol"), world.account("dave")
    )
    try container.requests.setAllowed(true, of: zone)
    _ = try container.sharing.invite(bob.user, to: zone, permission: .readWrite)
    let bobs = try world.open(bob)
    let accepted = try bobs.participation.accept(zone.id)
    // One asks before the transfer, and one after it.
    try world.open(carol).requests.requestAccess(to: world.link(zone), text: "before")
    try zone.pull()
    try container.ownership.offer(zone, to: bob.user)
    try bobs.ownership.takeOver(accepted)
    try zone.pull()
    try bobs.requests.tendDoor(of: accepted)
    try world.open(dave).requests.requestAccess(to: world.link(zone), text: "after")
    #expect(try container.requests.waiting().isEmpty, "who gave it away answers nobody")
    var passed: Set<ObjectKey> = []
    try container.requests.passOn(&passed)
    #expect(Set(try bobs.requests.waiting().map(\.text)) == ["before", "after"])
    #expect(accepted.header.takesRequests)

    // An answer is one everywhere.
    _ = try bobs.sharing.invite(carol.user, to: accepted, permission: .readOnly)
    #expect(try bobs.requests.deny(dave.user, to: accepted))
    try zone.pull()
    var again: Set<ObjectKey> = []
    try container.requests.passOn(&again)
    #expect(try bobs.requests.waiting().isEmpty && again.isEmpty)

    // Without the first owner, nobody can be asked, and nothing says otherwise.
    _ = try bobs.access.remove(container.account.user, from: accepted)
    try bobs.requests.tendDoor(of: accepted)
    #expect(!accepted.header.takesRequests)
    let refused = try refusal {
      try world.open(dave).requests.requestAccess(to: world.link(zone), text: "")
    }
    #expect(refused?.code == .permissionFailure)
    let allowed = try refusal { try bobs.requests.setAllowed(true, of: accepted) }
    #expect(allowed?.code == .serverRejectedRequest)
  }
}
