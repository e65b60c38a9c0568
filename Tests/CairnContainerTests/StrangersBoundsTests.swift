import CairnIndex
import CairnStore
import CairnZone
import Synchronization
import Testing

@testable import CairnContainer
@testable import CairnIdentity
@testable import CairnReplica

/// Objects of strangers in the container cost a reader at most the size that an object of their
/// kind may have.
struct StrangersBoundsTests {
  private let world: ZoneWorld
  private let ana: Account
  private let bob: Account
  private let desk: Container
  private let zone: Zone

  init() throws {
    world = try ZoneWorld()
    (ana, bob) = (try world.account("ana"), try world.account("bob"))
    desk = try world.open(ana)
    zone = try desk.privateDatabase.createZone(named: "Trip")
    _ = try desk.sharing.share(zone, title: "Trip")
  }

  /// Reads a container in which all keys with that part are objects without end.
  /// - Returns: the highest number of bytes that were requested from one of them.
  private func asked(
    _ part: String, of byte: UInt8 = SealedMessage.firstByte,
    _ look: (BottomlessStore) throws -> Void
  ) throws -> Int {
    let store = BottomlessStore(world.store, part: part, of: byte)
    do { try look(store) } catch is CloudError {} catch is StoreError {} catch is IdentityError {}
    return store.asked
  }

  @Test func `the container's own object`() throws {
    #expect(try asked("container") { _ = try ContainerFile.root(of: $0) } == 65_536 + 1)
  }

  @Test func `the entries of a chain`() throws {
    let start = try asked("/log/start") { _ = try People(store: $0).refresh(ana.user) }
    #expect(start == 65_536 + 1)
    let me = try desk.refreshMe().me
    let next = try Sample.nextKey(ana, after: me)
    _ = try world.store.put(next, [1])
    let later = try asked(next.description) { _ = try People(store: $0).refresh(ana.user) }
    #expect(later == 65_536 + 1)
  }

  @Test func `the messages of joining devices`() throws {
    let code = try desk.devices.linkCode(path: [47], now: 0)
    let join = DeviceJoin(code, in: world.store, deviceName: "laptop")
    #expect(try join.advance() == nil)
    let requests = try asked("/join/") { store in
      _ = try world.open(ana, store: store).devices.answerJoins(now: 1)
    }
    #expect(requests == 1 << 20 + 1)
    let other = try desk.devices.linkCode(path: [47], now: 0)
    let answer = JoinObject(user: ana.user, secret: other.secret).answerKey(0)
    let answers = try asked(answer.description) { store in
      let join = DeviceJoin(other, in: store, deviceName: "printer")
      _ = try join.advance()
      // The answer is looked for once the request was made.
      _ = try join.advance()
    }
    #expect(answers == 1 << 20 + 1)
  }

  @Test func `an inbox, the object of a link, and a door`() throws {
    _ = try desk.sharing.invite(bob.user, to: zone, permission: .readOnly)
    let inbox = try asked("/inbox/") { store in
      _ = try world.open(bob, store: store).participation.invitations()
    }
    #expect(inbox == 1 << 20 + 1)
    // An object that can't be a message isn't read: a file of zeros takes no space on a disk.
    let zeros = try asked("/inbox/", of: 0) { store in
      let container = try world.open(bob, store: store)
      #expect(
        try container.participation.invitations().isEmpty && container.inbox.survey().rubbish == 1)
    }
    #expect(zeros == 1)
    let secret = try desk.links.oneTimeLink(to: zone, permission: .readOnly).secret
    let link = desk.links.link(to: zone, secret: secret)
    let opened = try asked("/links/") { _ = try world.open(bob, store: $0).links.accept(link) }
    #expect(opened == 1 << 20 + 1)
    let carol = try world.account("carol")
    let door = try asked("/door") { store in
      try world.open(carol, store: store).requests.requestAccess(to: world.link(zone), text: "me")
    }
    #expect(door == 256 + 1)
  }

  @Test func `the entries of a log, and copies of them`() throws {
    try zone.write("a", [1])
    try zone.write("b", [2])
    let place = try zone.place(zone.header.sequence + 1)
    let next = try asked(place.description) { store in
      try #require(try world.open(ana, store: store).zone(zone.id)).pull()
    }
    #expect(next == 16 << 20 + 1)
    try world.store.delete(try zone.place(zone.header.sequence - 1))
    let copies = try asked("/copies/") { store in
      try #require(try world.open(ana, store: store).zone(zone.id)).pull()
    }
    #expect(copies == 16 << 20 + 64 << 10 + 1)
  }

  @Test func `a floor's snapshot, and the parts of it`() throws {
    let story = try FloorStory(saves: 12)
    try story.raise()
    for (part, most) in [("/floors/", 50_331_648 + 1), ("/parts/", 16_778_240 + 42)] {
      let store = BottomlessStore(story.world.store, part: part, of: 0)
      let container = try story.world.open(story.accounts[1], store: store)
      try #require(try container.zone(story.zone.id)).pull()
      #expect(store.asked == most)
    }
  }

  @Test func `a chain of very many entries is read up to the last that counts`() throws {
    #expect(People.longest == 100_000)
    let person = try desk.refreshMe().me
    var long = person
    long.length = People.longest
    _ = try world.store.put(try Sample.nextKey(ana, after: person), [1])
    let counted = CountingStore(world.store)
    var reader = ChainReader(ana.user, in: counted, as: nil)
    guard case .end = try reader.next(after: long) else {
      Issue.record("an entry behind the last that counts was read")
      return
    }
    #expect(counted.gets == 0)
    guard case .held = try reader.next(after: person) else {
      Issue.record("what stands in the next place wasn't read")
      return
    }
  }

  @Test func `a keyring of more than a mebibyte is refused`() throws {
    func ring(_ count: UInt64) -> [UInt8] {
      Keyring((1...count).map { ZoneKey.random(epoch: $0) }).encoded()
    }
    let (fits, doesnt) = (ring(20_000), ring(30_000))
    #expect(fits.count < 1 << 20 && doesnt.count > 1 << 20)
    #expect(try Keyring(encoded: fits).all.count == 20_000)
    #expect(throws: FormatError.self) { try Keyring(encoded: doesnt) }
  }
}

/// A store in which some objects have no end.
private final class BottomlessStore: StoreAround {
  let inner: any ObjectStore
  private let part: String
  private let byte: UInt8
  private let most = Mutex(0)

  init(_ inner: any ObjectStore, part: String, of byte: UInt8) {
    self.inner = inner
    self.part = part
    self.byte = byte
  }

  /// The highest number of bytes that were requested from one of them.
  var asked: Int { most.withLock { $0 } }

  private func isBottomless(_ key: ObjectKey) -> Bool {
    key.description == part || (part.hasPrefix("/") && key.description.contains(part))
      || (part.hasPrefix("users/") && key.description.hasPrefix(part))
  }

  func get(_ key: ObjectKey) throws(StoreError) -> [UInt8]? {
    guard isBottomless(key) else { return try inner.get(key) }
    most.withLock { $0 = .max }
    return []
  }

  func get(_ key: ObjectKey, range: Range<Int>) throws(StoreError) -> [UInt8]? {
    guard isBottomless(key) else { return try inner.get(key, range: range) }
    most.withLock { $0 = max($0, range.upperBound) }
    return [UInt8](repeating: byte, count: range.count)
  }

  func size(of key: ObjectKey) throws(StoreError) -> Int? {
    isBottomless(key) ? 1 << 50 : try inner.size(of: key)
  }
}
