import CairnStore
import CairnZone
import Testing

@testable import CairnContainer
@testable import CairnIdentity
@testable import CairnReplica

/// Which files are open on which devices: who is believed, for how long, and what the host can do.
struct PresenceTests {
  private static let minute: Int64 = 60_000_000_000
  private static let date: Int64 = 1_800_000_000_000_000_000
  private let file = PresenceFile(record: RecordID(Bytes16(high: 1, low: 2)), since: date - 5)

  /// A device with a keeper, whose clocks stand at the same time.
  private struct Device {
    let account: Account
    let container: Container
    let zone: Zone
    var keeper: PresenceKeeper

    init(_ account: Account, _ container: Container, _ zone: Zone) {
      (self.account, self.container, self.zone) = (account, container, zone)
      keeper = PresenceKeeper(container)
    }

    /// Tells the open files after a number of minutes, and reads those of others.
    mutating func turn(
      _ files: [PresenceFile] = [], at minutes: Int64 = 0, looks: Bool = true, late: Int64 = 0
    ) throws -> Set<Presence> {
      let now = minutes * PresenceTests.minute
      try keeper.turn(
        [PresenceKeeper.Mirrored(zone, files: files)], looks: looks, now: now,
        date: PresenceTests.date + now + late)
      return keeper.others
    }
  }

  /// Returns Ana's and Bob's devices with a share of Ana's.
  private func pair(
    _ world: ZoneWorld, _ permission: Permission = .readWrite
  ) throws -> (ana: Device, bob: Device) {
    let (ana, bob) = (try world.account("ana"), try world.account("bob"))
    let (anas, bobs) = (try world.open(ana), try world.open(bob))
    let zone = try anas.privateDatabase.createZone(named: "Trip")
    _ = try anas.sharing.share(zone, title: "Trip")
    _ = try anas.sharing.invite(bob.user, to: zone, permission: permission)
    let accepted = try bobs.participation.accept(zone.id)
    try zone.pull()
    return (Device(ana, anas, zone), Device(bob, bobs, accepted))
  }

  private func objects(_ world: ZoneWorld) throws -> [ObjectKey] {
    try world.keys(PresenceKeeper.folder)
  }

  @Test func `others see who has a file open, since when, until it is closed`() throws {
    let world = try ZoneWorld()
    var (ana, bob) = try pair(world)
    #expect(try ana.turn() == [] && bob.turn() == [])
    #expect(try objects(world).isEmpty)
    #expect(try bob.turn([file], at: 1) == [])
    let seen = try #require(try ana.turn(at: 2).first)
    #expect(
      seen.file == file && seen.author == bob.account.author && seen.zone == ana.zone.id
        && seen.seen == Self.date + Self.minute)
    // Nothing is written again without news.
    let before = try objects(world)
    _ = try bob.turn([file], at: 3)
    #expect(try objects(world) == before && before.count == 1)
    let other = PresenceFile(record: RecordID(Bytes16(high: 1, low: 3)), since: 7)
    _ = try bob.turn([file, other], at: 4)
    #expect(Set(try ana.turn(at: 4).map(\.file)) == [file, other])
    #expect(try objects(world).count == 1)
    _ = try bob.turn([], at: 5)
    // An object without files tells that, and goes later.
    #expect(try ana.turn(at: 5) == [] && objects(world).count == 1)
    _ = try bob.turn([], at: 14)
    #expect(try objects(world).count == 1 && bob.keeper.due == 15 * Self.minute)
    _ = try bob.turn([], at: 15)
    #expect(try objects(world).isEmpty && bob.keeper.due == nil)
  }

  @Test func `a device that dies is forgotten, and one that lives repeats its sign`() throws {
    let world = try ZoneWorld()
    var (ana, bob) = try pair(world)
    _ = try bob.turn([file])
    #expect(try ana.turn().count == 1)
    for time in stride(from: 10, through: 60, by: 10) as StrideThrough<Int64> {
      #expect(bob.keeper.due == time * Self.minute)
      _ = try bob.turn([file], at: time)
      #expect(try ana.turn(at: time).count == 1)
    }
    // Its object stays, but counts no more, without another reading of the folder.
    #expect(ana.keeper.due == 85 * Self.minute)
    #expect(try ana.turn(at: 84, looks: false).count == 1)
    #expect(try ana.turn(at: 85, looks: false) == [])
    // Neither does it for a device that starts later.
    ana.keeper = PresenceKeeper(ana.container)
    #expect(try ana.turn(at: 90) == [] && objects(world).count == 1)
    // The next run of the device cleans up, and so does anybody after a day.
    bob.keeper = PresenceKeeper(bob.container)
    for time in [95, 105] as [Int64] { _ = try bob.turn(at: time) }
    #expect(try objects(world).isEmpty)
    _ = try bob.turn([file], at: 110)
    _ = try ana.turn(at: 110 + 24 * 60 + 1)
    #expect(try objects(world).isEmpty)
  }

  @Test func `the end of a daemon ends what it told`() throws {
    let world = try ZoneWorld()
    var (ana, bob) = try pair(world)
    _ = try bob.turn([file])
    #expect(try ana.turn().count == 1)
    bob.keeper.end(now: 1, date: Self.date + 1)
    #expect(try ana.turn() == [] && objects(world).count == 1)
    // So does the end of the mirror.
    bob.keeper = PresenceKeeper(bob.container)
    _ = try bob.turn([file], at: 1)
    #expect(try ana.turn(at: 1).count == 1)
    try bob.keeper.turn([], looks: false, now: Self.minute, date: Self.date + Self.minute)
    #expect(try ana.turn(at: 1) == [])
  }

  @Test func `a viewer tells nothing, and nobody believes one`() throws {
    let world = try ZoneWorld()
    var (ana, bob) = try pair(world, .readOnly)
    _ = try bob.turn([file])
    #expect(try objects(world).isEmpty)
    // A modified program tells all the same.
    let key = try #require(bob.zone.keyring()[1].map { PresenceKey(bob.zone.id, $0) })
    let object = PresenceObject(
      owner: key.owner(bob.account, in: world.id), time: UInt64(Self.date), topic: key.topic)
    let bytes = object.bytes([file], by: bob.account, in: key, of: world.id)
    #expect(try world.store.put(object.key, bytes) == .stored)
    #expect(try ana.turn() == [])
    try ana.container.access.setPermission(.readWrite, of: bob.account.user, in: ana.zone)
    #expect(try ana.turn().count == 1)
    // What a viewer learns is what a member may know.
    _ = try ana.turn([file], at: 1)
    #expect(try bob.turn(at: 1).count == 1)
  }

  @Test func `a removed person neither tells nor learns anything`() throws {
    let world = try ZoneWorld()
    var (ana, bob) = try pair(world)
    _ = try bob.turn([file])
    #expect(try ana.turn().count == 1)
    try ana.container.access.remove(bob.account.user, from: ana.zone)
    #expect(try ana.turn([file], at: 1) == [])
    let key = try #require(bob.zone.keyring()[1].map { PresenceKey(bob.zone.id, $0) })
    for object in try objects(world).compactMap({ PresenceObject($0) })
    where object.owner != key.owner(bob.account, in: world.id) {
      #expect(object.topic != key.topic)
      let bytes = try #require(try world.store.get(object.key))
      let found = try object.open(bytes, in: key, of: world.id) {
        author throws(StoreError) in try bob.container.people.signKey(of: author)
      }
      #expect(found == nil)
    }
  }

  @Test func `the host forges, changes, renames and repeats nothing`() throws {
    let world = try ZoneWorld()
    var (ana, bob) = try pair(world)
    _ = try bob.turn([file])
    let key = try #require(try objects(world).first)
    let (object, bytes) = (
      try #require(PresenceObject(key)), try #require(try world.store.get(key))
    )
    #expect(bytes.count == PresenceObject.count)
    let zone = try #require(ana.zone.keyring()[1].map { PresenceKey(ana.zone.id, $0) })
    func opens(_ object: PresenceObject, _ bytes: [UInt8]) throws -> Bool {
      try object.open(bytes, in: zone, of: world.id) {
        author throws(StoreError) in try ana.container.people.signKey(of: author)
      } != nil
    }
    #expect(try opens(object, bytes))
    for index in stride(from: 0, to: bytes.count, by: 7) {
      #expect(try !opens(object, Sample.flipped(bytes, at: index)))
    }
    #expect(try !opens(object, Array(bytes.dropLast())) && !opens(object, bytes + [0]))
    let (owner, time, topic) = (object.owner, object.time, object.topic)
    for other in [
      PresenceObject(owner: String(owner.reversed()), time: time, topic: topic),
      PresenceObject(owner: owner, time: time + 1, topic: topic),
      PresenceObject(owner: owner, time: time, topic: topic ^ 1),
    ] { #expect(try !opens(other, bytes)) }
    // A member can't speak for another one.
    let forged = object.bytes(
      [file],
      by: Account(
        user: bob.account.user, device: ana.account.device, encryption: [bob.account.device.box],
        origin: bob.account.origin), in: zone, of: world.id)
    #expect(try !opens(object, forged))
    // An earlier object doesn't count again.
    #expect(try ana.turn().count == 1)
    let other = PresenceFile(record: RecordID(Bytes16(high: 1, low: 3)), since: 7)
    _ = try bob.turn([other], at: 1)
    #expect(try ana.turn(at: 1).map(\.file) == [other])
    for key in try objects(world) { try world.store.delete(key) }
    #expect(try world.store.put(key, bytes) == .stored)
    #expect(try ana.turn(at: 2) == [])
  }

  @Test func `garbage and a clock that is far off stop nobody`() throws {
    let world = try ZoneWorld()
    var (ana, bob) = try pair(world)
    let zone = try #require(ana.zone.keyring()[1].map { PresenceKey(ana.zone.id, $0) })
    for number in 0..<300 as Range<UInt64> {
      let object = PresenceObject(
        owner: hexadecimal(Crypto.random(16)), time: UInt64(Self.date) + number, topic: zone.topic)
      _ = try world.store.put(object.key, Crypto.random(Int(number) * 7))
    }
    for name in ["presence/x", "presence/\(String(repeating: "a", count: 32))-1-1"] {
      _ = try world.store.put(try #require(ObjectKey(name)), [1])
    }
    _ = try bob.turn([file])
    _ = try ana.turn()
    // The rest is read at once, in a second portion.
    #expect(ana.keeper.due == 0)
    #expect(try ana.turn(looks: false).count == 1)
    // An hour apart they don't hear of each other, and everything else works.
    _ = try bob.turn([file], at: 11, late: 60 * Self.minute)
    #expect(try ana.turn(at: 11) == [])
  }

  /// A store in which some objects can be neither read nor deleted by others.
  ///
  /// `@unchecked Sendable`: one test uses it, in one thread.
  private final class GuardedStore: StoreAround, @unchecked Sendable {
    let inner: any ObjectStore
    var guarded: Set<ObjectKey> = []

    init(_ inner: any ObjectStore) { self.inner = inner }

    private func check(_ key: ObjectKey) throws(StoreError) {
      guard guarded.contains(key) else { return }
      throw StoreError(code: .denied, key: key, cause: "the file isn't yours")
    }

    func get(_ key: ObjectKey, range: Range<Int>) throws(StoreError) -> [UInt8]? {
      try check(key)
      return try inner.get(key, range: range)
    }

    func delete(_ key: ObjectKey) throws(StoreError) {
      try check(key)
      try inner.delete(key)
    }
  }

  @Test func `an object that can't be read silences nobody`() throws {
    let store = GuardedStore(MemoryStore())
    let world = try ZoneWorld(store)
    var (ana, bob) = try pair(world)
    let zone = try #require(ana.zone.keyring()[1].map { PresenceKey(ana.zone.id, $0) })
    let object = PresenceObject(
      owner: hexadecimal(Crypto.random(16)), time: UInt64(Self.date), topic: zone.topic)
    _ = try store.put(object.key, [1])
    store.guarded = [object.key]
    #expect(try bob.turn([file]) == [] && ana.turn().map(\.file) == [file])
  }

  @Test func `an object that can't be deleted is left alone`() throws {
    let store = GuardedStore(MemoryStore())
    let world = try ZoneWorld(store)
    var (ana, bob) = try pair(world)
    _ = try bob.turn([file])
    store.guarded = Set(try objects(world))
    bob.keeper = PresenceKeeper(bob.container)
    for time in stride(from: 1, through: 60, by: 1) as StrideThrough<Int64> {
      _ = try bob.turn(at: time)
    }
    // Only the one that nobody can delete is left, and nothing is written because of it.
    #expect(Set(try objects(world)) == store.guarded && bob.keeper.due == nil)
    #expect(try ana.turn(at: 60) == [])
    _ = try bob.turn([file], at: 61)
    #expect(try ana.turn(at: 61).map(\.file) == [file])
  }

  @Test func `names and contents are written as they are read`() throws {
    let account = try Sample.account("ana").account
    let zone = PresenceKey(
      ZoneID(Crypto.digest("test")), .random(epoch: 1))
    let id = ContainerID(Bytes16(high: 1, low: 1))
    for count in [0, 1, 39, 40, 41, 1_000] {
      let object = PresenceObject(
        owner: String(repeating: "0", count: 32), time: .max, topic: UInt32(count))
      #expect(PresenceObject(object.key) == object)
      let files = (0..<count).map {
        PresenceFile(record: RecordID(Bytes16(high: 1, low: UInt64($0))), since: -Int64($0))
      }
      let bytes = object.bytes(files, by: account, in: zone, of: id)
      #expect(bytes.count == PresenceObject.count)
      let found = try object.open(bytes, in: zone, of: id) {
        author throws(StoreError) in
        author == account.author
          ? account.device.signing.publicKey : nil
      }
      #expect(found?.author == account.author && found?.files == Array(files.prefix(40)))
    }
  }

  // MARK: Stories

  /// A device in a story.
  private struct Actor {
    var device: Device
    var open: Set<PresenceFile> = []
    var isAlive = true
    /// The open files at each time at which it told them, by the time of its object.
    var told: [Int64: Set<PresenceFile>] = [:]
    /// The newest sign of each other device that it has seen.
    var newest: [Author: Int64] = [:]
  }

  /// Two devices, and a host that hides, repeats and forges objects.
  private struct Story {
    let world: ZoneWorld
    let seed: UInt64
    var dice: SplitMix
    var actors: [Actor]
    var kept: [ObjectKey: [UInt8]] = [:]
    /// The time in minutes.
    var time: Int64 = 0

    init(_ world: ZoneWorld, _ devices: [Device], seed: UInt64) {
      (self.world, self.seed, dice) = (world, seed, SplitMix(seed))
      actors = devices.map { Actor(device: $0) }
    }

    private func objects() throws -> [ObjectKey] { try world.keys(PresenceKeeper.folder) }

    /// Lets a device work, and checks what it believes.
    mutating func turn(_ index: Int, looks: Bool) throws {
      let before = Set(try objects())
      let others = try actors[index].device.turn(
        Array(actors[index].open), at: time, looks: looks)
      for key in try objects() where !before.contains(key) {
        actors[index].told[Int64(try #require(PresenceObject(key)).time)] = actors[index].open
        kept[key] = try world.store.get(key)
      }
      let other = actors[1 - index]
      for presence in others {
        let (author, seen) = (presence.author, presence.seen)
        #expect(author == other.device.account.author, "seed \(seed)")
        #expect(other.told[seen]?.contains(presence.file) == true, "seed \(seed)")
        let age = PresenceTests.date + time * PresenceTests.minute - seen
        #expect(age < PresenceKeeper.lease, "seed \(seed)")
        #expect(seen >= actors[index].newest[author] ?? 0, "seed \(seed)")
        actors[index].newest[author] = seen
      }
    }

    /// Lets something happen.
    mutating func step() throws {
      let index = Int(dice.next() % 2)
      switch dice.next() % 10 {
      case 0, 1:
        let record = RecordID(Bytes16(high: 1, low: dice.next() % 4))
        let file = PresenceFile(record: record, since: PresenceTests.date - 5)
        actors[index].open.formSymmetricDifference([file])
      case 2, 3, 4: if actors[index].isAlive { try turn(index, looks: dice.next() % 3 > 0) }
      case 5: time += Int64(dice.next() % 30)
      case 6: restart(index)
      default: try trick()
      }
    }

    /// A device dies, or starts again.
    private mutating func restart(_ index: Int) {
      if actors[index].isAlive { actors[index].open = [] }
      actors[index].isAlive.toggle()
      actors[index].newest = [:]
      actors[index].device.keeper = PresenceKeeper(actors[index].device.container)
      time += 1
    }

    /// The host hides an object, shows an earlier one, or shows it under another name.
    private mutating func trick() throws {
      switch dice.next() % 3 {
      case 0:
        if let key = try objects().randomElement(using: &dice) { try world.store.delete(key) }
      case 1:
        if let key = kept.keys.sorted().randomElement(using: &dice), let bytes = kept[key] {
          _ = try world.store.put(key, bytes)
        }
      default:
        let known = kept.keys.sorted().randomElement(using: &dice)
        let object = PresenceObject(
          owner: hexadecimal((0..<16).map { _ in UInt8(truncatingIfNeeded: dice.next()) }),
          time: UInt64(PresenceTests.date),
          topic: known.flatMap { PresenceObject($0)?.topic } ?? 0)
        _ = try world.store.put(object.key, known.flatMap { kept[$0] } ?? [1])
      }
    }

    /// Checks that in the end each sees what the other has open.
    mutating func finish() throws {
      time += PresenceKeeper.lease / PresenceTests.minute
      for index in [0, 1, 0] where actors[index].isAlive { try turn(index, looks: true) }
      for index in [0, 1] where actors[index].isAlive {
        let other = actors[1 - index]
        let seen = Set(actors[index].device.keeper.others.map(\.file))
        #expect(seen == (other.isAlive ? other.open : []), "seed \(seed)")
      }
    }
  }

  @Test(arguments: 0..<20 as Range<UInt64>)
  func `whatever happens, nobody is said to have open what they haven't`(seed: UInt64) throws {
    let world = try ZoneWorld(MemoryStore())
    let (ana, bob) = try pair(world)
    var story = Story(world, [ana, bob], seed: seed)
    for _ in 0..<60 { try story.step() }
    try story.finish()
  }

  /// A generator of random numbers that a seed repeats.
  private struct SplitMix: RandomNumberGenerator {
    private var state: UInt64

    init(_ seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
      state &+= 0x9E37_79B9_7F4A_7C15
      var mixed = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
      mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
      return mixed ^ (mixed >> 31)
    }
  }
}
