import CairnStore
import CairnWire
import CairnZone
import Glibc
import Testing

@testable import CairnContainer
@testable import CairnIdentity
@testable import CairnReplica

/// Inboxes: the messages that people find in them, their removal, and the effect of rubbish.
struct ContainerInboxTests {
  private func inbox(_ world: ZoneWorld, _ account: Account) throws -> [ObjectKey] {
    try world.keys("users/\(account.user)/inbox/")
  }

  @Test func `people are invited together or not at all`() throws {
    let world = try ZoneWorld()
    let ana = try world.account("ana")
    let container = try world.open(ana)
    let zone = try container.privateDatabase.createZone(named: "Trip")
    _ = try container.sharing.share(zone, title: "Trip")
    let most = try (0..<Share.maximumParticipantCount).map { try world.account("p\($0)").user }
    let before = zone.header.sequence
    _ = try container.sharing.invite(most, to: zone, permission: .readOnly)
    #expect(zone.header.sequence == before + 1)
    let one = try world.account("one-more")
    let code = try cloudCode {
      _ = try container.sharing.invite(one.user, to: zone, permission: .readOnly)
    }
    #expect(code == .tooManyParticipants)
    #expect(zone.header.share?.participants.count == 100)
    #expect(try inbox(world, one).isEmpty)
    try zone.changeShare([.remove(user: most[0])])
    let two = try world.account("two-more")
    let both = try cloudCode {
      _ = try container.sharing.invite([one.user, two.user], to: zone, permission: .readOnly)
    }
    #expect(both == .tooManyParticipants && zone.header.share?.participants.count == 99)
    #expect(try inbox(world, one).isEmpty)
  }

  @Test func `an invitation is one object, and is deleted once it was handled`() throws {
    let world = try ZoneWorld()
    let (ana, bob) = (try world.account("ana"), try world.account("bob"))
    let container = try world.open(ana)
    let zone = try container.privateDatabase.createZone(named: "Trip")
    _ = try container.sharing.share(zone, title: "Trip")
    for permission in [Permission.readOnly, .readOnly, .readWrite, .readWrite, .readOnly] {
      _ = try container.sharing.invite(bob.user, to: zone, permission: permission)
      #expect(try inbox(world, bob).count == 1)
      let bobs = try world.open(bob)
      #expect(try bobs.participation.invitations().map(\.permission) == [permission])
    }
    try container.sharing.withdrawInvitations(of: bob.user, to: zone)
    #expect(try inbox(world, bob).isEmpty)

    _ = try container.sharing.invite(bob.user, to: zone, permission: .readWrite)
    let bobs = try world.open(bob)
    let id = try #require(try bobs.participation.invitations().first?.id)
    _ = try bobs.participation.accept(zone.id)
    #expect(try inbox(world, bob).isEmpty)
    // An interrupted command is repeated.
    #expect(try bobs.participation.link(invitedBy: id)?.zone == zone.id)
    #expect(try bobs.participation.link(invitedBy: "00112233445566778899aabbccddeeff") == nil)
  }

  @Test func `a flood of rubbish hides nothing and is opened once`() throws {
    let world = try ZoneWorld()
    let (ana, bob) = (try world.account("ana"), try world.account("bob"))
    let container = try world.open(ana)
    let zone = try container.privateDatabase.createZone(named: "Trip")
    _ = try container.sharing.share(zone, title: "Trip")
    _ = try container.sharing.invite(bob.user, to: zone, permission: .readWrite)
    let bobKey = bob.encryptionKey
    for number in 0..<2_000 {
      var bytes = ContentPieces.noise(300)
      if number % 3 == 0 { bytes = try #require(BoxKey.seal(bytes, to: bobKey)) }
      if number == 7 { bytes = ContentPieces.noise(SealedMessage.limit + 1) }
      _ = try world.store.put(Inbox.key(of: bob.user, .random()), bytes)
    }
    let counted = CountingStore(world.store)
    let bobs = try world.open(bob, store: counted)
    #expect(try bobs.participation.invitations().map(\.zone) == [zone.id])
    let gets = counted.gets
    #expect(gets >= 2_000)
    for _ in 0..<10 { #expect(try bobs.participation.invitations().count == 1) }
    // The account's own zone is read. The inbox isn't opened again.
    #expect(counted.gets - gets < 100)
    _ = try bobs.participation.accept(zone.id)
    #expect(try bobs.participation.invitations().isEmpty)
  }

  @Test func `objects behind the limit aren't read, and the report says so`() throws {
    #expect(InboxSurvey.most == 50_000)
    let folder = try TemporaryContainer()
    let world = try ZoneWorld(DirectoryStore(root: folder.path))
    let (ana, bob) = (try world.account("ana"), try world.account("bob"))
    let container = try world.open(ana)
    let zone = try container.privateDatabase.createZone(named: "Trip")
    _ = try container.sharing.share(zone, title: "Trip")
    _ = try container.sharing.invite(bob.user, to: zone, permission: .readWrite)
    let message = try #require(try inbox(world, bob).first)
    // That many names are before it, which is the limit.
    for number in 0..<50 as Range<UInt64> {
      _ = try world.store.put(Inbox.key(of: bob.user, Bytes16(high: 0, low: number)), [1])
    }
    func look(_ most: Int) throws -> (Inbox, CountingStore) {
      let counted = CountingStore(world.store)
      let people = People(store: world.store)
      return (
        Inbox(store: counted, container: world.id, account: bob, people: people, most: most),
        counted
      )
    }
    let (short, counted) = try look(50)
    #expect(try short.items().isEmpty)
    #expect(try short.survey() == InboxSurvey(messages: 0, unknown: 0, rubbish: 50, isCut: true))
    // One list, and two reads of each object, because half of a message may be read once. Then
    // none.
    #expect(counted.gets == 100)
    let (long, _) = try look(60)
    #expect(try long.items().map(\.key) == [message])
    #expect(try long.survey() == InboxSurvey(messages: 1, unknown: 0, rubbish: 50, isCut: false))
    // Rubbish behind the limit is taken away, too.
    #expect(try short.tidy() == (50, 0))
    #expect(try short.items().map(\.key) == [message])
  }

  @Test func `objects that aren't messages to me are counted, and removed on request`() throws {
    let world = try ZoneWorld()
    let (ana, bob) = (try world.account("ana"), try world.account("bob"))
    let container = try world.open(ana)
    let zone = try container.privateDatabase.createZone(named: "Trip")
    _ = try container.sharing.share(zone, title: "Trip")
    _ = try container.sharing.invite(bob.user, to: zone, permission: .readWrite)
    let message = try #require(try inbox(world, bob).first)
    func put(_ bytes: [UInt8]) throws -> ObjectKey {
      let key = Inbox.key(of: bob.user, .random())
      _ = try world.store.put(key, bytes)
      return key
    }
    // Noise, a message to another person, an altered message, and an empty object.
    _ = try put(ContentPieces.noise(300))
    _ = try put(try #require(BoxKey.seal(ContentPieces.noise(300), to: ana.encryptionKey)))
    _ = try put(Sample.flipped(try #require(try world.store.get(message)), at: 100))
    _ = try put([])
    // A message of a newer Cairn, and one of a person who can't be seen now, may be valid.
    var later = WireInboxMessage()
    later.format = 2
    let newer = try put(StoredMessage.encode(later))
    let eve = try Sample.account("eve")
    let other = try world.open(try world.account("cy"))
    let theirs = try other.privateDatabase.createZone(named: "Other")
    _ = try other.sharing.share(theirs, title: "Other")
    var invitation = try other.sharing.invitation(to: theirs, permission: .readOnly)
    invitation.inviter = eve.account.author
    let unseen = try put(invitation.sealed(to: Sample.person(bob), by: eve.account))

    let bobs = try world.open(bob)
    #expect(try bobs.participation.invitations().map(\.zone) == [zone.id])
    var survey = InboxSurvey(messages: 1, unknown: 2, rubbish: 4, isCut: false)
    #expect(try bobs.inbox.survey() == survey)
    let tidied = try bobs.inbox.tidy()
    #expect(tidied == (4, 0))
    #expect(try Set(inbox(world, bob)) == [message, newer, unseen])
    survey.rubbish = 0
    #expect(try bobs.inbox.survey() == survey)
    #expect(try bobs.participation.invitations().map(\.zone) == [zone.id])
  }

  @Test func `an object that only another may remove blocks no invitation`() throws {
    let world = try ZoneWorld()
    let (ana, bob) = (try world.account("ana"), try world.account("bob"))
    let container = try world.open(ana)
    let zone = try container.privateDatabase.createZone(named: "Trip")
    _ = try container.sharing.share(zone, title: "Trip")
    _ = try container.sharing.invite(bob.user, to: zone, permission: .readWrite)
    let once = try container.links.oneTimeLink(to: zone, permission: .readOnly).secret
    let rubbish = Inbox.key(of: bob.user, .random())
    _ = try world.store.put(rubbish, ContentPieces.noise(300))
    let closed = Inbox.key(of: bob.user, .random())
    _ = try world.store.put(closed, ContentPieces.noise(300))
    let bobs = try world.open(bob, store: OthersStore(world.store, unreadable: closed))
    // An unreadable object hides no other one.
    #expect(try bobs.participation.invitations().map(\.zone) == [zone.id])
    #expect(
      try bobs.inbox.survey() == InboxSurvey(messages: 1, unknown: 1, rubbish: 1, isCut: false))
    #expect(try bobs.inbox.tidy() == (0, 1))
    _ = try bobs.participation.accept(zone.id)
    #expect(try bobs.participation.invitations().isEmpty)
    // The same is true for a link, because its maker owns the object.
    let carol = try world.account("carol")
    let carols = try world.open(carol, store: OthersStore(world.store, unreadable: closed))
    _ = try carols.links.accept(container.links.link(to: zone, secret: once))
    let late = try world.open(try world.account("late"))
    #expect(
      try cloudCode { _ = try late.links.accept(container.links.link(to: zone, secret: once)) }
        == .permissionFailure)
    // And for an object that another administrator had put into an inbox.
    let dora = try world.account("dora")
    _ = try container.sharing.invite(dora.user, to: zone, permission: .readOnly)
    let anas = try world.open(ana, store: OthersStore(world.store, unreadable: closed))
    let hers = try #require(try anas.zone(zone.id))
    try hers.pull()
    _ = try anas.sharing.invite(dora.user, to: hers, permission: .readWrite)
    #expect(
      try world.open(dora).participation.invitations().contains { $0.permission == .readWrite })
  }

  @Test func `a person's own folders exist before somebody else can make them`() throws {
    let folder = try TemporaryContainer()
    let world = try ZoneWorld(DirectoryStore(root: folder.path))
    let ana = try world.account("ana")
    let container = try world.open(ana)
    for _ in 0..<2 {
      try container.publishProfile()
      let own = try world.store.folders(in: "users/\(ana.user)/")
      #expect(Set(own).isSuperset(of: ["inbox", "join", "log", "packs", "public", "zones"]))
      #expect(try world.keys("users/\(ana.user)/inbox/").isEmpty)
      #expect(try world.keys("users/\(ana.user)/packs/").isEmpty)
    }
    let zone = try container.privateDatabase.createZone(named: "Trip")
    func folders() throws -> [String] { try world.store.folders(in: zone.folder.path + "/") }
    #expect(try folders() == ["copies", "floors", "links", "log", "parts"])
    // Folders that a container lost, or never had, are made again, even if others can't be.
    let published = "users/\(ana.user)/public"
    for lost in ["\(zone.folder.path)/copies", "\(zone.folder.path)/links", published] {
      #expect(rmdir("\(folder.path)/\(lost)") == 0)
    }
    let inbox = "\(folder.path)/users/\(ana.user)/inbox"
    #expect(rmdir(inbox) == 0 && symlink("/nowhere", inbox) == 0)
    try container.publishProfile()
    #expect(try folders() == ["copies", "floors", "links", "log", "parts"])
    #expect(try world.store.folders(in: "users/\(ana.user)/").contains("public"))
  }

  @Test func `taken names of invitations keep nobody from inviting`() throws {
    let folder = try TemporaryContainer()
    let world = try ZoneWorld(DirectoryStore(root: folder.path))
    let (ana, bob) = (try world.account("ana"), try world.account("bob"))
    let container = try world.open(ana)
    let zone = try container.privateDatabase.createZone(named: "Trip")
    _ = try container.sharing.share(zone, title: "Trip")
    let zoneKey = try #require(zone.keyring()[1])
    // A former participant knows the names. They are folders, and files that Ana may not delete.
    for slot in 0..<Invitation.slots {
      let name = Invitation.name(slot, to: bob.user, zoneKey: zoneKey)
      let key = Inbox.key(of: bob.user, name)
      let inside = try #require(ObjectKey("\(key)/x"))
      _ = try world.store.put(slot.isMultiple(of: 2) ? key : inside, [1])
    }
    let anas = try world.open(ana, store: OthersStore(world.store, unreadable: zone.folder.door))
    let hers = try #require(try anas.zone(zone.id))
    try hers.pull()
    _ = try anas.sharing.invite(bob.user, to: hers, permission: .readWrite)
    #expect(try world.open(bob).participation.invitations().map(\.zone) == [zone.id])
    _ = try world.open(bob).participation.accept(zone.id)
  }
}

/// A store as a person sees it who may delete nothing, and can't read one of the objects. Others
/// put them there, into folders whose files belong to their makers.
private final class OthersStore: StoreAround {
  let inner: any ObjectStore
  private let unreadable: ObjectKey

  init(_ inner: any ObjectStore, unreadable: ObjectKey) {
    self.inner = inner
    self.unreadable = unreadable
  }

  private func denied(_ key: ObjectKey) -> StoreError {
    StoreError(code: .denied, key: key, cause: "It is somebody else's.")
  }

  func get(_ key: ObjectKey) throws(StoreError) -> [UInt8]? {
    guard key != unreadable else { throw denied(key) }
    return try inner.get(key)
  }

  func get(_ key: ObjectKey, range: Range<Int>) throws(StoreError) -> [UInt8]? {
    guard key != unreadable else { throw denied(key) }
    return try inner.get(key, range: range)
  }

  func delete(_ key: ObjectKey) throws(StoreError) { throw denied(key) }
}
