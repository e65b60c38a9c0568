import CairnStore
import CairnZone
import Testing

@testable import CairnContainer
@testable import CairnIdentity
@testable import CairnReplica

/// Push messages: their possible senders, the readers of addresses, and the costs of strangers'
/// messages.
struct WakeTests {
  private let container = ContainerID(Bytes16(high: 3, low: 4))

  /// Returns a line between two people's devices, from both ends.
  private func line(
    _ sender: Account, _ listener: Account
  ) throws -> (sender: WakeLine, listener: WakeLine) {
    let there = try #require(WakePair(sender.currentKey, listener.device.box.publicKey))
    let here = try #require(WakePair(listener.device.box, sender.encryptionKey))
    let device = sender.device.id
    return (
      WakeLine(there, from: device, in: container), WakeLine(here, from: device, in: container)
    )
  }

  private func account(_ handle: String) throws -> Account { try Sample.account(handle).account }

  // MARK: Datagrams

  @Test func `both ends know a push message, it has one size, and nobody else opens it`()
    throws
  {
    let (ana, bob, carol) = (try account("ana"), try account("bob"), try account("carol"))
    let ends = try line(ana, bob)
    for tags: [UInt32] in [[], [7], Array(0..<16), Array(0..<100)] {
      let datagram = ends.sender.seal(tags, at: 1_000)
      #expect(datagram.count == WakeLine.count)
      #expect(Array(datagram.prefix(16)) == ends.listener.tag(at: 1_000).bytes)
      #expect(ends.listener.open(datagram) == Array(tags.prefix(16)))
      for index in datagram.indices {
        #expect(ends.listener.open(Sample.flipped(datagram, at: index)) == nil)
      }
      for other in [try line(carol, bob), try line(ana, carol), try line(bob, ana)] {
        #expect(other.listener.open(datagram) == nil)
        #expect(other.listener.tag(at: 1_000) != ends.listener.tag(at: 1_000))
      }
    }
    #expect(ends.sender.seal([7], at: 1) != ends.sender.seal([7], at: 1))
    #expect(ends.sender.tag(at: 1) != ends.sender.tag(at: 2))
  }

  @Test func `a list of tags or addresses is read as it is written, and nothing else is`() throws {
    for tags: [UInt32] in [[], [0, .max], Array(5..<21)] {
      let plain = WakeLine.encode(tags)
      #expect(WakeLine.decode(plain) == tags)
      #expect(WakeLine.decode(Array(plain.dropLast())) == nil)
      #expect(WakeLine.decode([17] + plain.dropFirst()) == nil)
      if tags.count < 16 { #expect(WakeLine.decode(plain.dropLast() + [1]) == nil) }
    }
    let new = try #require(WakeAddress(host: Array(1...16), port: 65_535))
    let old = try #require(WakeAddress(host: [10, 0, 0, 7], port: 80))
    for list in [[], [old], Array(repeating: new, count: 8)] {
      let bytes = WakeAddress.encode(list)
      #expect(WakeAddress.decode(bytes) == list)
      #expect(WakeAddress.decode(bytes.dropLast() + [1]) == nil)
      #expect(WakeAddress.decode([9] + bytes.dropFirst()) == nil)
    }
    #expect(WakeAddress(host: [1], port: 1) == nil)
    let none = try #require(WakeAddress(host: [10, 0, 0, 7], port: 0))
    #expect(WakeAddress.decode(WakeAddress.encode([none])) == nil)
  }

  // MARK: The table

  @Test func `a push message counts once, if clocks differ by at most half a minute`() throws {
    let ends = try line(account("ana"), account("bob"))
    var table = WakeTable()
    table.set([ends.listener])
    let now: Int64 = 5_000
    for late: Int64 in [0, 30, -29, 1] {
      let datagram = ends.sender.seal([7], at: now + late)
      #expect(table.take(datagram, second: now) == [7])
      #expect(table.take(datagram, second: now) == nil, "a replay")
      #expect(table.take(datagram, second: now + 1) == nil, "a replay, later")
    }
    for late: Int64 in [31, -31, 1_000_000] {
      var other = WakeTable()
      other.set([ends.listener])
      #expect(other.take(ends.sender.seal([7], at: now + late), second: now) == nil)
    }
    // The expected senders may change. A used message stays used.
    let used = ends.sender.seal([7], at: now + 1)
    table.set([ends.listener, ends.listener])
    #expect(table.take(used, second: now + 1) == nil)
    #expect(table.take(ends.sender.seal([8], at: now + 2), second: now + 1) == [8])
    // A clock that jumps costs a moment, and nothing else.
    for second: Int64 in [now + 90, now - 4_000, now + 100_000] {
      #expect(table.take(ends.sender.seal([9], at: second), second: second) == [9])
    }
    table.set([])
    #expect(table.take(ends.sender.seal([7], at: now), second: now) == nil)
    #expect(table.count == 0)
  }

  @Test func `a datagram of a stranger costs a look-up, no key, and no memory`() throws {
    let bob = try account("bob")
    let senders = try (0..<20).map { try account("p\($0)") }
    var table = WakeTable()
    table.set(try senders.map { try line($0, bob).listener })
    var garbage = [UInt8](repeating: 0, count: WakeLine.count)
    #expect(table.take(garbage, second: 100) == nil)
    let (uses, count) = (table.keyUses, table.count)
    #expect(uses == 20 * 61 && count == 20 * 61)
    for number in 0..<100_000 as Range<UInt64> {
      garbage.replaceSubrange(0..<8, with: Crypto.number(number &* 0x9E37_79B9_7F4A_7C15))
      #expect(table.take(garbage, second: 100) == nil)
    }
    for size in [0, 1, 127, 129, 65_000] {
      #expect(table.take([UInt8](repeating: 1, count: size), second: 100) == nil)
    }
    #expect(table.keyUses == uses && table.count == count)
    // In the next second each line has one tag more, and one that has expired.
    #expect(table.take(garbage, second: 101) == nil)
    #expect(table.keyUses == uses + 20 && table.count == count)
    // A member's message is opened once, even if somebody else has seen its beginning.
    let datagram = try line(senders[3], bob).sender.seal([1], at: 101)
    #expect(table.take(datagram.prefix(16) + garbage.dropFirst(16), second: 101) == nil)
    #expect(table.take(datagram, second: 101) == nil)
    #expect(table.keyUses == uses + 21)
  }

  // MARK: Addresses of devices

  @Test func `only authorized people find a slot, and its size reveals little`() throws {
    let (ana, bob, eve) = (try account("ana"), try account("bob"), try account("eve"))
    let address = try #require(WakeAddress(host: [10, 0, 0, 7], port: 4_711))
    let object = WakeObject(owner: String(repeating: "a", count: 32), number: 5)
    #expect(WakeObject(object.key) == object)
    let there = try #require(WakePair(ana.device.box, bob.encryptionKey))
    let bytes = object.bytes([address], for: [there], in: container)
    let here = try #require(WakePair(bob.currentKey, ana.device.box.publicKey))
    let stranger = try #require(WakePair(eve.currentKey, ana.device.box.publicKey))
    func open(_ object: WakeObject, _ bytes: [UInt8], _ pair: WakePair) -> [WakeAddress]? {
      object.open(bytes, [object.tag(pair, in: container): pair], in: container)?.addresses
    }
    #expect(open(object, bytes, here) == [address])
    #expect(open(object, bytes, stranger) == nil)
    // Nobody can pass an older one off as newer, or as another person's.
    let newer = WakeObject(owner: object.owner, number: 6)
    #expect(open(newer, bytes, here) == nil)
    #expect(
      open(WakeObject(owner: String(repeating: "b", count: 32), number: 5), bytes, here) == nil)
    for size in [1, 2, 16] {
      let pairs = [WakePair](repeating: there, count: size)
      #expect(object.bytes([address], for: pairs, in: container).count == bytes.count)
    }
    #expect(object.bytes([address], for: [], in: container).count == bytes.count)
    let many = [WakePair](repeating: there, count: 3_000)
    #expect(object.bytes([address], for: many, in: container).count == WakeObject.limit)
    for wrong in [[], Array(bytes.dropLast()), [UInt8](repeating: 0, count: bytes.count)] {
      #expect(open(object, wrong, here) == nil)
    }
    for name in ["wakes/a-5", "bells/" + object.key.description.dropFirst(6), "wakes"] {
      let key = try #require(ObjectKey(name))
      #expect(WakeObject(key) == nil)
    }
  }

  @Test func `only guests by name who accepted, and one's own devices, get the address`() throws {
    let world = try ZoneWorld()
    let accounts = try ["ana", "bob", "carol", "dave", "eve"].map { try world.account($0) }
    let anas = try world.open(accounts[0])
    let zone = try anas.privateDatabase.createZone(named: "Trip")
    _ = try anas.sharing.share(zone, title: "Trip")
    _ = try anas.sharing.invite(accounts[1].user, to: zone, permission: .readOnly)
    let bobs = try world.open(accounts[1])
    let his = try bobs.participation.accept(zone.id)
    // One is only invited, one has a link for anyone, and one isn't in the share.
    _ = try anas.sharing.invite(accounts[2].user, to: zone, permission: .readOnly)
    let open = try anas.privateDatabase.createZone(named: "Open")
    _ = try anas.sharing.share(open, title: "Open")
    try open.changeShare([.setPublic(.readWrite)])
    let secret = try anas.links.publicLink(to: open)
    let daves = try world.open(accounts[3])
    let taken = try daves.links.accept(anas.links.link(to: open, location: "/c", secret: secret))
    let code = try anas.devices.linkCode(path: [47], now: 0)
    let join = DeviceJoin(code, in: world.store, deviceName: "lap")
    _ = try join.advance()
    _ = try anas.devices.answerJoins(now: 1)
    let second = try #require(try join.advance())
    try zone.pull()
    try open.pull()
    #expect(open.header.share?.participants[accounts[3].user]?.acceptance == .accepted)
    _ = try anas.refreshMe()

    let circle = try anas.waking.circle()
    #expect(circle.people[zone.folder.log] == [accounts[0].user, accounts[1].user])
    #expect(circle.people[open.folder.log] == [accounts[0].user])
    #expect(
      Set(circle.peers(of: zone.folder.log).map(\.device))
        == [second.device.id, accounts[1].device.id])
    #expect(!circle.devices.values.joined().contains { $0.device == accounts[0].device.id })

    // Those people open her address, and nobody else does.
    let address = try #require(WakeAddress(host: [10, 0, 0, 7], port: 4_711))
    let object = anas.waking.object(1, [address], for: circle)
    #expect(anas.waking.ownNumber(object.key) == 1 && bobs.waking.ownNumber(object.key) == nil)
    try his.pull()
    try taken.pull()
    let laptops = try world.open(second)
    for (reader, knows) in [(bobs, true), (laptops, true), (daves, false)] {
      let found = try reader.waking.listener(object.key, object.bytes, in: reader.waking.circle())
      #expect((found != nil) == knows)
      #expect(found.map(\.addresses) == (knows ? [address] : nil))
      #expect(found.map(\.peer.device) == (knows ? accounts[0].device.id : nil))
    }
  }

  @Test func `a removed person gets no more addresses, and sends no messages`() throws {
    let world = try ZoneWorld()
    let (ana, bob) = (try world.account("ana"), try world.account("bob"))
    let (anas, bobs) = (try world.open(ana), try world.open(bob))
    let zone = try anas.privateDatabase.createZone(named: "Trip")
    _ = try anas.sharing.share(zone, title: "Trip")
    _ = try anas.sharing.invite(bob.user, to: zone, permission: .readOnly)
    _ = try bobs.participation.accept(zone.id)
    try zone.pull()
    let circle = try anas.waking.circle()
    let address = try #require(WakeAddress(host: [10, 0, 0, 7], port: 4_711))
    let object = anas.waking.object(1, [address], for: circle)
    let found = try bobs.waking.listener(object.key, object.bytes, in: bobs.waking.circle())
    let listener = try #require(found)
    let line = try #require(bobs.waking.line(to: listener.peer))
    var table = WakeTable()
    table.set(anas.waking.lines(from: circle))
    #expect(table.take(line.seal([7], at: 9), second: 9) == [7])

    try anas.access.remove(bob.user, from: zone)
    let rest = try anas.waking.circle()
    #expect(rest.people[zone.folder.log] == [ana.user])
    let next = anas.waking.object(2, [address], for: rest)
    #expect(try bobs.waking.listener(next.key, next.bytes, in: bobs.waking.circle()) == nil)
    table.set(anas.waking.lines(from: rest))
    #expect(table.take(line.seal([7], at: 10), second: 10) == nil)
  }
}
