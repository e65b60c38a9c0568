import CairnStore
import CairnZone
import Testing

@testable import CairnContainer
@testable import CairnIdentity
@testable import CairnReplica

/// Links that let a person in by themselves, and their later states.
struct ContainerLinkTests {
  /// Returns Ana with a share that contains a file.
  private func sharing(
    _ world: ZoneWorld, _ permission: Permission = .none
  ) throws -> (container: Container, zone: Zone) {
    let container = try world.open(try world.account("ana"))
    let zone = try container.privateDatabase.createZone(named: "Trip")
    _ = try container.sharing.share(zone, title: "Trip")
    if permission != .none { try zone.changeShare([.setPublic(permission)]) }
    try zone.write("before", [1, 2, 3])
    return (container, zone)
  }

  private func link(
    _ container: Container, _ zone: Zone, _ secret: SecretBytes
  ) throws -> ShareLink {
    // The link as it arrives by mail.
    let sent = container.links.link(to: zone, location: "/c", secret: secret)
    return try ShareLink(parsing: "<\(sent.text)>\n")
  }

  @Test func `a one-time link lets in the first person, with everything from before`() throws {
    let world = try ZoneWorld()
    let (container, zone) = try sharing(world)
    let made = try container.links.oneTimeLink(to: zone, permission: .readWrite)
    let link = try link(container, zone, made.secret)
    let (bob, carol) = (try world.account("bob"), try world.account("carol"))
    let bobs = try world.open(bob)
    let taken = try bobs.links.accept(link)
    #expect(try taken.files() == ["before": [1, 2, 3]])
    #expect(try bobs.links.accept(link) === taken)
    try zone.pull()
    let share = try #require(zone.header.share)
    #expect(share.links.isEmpty)
    #expect(
      share.participants[bob.user]
        == Participant(
          user: bob.user, role: .privateUser, permission: .readWrite, acceptance: .accepted))
    // The claimer may write, and the next person isn't let in.
    try taken.write("bob", [4])
    let code = try cloudCode { _ = try world.open(carol).links.accept(link) }
    #expect(code == .permissionFailure)
    #expect(try world.keys("\(zone.folder.path)/links/").isEmpty)
  }

  @Test func `the log decides between two claims of one link at the same time`() throws {
    let world = try ZoneWorld()
    let (container, zone) = try sharing(world)
    let made = try container.links.oneTimeLink(to: zone, permission: .readOnly)
    let link = try link(container, zone, made.secret)
    let key = zone.folder.link(made.id)
    let object = try #require(try world.store.get(key))
    _ = try world.open(try world.account("bob")).links.accept(link)
    // Carol had read the object before it was taken away.
    _ = try world.store.put(key, object)
    let carols = try world.open(try world.account("carol"))
    let code = try cloudCode { _ = try carols.links.accept(link) }
    #expect(code == .permissionFailure)
    #expect(try carols.sharedDatabase.zones().isEmpty)
    try zone.pull()
    #expect(zone.header.share?.participants.count == 1)
  }

  @Test func `a link for anyone stays the same until access is narrowed`() throws {
    let world = try ZoneWorld()
    let (container, zone) = try sharing(world, .readWrite)
    let secret = try container.links.publicLink(to: zone)
    let sequence = zone.header.sequence
    #expect(try container.links.publicLink(to: zone) == secret)
    #expect(zone.header.sequence == sequence)
    let link = try link(container, zone, secret)
    let (bob, carol) = (try world.account("bob"), try world.account("carol"))
    let taken = try world.open(bob).links.accept(link)
    #expect(try taken.files() == ["before": [1, 2, 3]])
    #expect(taken.header.mayWrite(bob.user))
    let later = try world.open(carol).links.accept(link)
    #expect(later.header.share?.participants[bob.user]?.role == .publicUser)

    // A blocked person must not return by a link that they have.
    try zone.changeShare([.remove(user: bob.user)], rekey: true)
    let other = try container.links.publicLink(to: zone)
    #expect(other != secret)
    let code = try cloudCode { _ = try world.open(bob).links.accept(link) }
    #expect(code == .permissionFailure)
    let again = container.links.link(to: zone, location: "/c", secret: other)
    #expect(again.description == link.description, "the locator stays")
    #expect(try world.open(bob).links.accept(again).header.share != nil)
  }

  @Test func `a link opens entries of later epochs`() throws {
    let world = try ZoneWorld()
    let (container, zone) = try sharing(world)
    let made = try container.links.oneTimeLink(to: zone, permission: .readOnly)
    for file in ["two", "three"] {
      try zone.changeShare([], rekey: true)
      try zone.write(file, [7])
    }
    #expect(zone.header.epoch == 3)
    let bob = try world.account("bob")
    let index = world.folder + "/bob"
    let link = try link(container, zone, made.secret)
    let taken = try world.open(bob, index: index).links.accept(link)
    #expect(try taken.names() == ["before", "two", "three"])
    // The account keeps the keys that the link opened.
    let later = try #require(try world.open(bob).zone(zone.id))
    try later.pull()
    #expect(try later.names() == ["before", "two", "three"])
    try zone.changeShare([], rekey: true)
    try zone.write("four", [8])
    try later.pull()
    #expect(try later.names() == ["before", "two", "three", "four"])
  }

  @Test func `an expired or withdrawn link lets nobody in`() throws {
    let world = try ZoneWorld()
    let (container, zone) = try sharing(world)
    let past = try cloudCode {
      _ = try container.links.oneTimeLink(to: zone, permission: .readOnly, expires: 1)
    }
    #expect(past == .invalidArguments)
    #expect(try world.keys("\(zone.folder.path)/links/").isEmpty)
    let made = try container.links.oneTimeLink(to: zone, permission: .readOnly, expires: .max)
    let link = try link(container, zone, made.secret)
    try container.links.removeLinks([made.id], from: zone)
    let bobs = try world.open(try world.account("bob"))
    #expect(try cloudCode { _ = try bobs.links.accept(link) } == .permissionFailure)

    // A link that expired, though all its objects still exist.
    let secret = SecretBytes.random()
    let keys = LinkKeys(secret: secret)
    try zone.changeShare([
      .addLink(
        Link(
          id: keys.id, boxKey: keys.box.publicKey, isOneTime: true, permission: .readOnly,
          expires: 1))
    ])
    let invitation = Invitation(
      id: .random(), container: world.id, zone: zone.id, owner: container.account.user,
      keyring: zone.keyring(), title: "Trip", permission: .readOnly,
      inviter: container.account.author, time: 1,
      zoneHead: LogAnchor(sequence: 0, digest: .zero),
      chainHead: ChainHead(length: 1, head: IdentityLog.digest(of: container.account.origin)))
    let bytes = try #require(
      invitation.sealed(to: keys.id.bytes, key: keys.box.publicKey, by: container.account))
    let key = zone.folder.link(keys.id)
    _ = try world.store.put(key, bytes)
    let expired = try world.link(zone, secret)
    #expect(try cloudCode { _ = try bobs.links.accept(expired) } == .permissionFailure)
    #expect(try bobs.sharedDatabase.zones().isEmpty)
    let epoch = zone.header.epoch
    try container.links.removeExpiredLinks(from: zone)
    #expect(zone.header.share?.links.isEmpty == true && zone.header.epoch == epoch + 1)
    #expect(try world.store.get(key) == nil)
    try container.links.removeExpiredLinks(from: zone)
    #expect(zone.header.epoch == epoch + 1)
  }

  @Test func `a void link's object is taken away, with the objects that it opened`() throws {
    let world = try ZoneWorld()
    let (container, zone) = try sharing(world)
    let (bob, carol) = (try world.account("bob"), try world.account("carol"))
    _ = try container.sharing.invite([bob.user, carol.user], to: zone, permission: .readOnly)
    _ = try container.links.oneTimeLink(to: zone, permission: .readOnly)
    let inboxes = { try [bob, carol].flatMap { try world.keys("users/\($0.user)/inbox/") } }
    #expect(try inboxes().count == 2)
    try container.access.remove(bob.user, from: zone)
    #expect(try inboxes().count == 1)
    try container.access.setPublic(.readOnly, of: zone)
    #expect(try inboxes().isEmpty)
    #expect(try world.keys("\(zone.folder.path)/links/").isEmpty)
    let secret = try container.links.publicLink(to: zone)
    #expect(try world.keys("\(zone.folder.path)/links/").count == 1)
    try container.access.setPublic(.none, of: zone)
    #expect(try world.keys("\(zone.folder.path)/links/").isEmpty)
    let link = try link(container, zone, secret)
    #expect(try cloudCode { _ = try world.open(bob).links.accept(link) } == .permissionFailure)
  }

  @Test func `only a share for anyone has a link for anyone, by its administrators`() throws {
    let world = try ZoneWorld()
    let (container, zone) = try sharing(world)
    do {
      _ = try container.links.publicLink(to: zone)
      Issue.record("a private share has no link for anyone")
    } catch let error as CloudError {
      #expect(error.code == .invalidArguments && error.remedy.contains("set-public"))
    }
    try zone.changeShare([.setPublic(.readOnly)])
    let secret = try container.links.publicLink(to: zone)
    let bobs = try world.open(try world.account("bob"))
    let taken = try bobs.links.accept(world.link(zone, secret))
    #expect(try cloudCode { _ = try bobs.links.publicLink(to: taken) } == .permissionFailure)
    let code = try cloudCode {
      _ = try container.links.oneTimeLink(to: zone, permission: .readOnly)
    }
    #expect(code == .invalidArguments)
  }

  @Test func `a link whose object is damaged, forged or another's opens nothing`() throws {
    let world = try ZoneWorld()
    let (container, zone) = try sharing(world)
    let made = try container.links.oneTimeLink(to: zone, permission: .readOnly)
    let link = try link(container, zone, made.secret)
    let key = zone.folder.link(made.id)
    let bytes = try #require(try world.store.get(key))
    let bobs = try world.open(try world.account("bob"))
    for damaged in [[], Array(bytes.dropLast()), Sample.flipped(bytes, at: bytes.count - 9)] {
      try world.replace(key) { $0 = damaged }
      #expect(try cloudCode { _ = try bobs.links.accept(link) } == .permissionFailure)
    }
    // Eve may not invite. She signs, with keys of her own.
    let eve = try world.account("eve")
    var wrong = Keyring()
    wrong.insert(.random(epoch: 1))
    let lie = Invitation(
      id: .random(), container: world.id, zone: zone.id, owner: eve.user, keyring: wrong,
      title: "Trip", permission: .readOnly, inviter: eve.author, time: 1,
      zoneHead: LogAnchor(sequence: 0, digest: .zero),
      chainHead: ChainHead(length: 1, head: IdentityLog.digest(of: eve.origin)))
    let keys = LinkKeys(secret: made.secret)
    let forged = try #require(
      lie.sealed(to: keys.id.bytes, key: keys.box.publicKey, by: eve))
    try world.replace(key) { $0 = forged }
    #expect(try cloudCode { _ = try bobs.links.accept(link) } == .permissionFailure)
    try world.replace(key) { $0 = bytes }
    _ = try bobs.links.accept(link)
  }
}
