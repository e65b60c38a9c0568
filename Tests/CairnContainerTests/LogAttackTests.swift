import CairnIndex
import CairnStore
import CairnWire
import CairnZone
import Testing

@testable import CairnContainer
@testable import CairnIdentity
@testable import CairnReplica

/// Attacks by present and former readers of a log. They alter, remove and exchange their own
/// objects, and take the names of others. Everybody reads the same log, or notices.
struct LogAttackTests {
  private let world: ZoneWorld
  private let ana: Zone
  private let bob: Zone
  private let accounts: [Account]

  init() throws {
    world = try ZoneWorld()
    (ana, bob, accounts) = try world.shared()
  }

  /// Returns a first reader of the zone, invited by Ana now.
  private func newcomer(_ handle: String = "carol") throws -> Zone {
    let carol = try world.account(handle)
    let container = try world.open(accounts[0])
    let zone = try #require(try container.zone(ana.id))
    try zone.pull()
    _ = try container.sharing.invite(carol.user, to: zone, permission: .readWrite)
    return try world.open(carol).participation.accept(ana.id)
  }

  private func remove(_ person: Account) throws {
    let container = try world.open(accounts[0])
    let zone = try #require(try container.zone(ana.id))
    try zone.pull()
    try container.access.remove(person.user, from: zone)
    try ana.pull()
  }

  enum Harm: CaseIterable { case removed, altered, rubbish }

  @Test(arguments: Harm.allCases)
  func `objects that a former member alters or removes are found among copies`(harm: Harm) throws {
    try bob.write("one", [1])
    try bob.write("two", [2])
    try ana.pull()
    let places = try [ana.header.sequence - 1, ana.header.sequence].map { try ana.place($0) }
    try remove(accounts[1])
    try ana.write("after", [3])
    for place in places {
      switch harm {
      case .removed: try world.store.delete(place)
      case .altered: try world.replace(place) { $0[$0.count / 2] ^= 1 }
      case .rubbish: try world.replace(place) { $0 = ContentPieces.noise(300) }
      }
    }
    let carol = try newcomer()
    #expect(try carol.names() == ["one", "two", "after"])
    try carol.write("of carol", [4])
    try ana.pull()
    #expect(carol.header.head == ana.header.head && ana.trouble == nil)
    for zone in [ana, carol] { #expect(try zone.verify().isEmpty) }
  }

  @Test func `a person who was away reads on without the last entries of a former member`()
    throws
  {
    let dora = try newcomer("dora")
    try bob.pull()
    for number in 0..<12 { try bob.write("\(number)", [1]) }
    try ana.pull()
    let first = dora.header.sequence + 1
    let places = try (first...ana.header.sequence).map { try ana.place($0) }
    try remove(accounts[1])
    for place in places { try world.store.delete(place) }
    // She has only the key of the ended epoch, and its places seem to end.
    let names = try dora.names()
    try dora.pull()
    #expect(dora.header.epoch == 2 && dora.header.head == ana.header.head)
    #expect(try dora.names().count == names.count + 12)
    try dora.write("of dora", [4])
    try ana.pull()
    #expect(try ana.names().contains("of dora"))
  }

  @Test func `a slow writer doesn't fall into a hole that somebody made`() throws {
    let hooked = HookedStore(world.store)
    let container = try world.open(accounts[0], store: hooked)
    let slow = try #require(try container.zone(ana.id))
    try slow.pull()
    try bob.pull()
    let place = try ana.place(ana.header.sequence + 1)
    hooked.beforePut(place.description) { [self] in
      // Between its look and its put, Bob took that place, was removed, and took his entry back.
      try bob.write("of bob", [1])
      try remove(accounts[1])
      try world.store.delete(place)
    }
    try slow.save([Zone.file("slow", Content(size: 0, chunks: []))])
    #expect(hooked.isSpent)
    try ana.pull()
    #expect(slow.header.head == ana.header.head && ana.header.epoch == 2)
    #expect(try ana.names() == ["of bob", "slow"])
    #expect(try newcomer().names() == ["of bob", "slow"])
    #expect(ana.header.share?.participants[accounts[1].user] == nil)
  }

  @Test func `rubbish under all names of copies keeps nobody from putting one`() throws {
    let folder = try TemporaryContainer()
    let world = try ZoneWorld(DirectoryStore(root: folder.path))
    let (ana, bob, accounts) = try world.shared()
    try bob.write("of bob", [1])
    try ana.pull()
    let (place, key) = (ana.header.sequence, try #require(bob.keyring()[1]))
    for number in 0..<ZoneFolder.copies {
      // Folders, and files.
      let copy = bob.folder.copy(of: ana.header.head, number, key)
      let inside = try #require(ObjectKey("\(copy)/x"))
      _ = try world.store.put(number.isMultiple(of: 2) ? inside : copy, [1])
    }
    let container = try world.open(accounts[0])
    let zone = try #require(try container.zone(ana.id))
    try zone.pull()
    try container.access.remove(accounts[1].user, from: zone)
    try world.store.delete(zone.place(place))
    // A person with only the first key finds it, too.
    let own = try world.open(accounts[0])
    let again = try #require(try own.zone(ana.id))
    try again.pull()
    #expect(try again.names() == ["of bob"] && again.trouble == nil)
    #expect(again.header.head == zone.header.head)
  }

  @Test func `a copy under the newest key is found with an old key only`() throws {
    let folder = try TemporaryContainer()
    let world = try ZoneWorld(DirectoryStore(root: folder.path))
    let (ana, bob, accounts) = try world.shared()
    try bob.write("of bob", [1])
    try ana.pull()
    let (place, digest) = (try ana.place(ana.header.sequence), ana.header.head)
    let zone = try #require(try world.open(accounts[0]).zone(ana.id))
    try zone.pull()
    try world.open(accounts[0]).access.remove(accounts[1].user, from: zone)
    try zone.changeShare([], rekey: true)
    // The names that the first key gives are taken by objects that only their owner may remove.
    for number in 0..<ZoneFolder.copies {
      let name = ana.folder.copy(of: digest, number, try #require(bob.keyring()[1]))
      try world.store.delete(name)
      #expect(try world.store.put(name, [1]) == .stored)
    }
    try world.replace(place) { $0[$0.count / 2] ^= 1 }
    let again = try #require(try world.open(accounts[0]).zone(ana.id))
    try again.pull()
    #expect(try again.names() == ["of bob"] && again.trouble == nil)
    #expect(again.header.epoch == 3)
  }

  @Test func `nobody can make another's entry void by a copy`() throws {
    try ana.write("of ana", [1])
    try bob.pull()
    let place = bob.header.sequence
    let (key, before) = (
      try #require(bob.keyring()[1]),
      try #require(
        try bob.index.read { db in
          try IndexedZone(db, zone: bob.id, header: bob.header).log.digest(at: place - 1)
        })
    )
    func entry(_ sequence: UInt64, after previous: Bytes32, _ name: String) throws -> [UInt8] {
      let commit = Commit(
        previous: previous, author: accounts[1].author, time: 1, epoch: 1,
        records: [try Zone.file(name, Content(size: 0, chunks: []))],
        chain: ChainHead(length: 1, head: .zero))
      return try EntryCodec.seal(
        commit, zone: bob.id, sequence: sequence, key: key, account: accounts[1])
    }
    // Another entry for Ana's place, among copies, and one behind it that names it.
    let other = try entry(place, after: before, "other")
    let digest = EntryCodec.digest(of: other)
    for number in 0..<ZoneFolder.copies {
      _ = try world.store.put(
        bob.folder.copy(of: digest, number, key),
        LogCopies(entries: [other], place: place).encoded())
    }
    let behind = bob.folder.place(place + 1, key)
    _ = try world.store.put(behind, try entry(place + 1, after: digest, "behind"))
    #expect(try cloudCode { try ana.pull() } == .zoneBusy)
    #expect(ana.trouble?.object == behind.description)
    #expect(try ana.names() == ["of ana"])
    // A later reader sees that the two don't fit together, and stops before both.
    let late = try #require(try world.open(accounts[0]).zone(ana.id))
    #expect(try cloudCode { try late.pull() } == .zoneBusy)
    #expect(late.header.sequence == place - 1)
    try world.store.delete(behind)
    for zone in [ana, late] {
      try zone.pull()
      #expect(try zone.names() == ["of ana"] && zone.trouble == nil)
    }
  }

  @Test func `a newcomer with another past than the inviter's is told, and reads nothing`() throws {
    try ana.write("one", [1])
    let carol = try world.account("carol")
    let container = try world.open(accounts[0])
    let zone = try #require(try container.zone(ana.id))
    try zone.pull()
    _ = try container.sharing.invite(carol.user, to: zone, permission: .readWrite)
    let last = try zone.place(zone.header.sequence)
    let bytes = try #require(try world.store.get(last))
    try world.store.delete(last)
    let hers = try world.open(carol)
    var told: CloudError?
    do { _ = try hers.participation.accept(ana.id) } catch let error as CloudError { told = error }
    #expect(told?.message.hasPrefix("disputed: ") == true, "\(String(describing: told))")
    #expect(try hers.sharedDatabase.zones().isEmpty)
    _ = try world.store.put(last, bytes)
    #expect(try hers.participation.accept(ana.id).names() == ["one"])
  }

  @Test func `a member's objects behind the end of an epoch keep nobody out`()
    throws
  {
    try ana.write("one", [1])
    try bob.pull()
    let epoch = try #require(bob.keyring()[1])
    let dora = try world.account("dora")
    let container = try world.open(accounts[0])
    let hers = try #require(try container.zone(ana.id))
    try hers.pull()
    _ = try container.sharing.invite(dora.user, to: hers, permission: .readWrite)
    _ = try world.open(dora).participation.accept(ana.id)
    try remove(dora)
    try ana.write("two", [2])
    let next = try #require(ana.keyring()[2])
    let place = try #require(
      (1...ana.header.sequence).first { try ana.place($0) == ana.folder.place($0, next) })
    // He is a participant, and was one: the state of each place decides.
    let commit = Commit(
      previous: bob.header.head, author: accounts[1].author, time: 1, epoch: 1,
      chain: ChainHead(length: 1, head: IdentityLog.digest(of: accounts[1].origin)))
    let bytes = try EntryCodec.seal(
      body: StoredMessage.encode(WireCommit(commit, nonce: nil)), zone: ana.id, sequence: place,
      key: epoch, boxes: [], account: accounts[1],
      sealNonce: Crypto.random(Crypto.nonceCount))
    #expect(try world.store.put(ana.folder.place(place, epoch), bytes) == .stored)
    let carol = try newcomer()
    try ana.pull()
    #expect(try carol.names() == ["one", "two"])
    #expect(carol.header.head == ana.header.head && carol.trouble == nil)
  }

  /// Returns an entry of an epoch that somebody with its key signs at any time.
  private func entry(
    _ account: Account, _ sequence: UInt64, after previous: Bytes32, _ name: String
  ) throws -> [UInt8] {
    let commit = Commit(
      previous: previous, author: account.author, time: 1, epoch: 1,
      records: [try Zone.file(name, Content(size: 0, chunks: []))],
      chain: ChainHead(length: 1, head: .zero))
    return try EntryCodec.seal(
      commit, zone: ana.id, sequence: sequence, key: try #require(ana.keyring()[1]),
      account: account)
  }

  private func digest(_ sequence: UInt64) throws -> Bytes32 {
    try #require(
      try ana.index.read { db in
        try IndexedZone(db, zone: ana.id, header: ana.header).log.digest(at: sequence)
      })
  }

  private func exchange(_ sequence: UInt64, _ bytes: [UInt8]) throws {
    let place = ana.folder.place(sequence, try #require(ana.keyring()[1]))
    if try world.store.get(place) != nil { try world.store.delete(place) }
    #expect(try world.store.put(place, bytes) == .stored)
  }

  /// Expects that a new reader, with and without an anchor, reads the same as Ana.
  private func expectSameForAll(_ names: Set<String>) throws {
    let late = try #require(try world.open(accounts[0]).zone(ana.id))
    try late.pull()
    let carol = try newcomer()
    try ana.pull()
    for zone in [ana, late, carol] {
      try zone.pull()
      #expect(try zone.names() == names && zone.trouble == nil)
      #expect(zone.header.head == ana.header.head)
    }
  }

  enum Forgery: CaseIterable { case inARow, behindAnothers, behindAnothersWithACopy }

  @Test(arguments: Forgery.allCases)
  func `later signatures of a former member in an ended epoch keep nobody out`(
    forgery: Forgery
  ) throws {
    try ana.write("of ana", [1])
    try bob.pull()
    try bob.write("one", [1])
    try bob.write("two", [2])
    try ana.pull()
    let place = ana.header.sequence - 1
    try remove(accounts[1])
    var before = try digest(place - 1)
    switch forgery {
    case .inARow: break
    case .behindAnothers: before = Bytes32(ContentPieces.noise(32)) ?? .zero
    case .behindAnothersWithACopy:
      let other = try entry(accounts[1], place - 1, after: try digest(place - 2), "not of ana")
      before = EntryCodec.digest(of: other)
      let copy = ana.folder.copy(of: before, 0, try #require(ana.keyring()[1]))
      _ = try world.store.put(copy, LogCopies(entries: [other], place: place - 1).encoded())
    }
    let first = try entry(accounts[1], place, after: before, "not one")
    try exchange(place, first)
    try exchange(
      place + 1,
      try entry(accounts[1], place + 1, after: EntryCodec.digest(of: first), "not two"))
    try expectSameForAll(["of ana", "one", "two"])
  }

  @Test(arguments: [true, false])
  func `a revoked stolen device fills no place that somebody left`(isMarked: Bool) throws {
    let desk = try world.open(accounts[0])
    let join = DeviceJoin(
      try desk.devices.linkCode(path: [47], now: 0), in: world.store, deviceName: "laptop")
    #expect(try join.advance() == nil)
    _ = try desk.devices.answerJoins(now: 1)
    let laptop = try #require(try join.advance())
    join.clean()
    try bob.write("of bob", [1])
    try ana.pull()
    let place = ana.header.sequence
    try remove(accounts[1])
    try desk.revocation.revoke(laptop.device.id)
    _ = try desk.revocation.revokeInZones()
    try ana.pull()
    let forged = try entry(laptop, place, after: try digest(place - 1), "forged")
    try exchange(place, forged)
    if !isMarked {
      try world.store.delete(ana.folder.end(of: try #require(ana.keyring()[1])))
    }
    try expectSameForAll(["of bob"])
  }

  @Test func `the end of an epoch by an administrator stands, whatever is behind it`() throws {
    let (cleo, dora) = (try world.account("cleo"), try world.account("dora"))
    let desk = try world.open(accounts[0])
    let zone = try #require(try desk.zone(ana.id))
    try zone.pull()
    for person in [cleo, dora] {
      _ = try desk.sharing.invite(person.user, to: zone, permission: .readWrite)
      _ = try world.open(person).participation.accept(ana.id)
      try zone.pull()
    }
    try desk.access.setRole(.administrator, of: accounts[1].user, in: zone)
    let his = try world.open(accounts[1])
    let theirs = try #require(try his.zone(ana.id))
    try theirs.pull()
    try his.access.remove(dora.user, from: theirs)
    try ana.pull()
    try ana.write("on", [1])
    let next = try #require(ana.keyring()[2])
    let place = try #require(
      (1...ana.header.sequence).first { try ana.place($0) == ana.folder.place($0, next) })
    try exchange(
      place, try entry(cleo, place, after: Bytes32(ContentPieces.noise(32)) ?? .zero, "not on"))
    try expectSameForAll(["on"])
  }

  @Test func `rubbish in the place of an end-of-epoch record is named and taken away`() throws {
    // On a disk, a removed object is moved aside and checked first.
    let folder = try TemporaryContainer()
    let world = try ZoneWorld(DirectoryStore(root: folder.path))
    let (ana, bob, _) = try world.shared()
    let mark = ana.folder.end(of: try #require(ana.keyring()[1]))
    _ = try world.store.put(mark, ContentPieces.noise(100))
    #expect(try cloudCode { try bob.pull() } == .zoneBusy)
    #expect(bob.trouble?.object == mark.description)
    let owner = try #require(bob.trouble?.owner)
    #expect(owner == world.store.owner(of: mark) && bob.trouble?.message.contains(owner) == true)
    try bob.takeAway(try #require(bob.planRepair().held))
    #expect(try world.store.size(of: mark) == nil)
    try bob.write("on", [1])
    try ana.pull()
    #expect(try ana.names() == ["on"])
  }

  @Test(arguments: [0, UInt64.max - 9])
  func `an epoch's end by somebody without the right is named, and taken away`(
    _ far: UInt64
  ) throws {
    let world = try ZoneWorld()
    let (ana, bob, accounts) = try world.shared(.readOnly)
    try bob.pull()
    let (key, place) = (try #require(bob.keyring().latest), bob.header.sequence + 3 + far)
    let next = ZoneKey.random(epoch: key.epoch + 1)
    var commit = Commit(
      previous: .zero, author: accounts[1].author, time: 1, epoch: key.epoch,
      chain: ChainHead(length: 1, head: IdentityLog.digest(of: accounts[1].origin)))
    commit.nextKey = next.digest(in: ana.id)
    let entry = try EntryCodec.seal(
      commit, zone: ana.id, sequence: place, key: key, next: next, account: accounts[1])
    _ = try world.store.put(ana.folder.place(place, key), entry)
    let mark = ana.folder.end(of: key)
    _ = try world.store.put(mark, LogCopies(entries: [entry], place: place).encoded())
    for zone in [ana, bob] {
      #expect(try cloudCode { try zone.pull() } == .zoneBusy)
      #expect(zone.trouble?.object == mark.description)
    }
    try ana.takeAway(try #require(ana.planRepair().held))
    #expect(try world.store.size(of: mark) == nil)
    for number in 1...4 { try ana.write("\(number)", [1]) }
    try bob.pull()
    #expect(try bob.names().count == 4)
  }

  @Test func `rubbish in an end-of-epoch record is named behind the entries before it, too`()
    throws
  {
    let world = try ZoneWorld()
    let (ana, bob, _) = try world.shared()
    let mark = ana.folder.end(of: try #require(ana.keyring()[1]))
    try ana.write("one", [1])
    _ = try world.store.put(mark, ContentPieces.noise(100))
    #expect(try cloudCode { try bob.pull() } == .zoneBusy)
    #expect(bob.trouble?.object == mark.description)
    #expect(try bob.names() == ["one"])
  }

  @Test func `a new object under a key isn't removed in the place of the judged one`() throws {
    let folder = try TemporaryContainer()
    let store = DirectoryStore(root: folder.path)
    let world = try ZoneWorld(store)
    let (ana, _, _) = try world.shared()
    let place = try ana.place(ana.header.sequence + 1)
    _ = try store.put(place, [1, 2, 3])
    // The last one is a partial answer of a store.
    for bytes in [[9, 9, 9], nil, [1, 2]] as [[UInt8]?] {
      try store.remove(place, ifIts: bytes, upTo: 3)
      #expect(try store.get(place) == [1, 2, 3])
    }
    // An object that is too large is recognized by its beginning.
    try store.remove(place, ifIts: [1, 2], upTo: 1)
    #expect(try store.get(place) == nil)
    _ = try store.put(place, [1, 2, 3])
    try store.remove(place, ifIts: [1, 2, 3], upTo: 3)
    #expect(try store.get(place) == nil)
  }
}
