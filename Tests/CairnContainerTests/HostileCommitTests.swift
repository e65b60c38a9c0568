import CairnStore
import CairnWire
import CairnZone
import FoundationEssentials
import SwiftProtobuf
import Testing

@testable import CairnContainer
@testable import CairnIdentity
@testable import CairnReplica

/// Commits of lying participants and owners. They have no effect for anybody, are named, and are
/// taken away without harm. A person outside of the share can't put anything in a place that is
/// read.
@Suite struct HostileCommitTests {
  private let world: ZoneWorld
  private let ana: Zone
  private let bob: Zone
  private let accounts: [Account]
  /// Ana's own zone. A program of hers that isn't Cairn writes to it.
  private var owner: HostileLog { HostileLog(world: world, zone: ana, account: accounts[0]) }
  private var member: HostileLog { HostileLog(world: world, zone: bob, account: accounts[1]) }
  private var readers: [Zone] { [ana, bob] }

  init() throws {
    world = try ZoneWorld()
    (ana, bob, accounts) = try world.shared()
    try ana.write("file", [1, 2, 3])
    try bob.pull()
  }

  private static let directory = RecordID(Bytes16(high: 0, low: 77))

  private func make(_ name: String) throws -> RecordChange {
    RecordChange(
      id: Self.directory, act: .create(.directory),
      place: Place(parent: .root, name: try #require(FileName(name))))
  }

  static let badNames: [[UInt8]] = [
    [], Array(".".utf8), Array("..".utf8), Array("/".utf8), Array("a/b".utf8),
    Array("../../etc/passwd".utf8), Array("/etc/passwd".utf8), [0], Array("a\0b".utf8),
    [UInt8](repeating: 120, count: 256),
  ]

  @Test(arguments: badNames) func `a name that Linux doesn't allow`(name: [UInt8]) throws {
    for log in [owner, member] {
      try log.append([try make("x")]) { $0.records[0].place.name = .init(name) }
      try log.expectHeld(by: readers)
    }
  }

  @Test func `the name of Cairn's own folder, at the root and below`() throws {
    // This comes first, because a forger with a device's keys is another machine for that device.
    let inner = RecordID.random()
    try bob.save([
      RecordChange(
        id: inner, act: .create(.directory),
        place: Place(parent: .root, name: try #require(FileName("inner"))))
    ])
    for zone in readers { try zone.pull() }
    try member.append([try make(".cairn")])
    try member.expectHeld(by: readers)
    try member.append([
      RecordChange(
        id: inner, act: .update,
        place: Place(parent: .root, name: try #require(FileName(FileName.reserved))))
    ])
    try member.expectHeld(by: readers)
  }

  @Test func `modes that nobody may set from afar have no place in a commit`() throws {
    let before = try bob.names()
    // A mode of 06777, in a field of the attributes that this version doesn't know. It holds the
    // place, and isn't taken for rubbish.
    try member.append([try make("x")]) { wire in
      wire.records[0].attributes = try WireAttributes(
        serializedBytes: [8, 1, 0x50, 0xFF, 0x1F] as [UInt8])
    }
    for reader in readers {
      #expect(try cloudCode { try reader.pull() } == .zoneBusy)
      let trouble = try #require(reader.trouble)
      #expect(trouble.kind == .held && !trouble.isRubbish)
      #expect(try #require(trouble.reason).contains("newer version of Cairn"))
      #expect(trouble.remedy.contains("install that one"))
      #expect(try reader.planRepair().held == nil)
      #expect(try reader.names() == before)
    }
    // It isn't taken for missing either, if a newer version goes on behind it.
    let place = ana.header.sequence + 1
    let held = try #require(try world.store.get(try ana.place(place)))
    let next = try EntryCodec.seal(
      Commit(
        previous: EntryCodec.digest(of: held), author: accounts[1].author, time: 1,
        epoch: ana.header.epoch, chain: ChainHead(length: 1, head: .zero)),
      zone: ana.id, sequence: place + 1, key: try #require(ana.keyring()[ana.header.epoch]),
      account: accounts[1])
    _ = try world.store.put(try ana.place(place + 1), next)
    for reader in readers {
      #expect(try cloudCode { try reader.pull() } == .zoneBusy)
      #expect(reader.trouble?.kind == .held && reader.trouble?.isRubbish == false)
    }
    // Then nobody may take it away, whatever they say.
    #expect(try ana.planRepair(takesUnread: true).held == nil)
    // With nothing behind it, it is taken away on request.
    try world.store.delete(try ana.place(place + 1))
    for reader in readers { #expect(try cloudCode { try reader.pull() } == .zoneBusy) }
    #expect(try #require(ana.trouble).remedy.contains("cairn repair --unread"))
    #expect(try ana.planRepair().held == nil)
    try ana.takeAway(try #require(try ana.planRepair(takesUnread: true).held))
    #expect(try world.store.get(try ana.place(place)) == nil)
    for reader in readers {
      try reader.pull()
      #expect(reader.trouble == nil)
      try reader.write("by \(reader === ana)", [1])
    }
  }

  @Test(arguments: [0o10000, 0o100644, UInt32.max])
  func `a mode of more than twelve bits`(mode: UInt32) throws {
    try member.append([try make("x")]) { $0.records[0].attributes.mode = mode }
    try member.expectHeld(by: readers)
  }

  @Test func `a content that claims 2^63 bytes`() throws {
    let chunk = try #require(ChunkName(bytes: [UInt8](repeating: 7, count: 32)))
    let entry = ChunkEntry(name: chunk, size: 5, place: [])
    for size: UInt64 in [1 << 63, .max, (1 << 20) + 1] {
      let lie = Content(size: size, chunks: [chunk])
      try member.append([try Zone.file("lie", lie)], chunks: [entry])
      try member.expectHeld(by: readers)
    }
  }

  @Test func `a content of very many equal chunks that nobody added`() throws {
    let chunk = try #require(ChunkName(bytes: [UInt8](repeating: 7, count: 32)))
    let many = [ChunkName](repeating: chunk, count: 100_000)
    try member.append([try Zone.file("lie", Content(size: 100_000, chunks: many))])
    try member.expectHeld(by: readers)
  }

  @Test func `an entry over the limit is refused by writers and readers`() throws {
    let gone = (0..<40_000).map { number in
      RecordChange(id: RecordID(Bytes16(high: 1, low: number)), act: .delete)
    }
    try member.append(gone)
    try member.expectHeld(by: readers)
    // Ten million of these are far more than an entry may contain. Readers skip what was written.
    try member.put([UInt8](repeating: 8, count: EntryCodec.limit + 1_000))
    try member.expectHeld(by: readers)
  }

  @Test func `a commit of very many empty parts`() throws {
    let empty = [UInt8](repeating: 0, count: 2)
    for (field, count) in [(6, 500_000), (7, 500_000), (8, 5_000)] as [(UInt8, Int)] {
      let parts = [[UInt8]](repeating: [field << 3 | 2] + empty.dropLast(), count: count)
      try member.append(body: { $0 + parts.flatMap { $0 } })
      try member.expectHeld(by: readers)
    }
  }

  @Test func `an entry of an epoch that isn't in force`() throws {
    try ana.changeShare([.title("Trip")], rekey: true)
    try bob.pull()
    #expect(bob.header.epoch == 2)
    for epoch: UInt64 in [1, 3, 1 << 40] {
      try member.append([try make("x")], epoch: epoch)
      try member.expectHeld(by: readers)
    }
  }

  @Test func `an entry that was at another place before`() throws {
    let bytes = try #require(
      try world.store.get(ana.place(ana.header.sequence)))
    try member.put(bytes)
    try member.expectHeld(by: readers)
    let other = try world.open(accounts[0]).privateDatabase.createZone(named: "Other")
    try other.write("secret", [9])
    let foreign = try #require(
      try world.store.get(other.place(other.header.sequence)))
    try member.put(foreign)
    try member.expectHeld(by: readers)
  }

  @Test func `a person who may only read writes`() throws {
    try ana.changeShare([.setPermission(user: accounts[1].user, permission: .readOnly)])
    try member.append([try make("x")])
    try owner.expectHeld("may not change records", by: readers)
    #expect(try !bob.names().contains("x"))
  }

  @Test func `a removed person can't write where the log is read`() throws {
    let old = bob.keyring()
    try ana.changeShare([.remove(user: accounts[1].user)], rekey: true)
    // The key of epoch 1 gives the names of all its places, and of no others.
    let key = try #require(old[1])
    for place in ana.header.sequence + 1...ana.header.sequence + 3 {
      _ = try world.store.put(ana.folder.place(place, key), ContentPieces.noise(300))
    }
    try ana.write("after", [1])
    let carol = try world.account("carol")
    let container = try world.open(accounts[0])
    let zone = try #require(try container.zone(ana.id))
    _ = try container.sharing.invite(carol.user, to: zone, permission: .readWrite)
    let hers = try world.open(carol).participation.accept(ana.id)
    try hers.write("of carol", [2])
    try ana.pull()
    #expect(try ana.names() == ["file", "after", "of carol"])
    #expect(hers.header.head == ana.header.head && ana.trouble == nil)
  }

  @Test func `a member whom no commit let in has no effect`() throws {
    let carol = try world.account("carol")
    // Somebody gave her the key.
    try HostileLog(world: world, zone: ana, account: carol).append([try make("x")])
    try owner.expectHeld("may not change records", by: readers)
  }

  @Test func `somebody signs in another person's name`() throws {
    try member.append([try make("x")], by: accounts[0].author)
    try member.expectHeld(by: readers)
  }

  @Test func `a person changes the share without the right to`() throws {
    let me = accounts[1].user
    let stranger = try world.account("dave").user
    let changes: [ShareChange] = [
      .title("Mine"), .invite(user: stranger, permission: .readWrite),
      .setRole(user: me, role: .administrator), .remove(user: accounts[0].user), .stop, .purge,
      .offer(to: me), .takeOver, .quota(1), .setPublic(.readWrite), .block(user: accounts[0].user),
    ]
    for change in changes {
      try member.append(share: [change])
      try owner.expectHeld(by: readers)
    }
    #expect(ana.header.share?.title == "Trip" && ana.header.owner == accounts[0].user)
  }

  @Test func `an epoch whose key not everybody gets`() throws {
    try ana.changeShare([.setRole(user: accounts[1].user, role: .administrator)])
    try bob.pull()
    let next = ZoneKey.random(epoch: 2)
    let (hers, his) = (accounts[0].encryptionKey, accounts[1].encryptionKey)
    let wrong: [[[UInt8]]] = [
      [], EntryCodec.boxes(of: next, for: [his]), EntryCodec.boxes(of: next, for: [hers]),
      EntryCodec.boxes(of: .random(epoch: 2), for: [hers, his]),
      EntryCodec.boxes(of: next, for: [hers, his]).reversed(),
      EntryCodec.boxes(of: next, for: [hers, his, BoxKey.random().publicKey]),
    ]
    for boxes in wrong {
      try member.append(boxes: boxes) { $0.nextKey = .init(next.digest(in: ana.id).bytes) }
      try owner.expectHeld("leaves somebody out", by: readers)
    }
    try member.append(boxes: EntryCodec.boxes(of: next, for: [hers, his])) {
      $0.nextKey = .init(next.digest(in: ana.id).bytes)
    }
    for reader in readers {
      try reader.pull()
      #expect(reader.header.epoch == 2 && reader.canReadOn)
    }
    try ana.write("after", [1])
    try bob.pull()
    #expect(try bob.names().contains("after"))
  }

  @Test func `boxes without a new epoch`() throws {
    let box = EntryCodec.boxes(of: .random(epoch: 2), for: [accounts[0].encryptionKey])
    try member.append([try make("x")], boxes: box)
    try owner.expectHeld("leaves somebody out", by: readers)
  }

  @Test func `a key of somebody else`() throws {
    try member.append([try make("x")]) { wire in
      var key = WireMemberKey()
      key.user = .init(accounts[0].user.bytes)
      key.key = .init(BoxKey.random().publicKey.bytes)
      wire.keys = [key]
    }
    try owner.expectHeld("author's own key", by: readers)
  }

  @Test func `a cycle, and a child of a link`() throws {
    let (a, b, link) = (RecordID.random(), RecordID.random(), RecordID.random())
    func place(_ parent: RecordID, _ name: String) throws -> Place {
      Place(parent: parent, name: try #require(FileName(name)))
    }
    try bob.save([
      RecordChange(id: a, act: .create(.directory), place: try place(.root, "a")),
      RecordChange(id: b, act: .create(.directory), place: try place(a, "b")),
      RecordChange(
        id: link, act: .create(.symlink), place: try place(.root, "link"),
        target: Array("/tmp".utf8)),
    ])
    try member.append([RecordChange(id: a, act: .update, place: try place(b, "a"))])
    try member.expectHeld(by: readers)
    try member.append([
      RecordChange(id: .random(), act: .create(.directory), place: try place(link, "child"))
    ])
    try member.expectHeld(by: readers)
  }
}
