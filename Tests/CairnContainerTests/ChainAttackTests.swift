import CairnIndex
import CairnStore
import CairnWire
import CairnZone
import FoundationEssentials
import Synchronization
import Testing

@testable import CairnContainer
@testable import CairnIdentity
@testable import CairnReplica

/// Attacks by strangers and thieves on the chain of a person. At most the chain stops until an
/// object is taken away, and everybody is told so.
struct ChainAttackTests {
  private let world: ZoneWorld
  private let ana: Account
  private let bob: Account
  private let desk: Container

  init() throws {
    world = try ZoneWorld()
    (ana, bob) = (try world.account("ana"), try world.account("bob"))
    desk = try world.open(ana)
  }

  /// A device of Ana's that a thief has now.
  private func stolen(_ name: String = "laptop") throws -> Account {
    let join = DeviceJoin(
      try desk.devices.linkCode(path: [47], now: 0), in: world.store, deviceName: name)
    #expect(try join.advance() == nil)
    #expect(try desk.devices.answerJoins(now: 1).count == 1)
    let account = try #require(try join.advance())
    join.clean()
    return account
  }

  /// Everybody who may read the chain, with and without their memory.
  private func readers(_ known: Container...) throws -> [People] {
    try known.map(\.people) + [
      People(store: world.store), world.open(bob).people, world.open(ana).people,
    ]
  }

  private func me() throws -> Person { try desk.refreshMe().me }

  @Test
  func `rubbish under guessed names is never read, whatever it does later`()
    throws
  {
    let laptop = try stolen()
    let bobs = try world.open(bob)
    let before = try me()
    #expect(try bobs.people.refresh(ana.user) == before)
    // Old names, the names that another key gives, and existing objects.
    let guess = ChainPlace.name(before.length + 1, by: .random())
    let names =
      (1...5).map { "0000000000000000000\($0)" }
      + [guess, String(repeating: "0", count: 32), "start.1", "start/x"]
    let rubbish = try names.map {
      try #require(ObjectKey("\(ChainPlace.folder(ana.user))/\($0)"))
    }
    for bytes in [[1], [2], Sample.noise(90, seed: 3), ana.origin] as [[UInt8]] {
      for key in rubbish {
        try world.store.delete(key)
        // "start" is an object, so it can't be a folder in this kind of store.
        do { _ = try world.store.put(key, bytes) } catch { continue }
      }
      for people in try readers(desk, bobs) {
        #expect(try people.refresh(ana.user) == before)
        #expect(people.troubles.isEmpty)
      }
    }
    #expect(try desk.upkeep.verifyPeople().isEmpty)
    // This revocation would have been wrong if the attack had worked.
    try desk.revocation.revoke(laptop.device.id)
    #expect(try desk.revocation.revokeInZones() == RevocationProgress(done: 1, pending: 0))
    for people in try readers(desk, bobs) {
      #expect(try people.refresh(ana.user)?.devices[laptop.device.id]?.isActive == false)
    }
  }

  @Test
  func `a thief's objects ahead can't become valid entries behind the revocation`()
    throws
  {
    let laptop = try stolen()
    let before = try me()
    // The thief has put objects at every place that the keys of that time give, except the next.
    let old = try #require(laptop.key(of: before))
    let places = (before.length + 2...before.length + 6).map { place in
      ChainPlace.key(ana.user, ChainPlace.name(place, by: old))
    }
    for key in places { _ = try world.store.put(key, [1]) }
    try desk.revocation.revoke(laptop.device.id)
    let revoked = try me()
    // The thief turns them into entries that would add a device, before the revocation and behind
    // it.
    for person in [before, revoked] {
      let thief = Account(
        user: ana.user, device: laptop.device, encryption: laptop.encryption, origin: ana.origin)
      var state = person
      state.encryptionKey = thief.encryptionKey
      let printer = DeviceKeys.random()
      for key in places {
        state.length = person.length
        state.lock = ChainPlace.lock(try #require(thief.nextName(after: state)))
        state.devices[laptop.device.id]?.isActive = true
        let (_, _, entry) = try IdentityLog.append(
          .addDevice(DeviceRequest(name: "printer", keys: printer, to: state)), to: state,
          by: thief, time: 1)
        try world.replace(key) { $0 = entry }
      }
      for people in try readers(desk) {
        let found = try #require(try people.refresh(ana.user))
        #expect(found == revoked && found.devices[printer.id] == nil)
        #expect(people.troubles.isEmpty)
      }
    }
    // A newcomer seals with the new key, which the thief doesn't have.
    let carl = try world.open(try world.account("carl"))
    let zone = try carl.privateDatabase.createZone(named: "Carl's")
    _ = try carl.sharing.share(zone, title: "Carl's")
    _ = try carl.sharing.invite([ana.user], to: zone, permission: .readWrite)
    #expect(try world.open(laptop).participation.invitations().isEmpty)
    #expect(try desk.participation.invitations().count == 1)
  }

  @Test func `rubbish in the place of an identity is no person, and holds up nobody`() throws {
    let nobody = try #require(UserID(hexadecimal: String(repeating: "9", count: 64)))
    let place = ChainPlace.start(nobody)
    _ = try world.store.put(place, Sample.noise(200, seed: 1))
    for people in try readers(desk) {
      #expect(try people.refresh(ana.user) == me())
      #expect(people.troubles.isEmpty)
    }
    let damage = try desk.upkeep.verifyPeople()
    #expect(damage.map(\.key) == [place.description])
    #expect(damage.first?.reason.hasPrefix("begins no identity: ") == true)
    #expect(damage.first?.remedy?.hasPrefix("nothing has to be done") == true)
  }

  @Test func `an object in the next place is reported to all, and removing it loses nothing`()
    throws
  {
    let laptop = try stolen()
    let bobs = try world.open(bob)
    let before = try me()
    #expect(try bobs.people.refresh(ana.user) == before)
    // The thief's device is active, and knows the next place.
    let place = try Sample.nextKey(laptop, after: before)
    _ = try world.store.put(place, Sample.noise(200, seed: 1))
    for people in try readers(desk, bobs) {
      #expect(try people.refresh(ana.user) == before)
      let trouble = try #require(people.troubles[ana.user])
      #expect(trouble.kind == .held && trouble.object == place.description)
      #expect(trouble.agreed == before.length)
      #expect(trouble.message.contains(place.description))
    }
    #expect(try desk.upkeep.verifyPeople().map(\.key) == [place.description])
    // The revocation reports that it failed, and the reason.
    let error = #expect(throws: CloudError.self) { try desk.revocation.revoke(laptop.device.id) }
    #expect(error?.code == .zoneBusy)
    #expect(error?.message.contains(place.description) == true)
    #expect(try me() == before)
    // A person who can't see the entry behind it seals nothing for Ana.
    let zone = try bobs.privateDatabase.createZone(named: "Bob's")
    _ = try bobs.sharing.share(zone, title: "Bob's")
    #expect(
      try cloudCode { _ = try bobs.sharing.invite([ana.user], to: zone, permission: .readOnly) }
        == .zoneBusy)

    try world.store.delete(place)
    for people in try readers(desk, bobs) {
      #expect(try people.refresh(ana.user) == before)
      #expect(people.troubles.isEmpty)
    }
    try desk.revocation.revoke(laptop.device.id)
    for people in try readers(desk, bobs) {
      #expect(try people.refresh(ana.user)?.devices[laptop.device.id]?.isActive == false)
    }
    _ = try bobs.sharing.invite([ana.user], to: zone, permission: .readOnly)
  }

  @Test func `changes by the owner of an old file don't block later entries`() throws {
    let laptop = try stolen()
    let bobs = try world.open(bob)
    // The thief signs a valid entry, and keeps the ownership of its file.
    let thief = try world.open(laptop)
    let theirs = try Sample.nextKey(laptop, after: try me())
    _ = try thief.devices.rename(laptop.device.id, to: "notebook")
    let bytes = try #require(try world.store.get(theirs))
    _ = try bobs.people.refresh(ana.user)
    let before = try me()
    // It is altered, and deleted, before the revocation as the last entry, and after it.
    try world.replace(theirs) { $0 = Sample.noise(80, seed: 2) }
    try desk.revocation.revoke(laptop.device.id)
    let after = try me()
    #expect(after.length == before.length + 1)
    for container in [desk, bobs] {
      #expect(try container.people.refresh(ana.user) == after)
      #expect(container.people.troubles[ana.user]?.kind == .damaged)
      #expect(container.people.troubles[ana.user]?.object == theirs.description)
      #expect(try container.upkeep.verifyPeople().map(\.key) == [theirs.description])
      #expect(try container.upkeep.putBackPeople() == 0)
    }
    // Once it is taken away, a reader puts it back, as a file that isn't the thief's.
    try world.store.delete(theirs)
    #expect(try bobs.people.refresh(ana.user) == after)
    #expect(try bobs.upkeep.putBackPeople() == 1)
    #expect(try world.store.get(theirs) == bytes)
    for people in try readers(desk, bobs) {
      #expect(try people.refresh(ana.user) == after)
      #expect(people.troubles.isEmpty)
    }
  }

  @Test func `an own entry that was lost is put back before another one follows it`() throws {
    let laptop = try stolen()
    let gone = try Sample.nextKey(laptop, after: try me())
    _ = try world.open(laptop).devices.rename(laptop.device.id, to: "notebook")
    _ = try me()
    try world.store.delete(gone)
    try desk.revocation.revoke(laptop.device.id)
    #expect(try world.store.get(gone) != nil)
    #expect(try People(store: world.store).refresh(ana.user) == me())
    #expect(desk.people.troubles.isEmpty)
  }

  @Test func `nothing is appended behind a lock that isn't the person's`() throws {
    let laptop = try stolen()
    let before = try me()
    let (_, name, entry) = try IdentityLog.append(
      .renameDevice(laptop.device.id, name: "x"), to: before, by: laptop, time: 1)
    let locked = try Sample.resigned(entry, by: laptop) { $0.lock = .init(Bytes32.zero.bytes) }
    _ = try world.store.put(ChainPlace.key(ana.user, name), locked)
    let objects = try world.objects()
    let error = #expect(throws: CloudError.self) { try desk.revocation.revoke(laptop.device.id) }
    #expect(error?.message == IdentityError.noPlace(before.length + 1).description)
    #expect(try world.objects() == objects)
  }

  @Test func `only possible names of entries are looked for`() throws {
    let before = try me()
    let (others, longer) = (String(repeating: "g", count: 32), String(repeating: "a", count: 33))
    for name in ["start", "abc", others, longer] {
      let mine = MemoryStore()
      let (_, place, entry) = try IdentityLog.append(
        .profile(handle: "a", name: "A"), to: before, by: ana, time: 1)
      let locked = try Sample.resigned(entry, by: ana) {
        $0.lock = .init(ChainPlace.lock(name).bytes)
      }
      _ = try mine.put(ChainPlace.start(ana.user), ana.origin)
      _ = try mine.put(ChainPlace.key(ana.user, place), locked)
      _ = try mine.put(ChainPlace.key(ana.user, name), [1])
      let people = People(store: mine)
      #expect(try people.refresh(ana.user)?.length == 2 && people.troubles.isEmpty)
    }
  }

  @Test(arguments: [1, 3, 7, 8, 100]) func `a chain is found among any number of names`(
    page: Int
  ) throws {
    _ = try stolen()
    for number in 1...3 { _ = try desk.devices.rename(ana.device.id, to: "desk \(number)") }
    let whole = try me()
    for number in 0..<20 {
      _ = try world.store.put(
        ChainPlace.key(ana.user, ChainPlace.name(9, by: .random())), [UInt8(number)])
    }
    var reader = ChainReader(ana.user, in: world.store, as: nil, page: page)
    var person: Person?
    while case .entry(_, let next) = try reader.next(after: person) { person = next }
    #expect(person == whole && whole.length == 5)
  }

  @Test func `an entry of a newer Cairn holds a chain, and says so`() throws {
    let before = try me()
    let (_, name, entry) = try IdentityLog.append(
      .profile(handle: "a", name: "A"), to: before, by: ana, time: 1)
    var wire = try StoredMessage.decode(
      entry, as: WireIdentityEntry.self, "entry", limit: IdentityLog.entryLimit)
    wire.format = 2
    _ = try world.store.put(ChainPlace.key(ana.user, name), StoredMessage.encode(wire))
    for people in try readers(desk) {
      #expect(try people.refresh(ana.user) == before)
      let trouble = try #require(people.troubles[ana.user])
      #expect(trouble.kind == .held && trouble.message.contains("a newer version of Cairn"))
    }
  }

  @Test func `a folder in the next place is reported to a device that would write there`() throws {
    let folder = try TemporaryContainer()
    let world = try ZoneWorld(DirectoryStore(root: folder.path))
    let ana = try world.account("ana")
    let place = try Sample.nextKey(ana, after: Sample.person(ana))
    // A folder is no object, and blocks the place of one.
    _ = try world.store.put(try #require(ObjectKey("\(place)/x")), [1])
    let desk = try world.open(ana)
    for container in [desk, try world.open(try world.account("bob"))] {
      #expect(try container.people.refresh(ana.user) == Sample.person(ana))
    }
    let error = #expect(throws: CloudError.self) {
      try desk.devices.rename(ana.device.id, to: "old desk")
    }
    #expect(error?.message.contains(place.description) == true, "\(String(describing: error))")
  }

  @Test func `empty identities of strangers cost a look each, and hide nobody`() throws {
    for number in 0..<300 {
      let user = UserID(Crypto.digest("cairn test", Crypto.number(UInt64(number))))
      _ = try world.store.put(ChainPlace.start(user), [])
      // Objects that people store beside their chain aren't listed.
      for pack in 0..<5 {
        let key = try #require(ObjectKey("users/\(user)/packs/00000000/0a/\(pack)"))
        _ = try world.store.put(key, [1])
      }
    }
    let store = LookedAtStore(world.store)
    let people = People(store: store)
    #expect(Set(try people.all().map(\.id)) == [ana.user, bob.user])
    #expect(store.looks == .init(gets: 302, lists: 2, folders: 1))
    #expect(try people.find(handle: "ana")?.id == ana.user)
    // A store that can only list finds the same.
    let listing = CountingStore(world.store)
    #expect(try listing.folders(in: "users/") == world.store.folders(in: "users/"))
  }

  @Test func `a reader notices a chain that is shorter than its person signed for`() throws {
    let index = "\(world.folder)/bobs"
    let zone = try desk.privateDatabase.createZone(named: "Trip")
    _ = try desk.sharing.share(zone, title: "Trip")
    _ = try desk.sharing.invite(bob.user, to: zone, permission: .readWrite)
    let bobs = try world.open(bob, index: index)
    _ = try bobs.participation.accept(zone.id)
    let mine = try bobs.privateDatabase.createZone(named: "Mine")
    _ = try bobs.sharing.share(mine, title: "Mine")
    #expect(try bobs.people.refresh(ana.user) != nil && bobs.people.troubles.isEmpty)

    _ = try stolen("phone")
    #expect(try me().length == 2)
    let store = HidingStore(
      world.store, prefix: "\(ChainPlace.folder(ana.user))/", except: "start")
    try zone.pull()
    try zone.write("a", [1])
    var shown = try world.open(bob, index: index, store: store)
    var trip = try #require(try shown.zone(zone.id))
    try trip.pull()
    #expect(try trip.names() == ["a"], "what she wrote counts: her desk's key is known")
    let disputed = LogTrouble(.disputed, agreed: 1, seen: 2)
    #expect(shown.people.troubles == [ana.user: disputed])
    let refused = #expect(throws: CloudError.self) {
      let mine = try #require(try shown.zone(mine.id))
      _ = try shown.sharing.invite(ana.user, to: mine, permission: .readOnly)
    }
    #expect(refused?.code == .participantMayNeedVerification)

    // A new process still knows it, though it reads nothing new.
    shown = try world.open(bob, index: index, store: store)
    _ = try shown.people.refresh(ana.user)
    #expect(shown.people.troubles == [ana.user: disputed])

    store.reveal()
    _ = try shown.people.refresh(ana.user)
    #expect(shown.people.troubles.isEmpty)
    trip = try #require(try shown.zone(zone.id))
    try zone.write("b", [2])
    try trip.pull()
    #expect(shown.people.troubles.isEmpty)
  }

  @Test func `a reader notices another entry of a chain than its person signed for`() throws {
    let people = world.store
    let memory = try IdentityMemory(IndexFile(inMemory: .zones))
    let bobs = People(store: people, memory: memory, own: bob)
    _ = try stolen()
    let person = try #require(try bobs.refresh(ana.user))
    #expect(person.length == 2)
    try bobs.hear(ChainHead(length: 2, head: person.head), of: ana.user)
    try bobs.hear(
      ChainHead(length: 1, head: IdentityLog.digest(of: ana.origin)), of: ana.user)
    #expect(bobs.troubles.isEmpty)
    for head in [
      ChainHead(length: 1, head: person.head), ChainHead(length: 2, head: .zero),
      ChainHead(length: .max, head: .zero),
    ] {
      let others = People(store: people, memory: memory, own: bob)
      try others.hear(head, of: ana.user)
      let agreed = min(head.length - 1, 2)
      #expect(
        others.troubles == [ana.user: LogTrouble(.disputed, agreed: agreed, seen: head.length)])
    }
    // The chain of a missing person isn't disputed.
    let stranger = try Sample.account("eve").account
    try bobs.hear(ChainHead(length: 7, head: .zero), of: stranger.user)
    #expect(bobs.troubles[stranger.user] == nil)
  }
}

/// A store that counts its requests.
private final class LookedAtStore: StoreAround {
  struct Looks: Equatable {
    var gets = 0
    var lists = 0
    var folders = 0
  }

  let inner: any ObjectStore
  private let counts = Mutex(Looks())
  var looks: Looks { counts.withLock { $0 } }

  init(_ inner: any ObjectStore) { self.inner = inner }

  func get(_ key: ObjectKey) throws(StoreError) -> [UInt8]? {
    counts.withLock { $0.gets += 1 }
    return try inner.get(key)
  }

  func get(_ key: ObjectKey, range: Range<Int>) throws(StoreError) -> [UInt8]? {
    counts.withLock { $0.gets += 1 }
    return try inner.get(key, range: range)
  }

  func list(
    _ prefix: String, after: ObjectKey?, limit: Int
  ) throws(StoreError) -> [ObjectKey] {
    counts.withLock { $0.lists += 1 }
    return try inner.list(prefix, after: after, limit: limit)
  }

  func folders(in prefix: String) throws(StoreError) -> [String] {
    counts.withLock { $0.folders += 1 }
    return try inner.folders(in: prefix)
  }
}
