import CairnStore
import CairnZone
import Testing

@testable import CairnCloud

/// Commits of participants, owners and strangers who lie: refused by everybody, reported, and
/// without harm to what comes after them.
@Suite struct HostileCommitTests {
  private let world: ZoneWorld
  private let ana: Zone
  private let bob: Zone
  private let accounts: [Account]
  /// Ana's own zone, written to by a program of hers that isn't Cairn.
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

  @Test(arguments: badNames) func `a name that Linux doesn't have`(name: [UInt8]) throws {
    for log in [owner, member] {
      try log.append([try make("x")]) { $0.records[0].place.name = .init(name) }
      try log.expectRefused(IndexedZone.unreadable, by: readers)
    }
  }

  @Test func `the name of Cairn's own folder, at the root and below`() throws {
    // First of all: who forges with a device's keys is another machine for that device.
    let inner = RecordID.random()
    try bob.save([
      RecordChange(
        id: inner, act: .create(.directory),
        place: Place(parent: .root, name: try #require(FileName("inner"))))
    ])
    for zone in readers { try zone.pull() }
    try member.append([try make(".cairn")])
    try member.expectRefused(Refusal.Code.invalidArguments.rawValue, by: readers)
    try member.append([
      RecordChange(
        id: inner, act: .update,
        place: Place(parent: .root, name: try #require(FileName(FileName.reserved))))
    ])
    try member.expectRefused(Refusal.Code.invalidArguments.rawValue, by: readers)
  }

  @Test func `modes that nobody may set from afar have no place in a commit`() throws {
    // A mode of 06777 as a field of the attributes that this format doesn't have.
    try member.append([try make("x")]) { wire in
      wire.records[0].attributes = try StoredMessage.decode(
        [8, 1, 0x50, 0xFF, 0x1F], as: WireAttributes.self, "attributes", limit: 100, .anyValid)
    }
    try member.expectRefused(IndexedZone.unreadable, by: readers)
  }

  @Test func `a content that claims 2^63 bytes`() throws {
    let chunk = try #require(ChunkName(bytes: [UInt8](repeating: 7, count: 32)))
    let entry = ChunkEntry(name: chunk, size: 5, place: [])
    for size: UInt64 in [1 << 63, .max, (1 << 20) + 1] {
      let lie = Content(size: size, chunks: [chunk])
      try member.append([try Zone.file("lie", lie)], chunks: [entry])
      try member.expectRefused(Refusal.Code.invalidArguments.rawValue, by: readers)
    }
  }

  @Test func `a content of very many chunks, all the same, that nobody brought`() throws {
    let chunk = try #require(ChunkName(bytes: [UInt8](repeating: 7, count: 32)))
    let many = [ChunkName](repeating: chunk, count: 100_000)
    try member.append([try Zone.file("lie", Content(size: 100_000, chunks: many))])
    try member.expectRefused(Refusal.Code.referenceViolation.rawValue, by: readers)
  }

  @Test func `more than an entry holds is refused when written and when read`() throws {
    let gone = (0..<40_000).map { number in
      RecordChange(id: RecordID(Bytes16(high: 1, low: number)), act: .delete)
    }
    try member.append(gone)
    try member.expectRefused(Refusal.Code.unknownItem.rawValue, by: readers)
    // Ten million of these are far more than an entry may have; what is written is never read.
    try member.put([UInt8](repeating: 8, count: EntryCodec.limit + 1_000))
    try member.expectRefused(IndexedZone.unreadable, by: readers)
  }

  @Test func `a commit of very many parts of nothing`() throws {
    let empty = [UInt8](repeating: 0, count: 2)
    for (field, count) in [(6, 500_000), (7, 500_000), (8, 5_000)] as [(UInt8, Int)] {
      let parts = [[UInt8]](repeating: [field << 3 | 2] + empty.dropLast(), count: count)
      try member.append(body: { $0 + parts.flatMap { $0 } })
      try member.expectRefused(IndexedZone.unreadable, by: readers)
    }
  }

  @Test func `an entry of an epoch that isn't in force`() throws {
    try ana.changeShare([.title("Trip")], rekey: true)
    try bob.pull()
    #expect(bob.header.epoch == 2)
    try member.append([try make("x")], epoch: 1)
    try member.expectRefused(Refusal.Code.invalidArguments.rawValue, by: readers)
    for epoch: UInt64 in [3, 1 << 40] {
      try member.append([try make("x")], epoch: epoch)
      try member.expectRefused(IndexedZone.unreadable, by: readers)
    }
  }

  @Test func `an entry that stood elsewhere before`() throws {
    let bytes = try #require(
      try world.store.get(ZoneReplica.key(ana.id, ana.header.sequence)))
    try member.put(bytes)
    try member.expectRefused(IndexedZone.unreadable, by: readers)
    let other = try world.open(accounts[0]).privateDatabase.createZone(named: "Other")
    try other.write("secret", [9])
    let foreign = try #require(
      try world.store.get(ZoneReplica.key(other.id, other.header.sequence)))
    try member.put(foreign)
    try member.expectRefused(IndexedZone.unreadable, by: readers)
  }

  @Test func `somebody who may only read writes`() throws {
    try ana.changeShare([.setPermission(user: accounts[1].user, permission: .readOnly)])
    try member.append([try make("x")])
    let place = ana.header.sequence + 1
    for reader in readers {
      let refused = try reader.pull().refused.filter { $0.sequence == place }
      #expect(refused.map(\.code) == [Refusal.Code.permissionFailure.rawValue])
    }
    try ana.write("after", [1])
    try bob.pull()
    #expect(try bob.names() == ["file", "after"])
  }

  @Test func `somebody who was removed, or never was in, writes`() throws {
    let carol = try world.account("carol")
    for person in [accounts[1], carol] {
      try ana.changeShare([.title("Trip")])
      // Whoever has the key still, and signs as who they are.
      try HostileLog(world: world, zone: ana, account: person).append([try make("x")])
      let isMember = ana.header.share?.participants[person.user] != nil
      let refused = try ana.pull().refused.map(\.code)
      #expect(refused == (isMember ? [] : [Refusal.Code.permissionFailure.rawValue]))
      if isMember {
        try ana.changeShare([.remove(user: person.user)])
        try HostileLog(world: world, zone: ana, account: person).append([
          RecordChange(id: Self.directory, act: .delete)
        ])
        #expect(
          try ana.pull().refused.map(\.code) == [Refusal.Code.permissionFailure.rawValue])
      }
    }
    #expect(try ana.names().contains("x") == true)
  }

  @Test func `somebody signs in another's name`() throws {
    try member.append([try make("x")], by: accounts[0].author)
    try member.expectRefused(IndexedZone.unreadable, by: readers)
  }

  @Test func `a share that is changed by whom it isn't theirs to change`() throws {
    let me = accounts[1].user
    let stranger = try world.account("dave").user
    let changes: [ShareChange] = [
      .title("Mine"), .invite(user: stranger, permission: .readWrite),
      .setRole(user: me, role: .administrator), .remove(user: accounts[0].user), .stop, .purge,
      .transfer(to: me), .quota(1), .setPublic(.readWrite), .block(user: accounts[0].user),
    ]
    for change in changes {
      try member.append(share: [change])
      let place = ana.header.sequence + 1
      let refused = try ana.pull().refused.filter { $0.sequence == place }
      #expect(refused.count == 1, "\(change)")
      #expect(try bob.pull().refused.count == 1, "\(change)")
    }
    #expect(ana.header.share?.title == "Trip" && ana.header.owner == accounts[0].user)
    try ana.write("after", [1])
    try bob.pull()
    #expect(try bob.names() == ["file", "after"])
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
    try member.expectRefused(Refusal.Code.referenceViolation.rawValue, by: readers)
    try member.append([
      RecordChange(id: .random(), act: .create(.directory), place: try place(link, "child"))
    ])
    try member.expectRefused(Refusal.Code.referenceViolation.rawValue, by: readers)
  }
}
