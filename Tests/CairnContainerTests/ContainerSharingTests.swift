import CairnStore
import CairnZone
import Foundation
import Testing

@testable import CairnContainer
@testable import CairnIdentity
@testable import CairnReplica

/// Two people and a share, from its creation to answers that get lost or lie.
struct ContainerSharingTests {
  @Test func `a share crosses while its owner is away, in a directory`() throws {
    let root = NSTemporaryDirectory() + "cairn-store-\(UUID())"
    try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: true)
    defer {
      do { try FileManager.default.removeItem(atPath: root) } catch { Issue.record(error) }
    }
    let world = try ZoneWorld(DirectoryStore(root: root))
    let (ana, bob) = (try world.account("ana"), try world.account("bob"))
    let bytes = ContentPieces.noise(300_000)
    let anaIndex = world.folder + "/ana"
    func begin() throws -> ZoneID {
      let container = try world.open(ana, index: anaIndex)
      let zone = try container.privateDatabase.createZone(named: "Trip")
      _ = try container.sharing.share(zone, title: " Trip")
      _ = try container.sharing.invite(bob.user, to: zone, permission: .readWrite)
      try zone.write("big", bytes)
      try zone.write("small", [1, 2, 3])
      return zone.id
    }
    let id = try begin()
    let container = try world.open(bob)
    let waiting = try container.participation.invitations()
    #expect(waiting.map(\.zone) == [id])
    #expect(waiting.first?.title == "Trip")
    let taken = try container.participation.accept(id)
    #expect(try container.participation.invitations() == [])
    #expect(try container.participation.accept(id) === taken)
    #expect(try taken.files() == ["big": bytes, "small": [1, 2, 3]])
    try taken.write("bob", [9])

    let again = try world.open(ana, index: anaIndex)
    let zone = try #require(try again.privateDatabase.zone(id))
    try zone.pull()
    #expect(try zone.files()["bob"] == [9])
    #expect(zone.header.share?.participants[bob.user]?.acceptance == .accepted)
    #expect(try zone.verify() == [])
  }

  @Test func `an invitation that waits has the changed permission`() throws {
    let world = try ZoneWorld()
    let (ana, bob) = (try world.account("ana"), try world.account("bob"))
    let (hers, his) = (try world.open(ana), try world.open(bob))
    let zone = try hers.privateDatabase.createZone(named: "Trip")
    _ = try hers.sharing.share(zone, title: "Trip")
    _ = try hers.sharing.invite(bob.user, to: zone, permission: .readWrite)
    #expect(try his.participation.invitations().map(\.permission) == [.readWrite])
    for permission in [Permission.readOnly, .readWrite, .readOnly] {
      try hers.access.setPermission(permission, of: bob.user, in: zone)
      #expect(try his.participation.invitations().map(\.permission) == [permission])
    }
    let taken = try his.participation.accept(zone.id)
    #expect(!taken.header.rights(of: bob.user).contains(.write))
    try hers.access.setPermission(.readWrite, of: bob.user, in: zone)
    #expect(try his.participation.invitations().isEmpty)
  }

  @Test func `a reader stores nothing`() throws {
    let world = try ZoneWorld()
    let (_, bob, _) = try world.shared(.readOnly)
    let before = try world.keys()
    // The last one would be larger than a pack.
    for count in [10, 300_000, 9_000_000] {
      let change = try Zone.file("x", try bob.ingest(ContentPieces.noise(count)))
      let code = try cloudCode { try bob.commit([change], expecting: bob.header.sequence) }
      #expect(code == .permissionFailure)
    }
    #expect(try world.keys() == before)
  }

  @Test func `a stranger can neither accept nor open an entry`() throws {
    let world = try ZoneWorld()
    let (zone, _, accounts) = try world.shared()
    let eve = try world.account("eve")
    let container = try world.open(eve)
    #expect(try cloudCode { _ = try container.participation.accept(zone.id) } == .permissionFailure)
    for keys in [Keyring(), Keyring([.random(epoch: 1)])] {
      let guess = try container.reopen(
        zone.id, founder: accounts[0].user, owner: accounts[0].user, in: .shared, keys: keys)
      #expect(try guess.pull().applied == 0)
      #expect(guess.header.genesis == nil)
    }
  }

  /// Puts an invitation by `eve` with false keys into the inbox.
  private func forge(
    _ world: ZoneWorld, _ zone: Zone, to person: Person, by eve: Account, owner: UserID,
    keys: Keyring, time: Int64
  ) throws {
    let lie = Invitation(
      id: .random(), container: world.id, zone: zone.id, owner: owner, keyring: keys,
      title: "Trip", permission: .readWrite, inviter: eve.author, time: time,
      zoneHead: LogAnchor(sequence: 0, digest: .zero),
      chainHead: ChainHead(length: 1, head: IdentityLog.digest(of: eve.origin)))
    let name = hexadecimal(lie.id.bytes)
    let key = try #require(ObjectKey("users/\(person.id)/inbox/\(name)"))
    _ = try world.store.put(key, try lie.sealed(to: person, by: eve))
  }

  @Test(arguments: [Int64(1), .max])
  func `a forged invitation before or after the real one spoils nothing`(time: Int64) throws {
    let world = try ZoneWorld()
    let (ana, bob, eve) = (
      try world.account("ana"), try world.account("bob"), try world.account("eve")
    )
    let (owners, bobs) = (try world.open(ana), try world.open(bob))
    let zone = try owners.privateDatabase.createZone(named: "Trip")
    _ = try owners.sharing.share(zone, title: "Trip")
    let person = try #require(try owners.people.person(bob.user))
    var wrong = Keyring()
    wrong.insert(.random(epoch: 1))
    var late = zone.keyring()
    late.insert(.random(epoch: 2))
    for keys in [wrong, Keyring()] {
      for owner in [ana.user, eve.user] {
        try forge(world, zone, to: person, by: eve, owner: owner, keys: keys, time: time)
      }
    }
    // There are only forgeries so far. They are refused, and nothing of the try stays.
    #expect(try cloudCode { _ = try bobs.participation.accept(zone.id) } == .permissionFailure)
    try forge(world, zone, to: person, by: eve, owner: ana.user, keys: late, time: time)
    #expect(try cloudCode { _ = try bobs.participation.accept(zone.id) } == .permissionFailure)
    #expect(try bobs.sharedDatabase.zones().isEmpty)

    _ = try owners.sharing.invite(bob.user, to: zone, permission: .readWrite)
    let taken = try bobs.participation.accept(zone.id)
    #expect(taken.keyring() == zone.keyring())
    #expect(taken.header.genesis?.owner == ana.user)
    try taken.write("bob", [1])
    try zone.pull()
    #expect(try zone.names() == ["bob"])
  }

  @Test(arguments: [FaultyStore.Fault.before, .after])
  func `sharing goes on after any call that failed`(fault: FaultyStore.Fault) throws {
    let world = try ZoneWorld()
    let bob = try world.account("bob")
    let bobs = try world.open(bob)
    var call = 0
    var isOver = false
    while !isOver {
      call += 1
      try #require(call < 200)
      let ana = try world.account("ana\(call)")
      let faulty = FaultyStore(world.store)
      let container = try world.open(ana, store: faulty)
      func shareTrip() throws -> Zone {
        let known = try container.privateDatabase.zones().first
        let zone = try known ?? container.privateDatabase.createZone(named: "Trip")
        _ = try container.sharing.share(zone, title: "Trip")
        _ = try container.sharing.invite(bob.user, to: zone, permission: .readWrite)
        return zone
      }
      // Only a put has an effect, so only its answer can get lost.
      faulty.fail(call: call, fault, putsOnly: fault == .after)
      do { _ = try shareTrip() } catch let error as CloudError {
        #expect(error.isWorthRetrying, "call \(call)")
      } catch let error as StoreError {
        #expect(error.isWorthRetrying, "call \(call)")
      }
      isOver = !faulty.isSpent
      faulty.heal()
      let zone = try shareTrip()
      #expect(try container.privateDatabase.zones().map(\.id) == [zone.id])
      #expect(zone.header.share?.participants.count == 1)
      #expect(zone.header.sequence == 3, "call \(call)")
      #expect(try bobs.participation.accept(zone.id).header.mayWrite(bob.user))
    }
    #expect(call > 5)
  }

  @Test func `index files are rebuilt from the container, which gets no new objects`() throws {
    let world = try ZoneWorld()
    let (ana, bob, accounts) = try world.shared()
    try ana.write("a", ContentPieces.noise(100_000))
    try bob.pull()
    try bob.write("b", [2])
    try ana.pull()
    for (account, zone) in zip(accounts, [ana, bob]) {
      let path = Array("/home/trip".utf8)
      let first = try world.open(account)
      try first.addMount(zone.id, path: path)
      let mounts = try first.mounts()
      let objects = try world.keys()
      let container = try world.open(account)
      let again = try #require(try container.zone(zone.id))
      try again.pull()
      #expect(again.scope == zone.scope)
      #expect(again.header.head == ana.header.head)
      #expect(try again.files() == ana.files())
      let records = { (zone: Zone) in
        try zone.read { view in try view.children(of: .root).map { try view.record($0) } }
      }
      #expect(try records(again) == records(ana))
      #expect(try container.mounts() == mounts)
      #expect(mounts == [MountEntry(zone: zone.id, device: account.device.id, path: path)])
      #expect(try world.keys() == objects)
    }
  }

  @Test func `the same change of the account by two devices is made once`() throws {
    let world = try ZoneWorld()
    let (_, bob, accounts) = try world.shared()
    let path = Array("/home/trip".utf8)
    let (one, other) = (try world.open(accounts[1]), try world.open(accounts[1]))
    let zones = try [one, other].map { try #require(try $0.zone(bob.id)) }
    // The second index hasn't seen the first one's changes.
    try one.addMount(bob.id, path: path)
    try other.addMount(bob.id, path: path)
    try one.participation.forgetEverything(of: zones[0])
    try other.participation.forgetEverything(of: zones[1])
    for container in [one, other, try world.open(accounts[1])] {
      #expect(try container.zoneIDs().isEmpty && container.mounts().isEmpty)
    }
  }

  @Test(arguments: [false, true])
  func `a zone that two devices of one person accept at once has one owner in each`(
    byLink: Bool
  ) throws {
    let world = try ZoneWorld()
    let (ana, bob) = (try world.account("ana"), try world.account("bob"))
    let anas = try world.open(ana)
    let zone = try anas.privateDatabase.createZone(named: "Trip")
    _ = try anas.sharing.share(zone, title: "Trip")
    try zone.write("one", [1])
    _ = try anas.sharing.invite(bob.user, to: zone, permission: .readWrite)
    let link = anas.links.link(
      to: zone,
      secret: byLink ? try anas.links.oneTimeLink(to: zone, permission: .readWrite).secret : nil)
    let (first, second) = (try world.open(bob), try world.open(bob))
    var seen: Zone?
    let accepted = try first.links.accept(link) { _ in
      // The other device is faster, and this one sees it in the account, as a daemon does.
      _ = try second.participation.accept(zone.id)
      try first.refresh()
      seen = try first.zone(zone.id)
      try seen?.pull()
    }
    #expect(accepted === seen)
    #expect(try first.zone(zone.id) === accepted)
    try zone.pull()
    try zone.write("two", [2])
    try accepted.pull()
    #expect(try accepted.names() == ["one", "two"])
    #expect(try accepted.verify().isEmpty)
    #expect(zone.header.share?.participants.count == 1)
  }

  @Test func `declining on one device doesn't undo another device's acceptance`() throws {
    struct Declined: Error {}
    let world = try ZoneWorld()
    let (ana, bob) = (try world.account("ana"), try world.account("bob"))
    let anas = try world.open(ana)
    let zone = try anas.privateDatabase.createZone(named: "Trip")
    _ = try anas.sharing.share(zone, title: "Trip")
    try zone.write("one", [1])
    _ = try anas.sharing.invite(bob.user, to: zone, permission: .readWrite)
    let (first, second) = (try world.open(bob), try world.open(bob))
    #expect(throws: Declined.self) {
      try first.participation.accept(zone.id) { _ in
        _ = try second.participation.accept(zone.id)
        try first.refresh()
        throw Declined()
      }
    }
    let mine = try #require(try first.zone(zone.id))
    try mine.pull()
    #expect(try mine.names() == ["one"] && mine.verify().isEmpty)
  }
}
