import CairnZone
import Testing

@testable import CairnIdentity
@testable import CairnReplica

/// The sealed log entry. It opens at its place, and nowhere else.
struct LogEntryTests {
  private let ana: (account: Account, person: Person)
  private let bob: (account: Account, person: Person)
  private let zone: ZoneID
  private let key = ZoneKey.random(epoch: 1)
  private var ring = Keyring()

  init() throws {
    ana = try Sample.account("ana")
    bob = try Sample.account("bob")
    zone = Sample.zone(of: ana.account)
    ring.insert(key)
  }

  private var genesis: Commit {
    Commit(
      previous: .zero, author: ana.account.author, time: -4,
      genesis: Genesis(owner: ana.account.user, name: "Trip"), epoch: 1,
      keys: [ana.account.user: ana.account.encryptionKey], chain: chain)
  }

  private var chain: ChainHead { ChainHead(length: 1, head: ana.person.head) }

  /// Returns a commit with every possible part.
  private func everything() throws -> Commit {
    let (file, folder) = (RecordID.random(), RecordID.random())
    let name = try #require(ChunkName(bytes: (0..<32).map { UInt8($0) }))
    let odd = try #require(FileName([0xFF, 0x0A, 0x2D] as [UInt8]))
    let plain = try #require(FileName("a b"))
    let link = LinkID(EntryCodec.digest(of: [2]))
    var commit = Commit(
      previous: EntryCodec.digest(of: [1]), author: ana.account.author, time: .max, epoch: 1,
      keys: [
        bob.account.user: bob.account.encryptionKey, ana.account.user: ana.account.encryptionKey,
      ], chain: ChainHead(length: .max, head: .zero))
    commit.chunks = [
      ChunkEntry(name: name, size: 77, place: [1, 2, 3]),
      ChunkEntry(
        name: name, size: 77, place: [4],
        pack: PackStamp(pack: PackName(.random()), generation: .max), isAgain: true),
      ChunkEntry(name: ChunkName(.zero), size: 78, place: [5], after: name),
    ]
    commit.records = [
      RecordChange(
        id: file, act: .create(.file), place: Place(parent: folder, name: odd),
        content: Content(size: 77, chunks: [name, name]),
        attributes: Attributes(
          isExecutable: true, modified: -1, mode: 0o7777,
          extended: [Array("user.b".utf8): [0], Array("user.a".utf8): []])),
      RecordChange(
        id: folder, act: .create(.directory), place: Place(parent: .root, name: plain)),
      RecordChange(id: .random(), act: .create(.symlink), target: Array("../x".utf8)),
      RecordChange(
        id: .random(), act: .create(.reference),
        target: ZonePart(zone, base: .random()).bytes),
      RecordChange(
        id: .random(), act: .create(.typed("note")),
        fields: [
          "b": .bytes([0]), "a": .text("ü"), "c": .integer(.min), "gone": FieldValue?.none,
          "": .bytes([]), "n": .number(.pi), "yes": .boolean(true), "no": .boolean(false),
          "d": .date(.min), "p": .location(latitude: -90, longitude: 180),
          "l": .list([.date(1), .date(2)]), "none": .list([]), "r": .reference(file),
          "x": .asset(Content(size: 77, chunks: [name])),
          "xs": .list([.asset(Content(size: 0, chunks: []))]),
        ]),
      RecordChange(id: .random(), act: .update, target: []),
      RecordChange(id: .random(), act: .delete),
    ]
    commit.share = everyShareChange(link) + everyZoneWideChange()
    return commit
  }

  private func everyShareChange(_ link: LinkID) -> [ShareChange] {
    [
      .title("Trip"), .invite(user: bob.account.user, permission: .readWrite), .accept,
      .remove(user: bob.account.user), .stop,
      .setPermission(user: bob.account.user, permission: .readWrite),
      .setRole(user: bob.account.user, role: .administrator), .setPublic(.readOnly),
      .addLink(Link(id: link, boxKey: link.value, isOneTime: true, permission: .readOnly)),
      .addLink(
        Link(id: link, boxKey: link.value, isOneTime: false, permission: .readWrite, expires: -1)),
      .removeLink(link), .setAccessRequests(true), .setAccessRequests(false),
      .block(user: bob.account.user), .unblock(user: bob.account.user),
      .setPolicy(.standard),
      .setPolicy(
        SharePolicy(access: .named, permission: .readOnly, allowsParticipantsToInvite: true)),
    ]
  }

  private func everyZoneWideChange() -> [ShareChange] {
    [
      .offer(to: bob.account.user), .offer(to: nil), .takeOver, .purge, .quota(nil), .quota(0),
      .quota(.max),
      .revokeDevice(bob.account.device.id), .minimumVersion(0),
      .minimumVersion(.max), .zone(.carry([])), .zone(.carry([.mode, .extended])),
      .zone(.checkpoint),
      .zone(.floor(Floor(checkpoint: .max, digest: .zero, forgotten: 0))), .zone(.history(nil)),
      .zone(.history(HistoryPolicy())),
      .zone(.history(HistoryPolicy(all: 0, daily: .max, versions: .max))),
      .zone(.retire(Retirement(generation: 0, kept: []))),
      .zone(
        .retire(
          Retirement(generation: .max, kept: [PackName(.random()), PackName(.random())]))),
      .zone(.forget(Forgetting(record: .random(), versions: []))),
      .zone(.forget(Forgetting(record: .random(), versions: [0, 1, 256, .max]))),
    ]
  }

  private func seal(
    _ commit: Commit, at sequence: UInt64 = 3, next: ZoneKey? = nil, boxes: Set<Bytes32> = []
  ) throws -> [UInt8] {
    try EntryCodec.seal(
      commit, zone: zone, sequence: sequence, key: key, next: next, boxesFor: boxes,
      nonce: commit.genesis == nil ? nil : Sample.nonce, account: ana.account)
  }

  private func open(_ bytes: [UInt8], zone: ZoneID? = nil, sequence: UInt64 = 3) throws -> Commit {
    try EntryCodec.open(
      bytes, zone: zone ?? self.zone, sequence: sequence, keys: ring,
      signKey: Sample.keys(ana.person))
  }

  @Test func `every part of a commit is read back`() throws {
    let commit = try everything()
    #expect(try open(seal(commit)) == commit)
    #expect(try open(seal(genesis)) == genesis)
  }

  @Test func `every flipped byte is refused`() throws {
    let next = ZoneKey.random(epoch: 2)
    var commit = genesis
    commit.nextKey = next.digest(in: zone)
    let bytes = try seal(
      commit, next: next, boxes: [ana.account.encryptionKey, bob.account.encryptionKey])
    for index in bytes.indices {
      #expect(throws: EntryProblem.self, "byte \(index)") {
        try open(Sample.flipped(bytes, at: index))
      }
    }
    for other in [Array(bytes.dropLast()), bytes + [0], bytes + [0x78, 1], []] {
      #expect(throws: EntryProblem.self) { try open(other) }
    }
  }

  @Test func `an entry is valid only at its place`() throws {
    let bytes = try seal(everything())
    let elsewhere = ZoneID.derive(owner: bob.account.user, nonce: Sample.nonce)
    #expect(throws: EntryProblem.sealBroken) { try open(bytes, zone: elsewhere) }
    #expect(throws: EntryProblem.sealBroken) { try open(bytes, sequence: 4) }
  }

  @Test func `another key of the epoch, or none, doesn't open it`() throws {
    let bytes = try seal(everything())
    var wrong = Keyring()
    #expect(throws: EntryProblem.noKey(epoch: 1)) {
      try EntryCodec.open(bytes, zone: zone, sequence: 3, keys: wrong) { _ in nil }
    }
    wrong.insert(.random(epoch: 1))
    #expect(throws: EntryProblem.sealBroken) {
      try EntryCodec.open(bytes, zone: zone, sequence: 3, keys: wrong) { _ in nil }
    }
  }

  @Test func `an unknown device, or one that didn't sign, is named`() throws {
    let bytes = try seal(everything())
    #expect(throws: EntryProblem.unknownDevice(ana.account.author)) {
      try EntryCodec.open(bytes, zone: zone, sequence: 3, keys: ring) { _ in nil }
    }
    let wrong = bob.account.device.signing.publicKey
    #expect(throws: EntryProblem.badSignature(ana.account.author)) {
      try EntryCodec.open(bytes, zone: zone, sequence: 3, keys: ring) { _ in wrong }
    }
  }

  @Test func `the next epoch's key is for its members only`() throws {
    let next = ZoneKey.random(epoch: 2)
    let link = BoxKey.random()
    var commit = try everything()
    commit.nextKey = next.digest(in: zone)
    let members: Set = [bob.account.encryptionKey, link.publicKey]
    let bytes = try seal(commit, next: next, boxes: members)
    let keys = Sample.keys(ana.person)
    func newKey(_ opener: EntryCodec.Opener) throws -> ZoneKey? {
      try EntryCodec.open(
        bytes, zone: zone, sequence: 3, keys: ring, opener: opener, signKey: keys
      ).newKey
    }
    let carl = try Sample.account("carl").account
    #expect(try newKey(.init(account: bob.account)) == next)
    #expect(try newKey(.init(account: carl, links: [link])) == next)
    // A removed member reads the commit of the removal, and gets no key.
    #expect(try newKey(.init(account: carl)) == nil)
    let entry = try EntryCodec.header(of: bytes)
    #expect(entry.epoch == 1)
    #expect(entry.keyBoxes.count == 2)
    // A person with the key can check that exactly these people have it.
    let opened = try EntryCodec.open(
      bytes, zone: zone, sequence: 3, keys: ring, opener: .init(account: bob.account), signKey: keys
    )
    #expect(opened.handsKey(to: members) == true)
    #expect(opened.handsKey(to: members.union([carl.encryptionKey])) == false)
    #expect(opened.handsKey(to: [link.publicKey]) == false)
    #expect(EntryCodec.boxes(of: next, for: members) == entry.keyBoxes)
  }

  @Test func `an invalid key gets no box, and stops nobody`() {
    let next = ZoneKey.random(epoch: 2)
    let one = BoxKey.random()
    let boxes = EntryCodec.boxes(of: next, for: [.zero, one.publicKey])
    #expect(boxes.count == 1 && boxes.first.flatMap { one.open($0) } == next.secret.copy())
  }

  @Test func `a claim needs the link's own signature`() throws {
    let secret = SigningKey.random()
    let id = LinkID(secret.publicKey)
    for isHonest in [true, false] {
      let claimer = isHonest ? ana.account.user : bob.account.user
      let proof = secret.sign("cairn link claim v1", zone.bytes, id.bytes, claimer.bytes)
      var commit = genesis
      commit.share = [.claim(link: id, proof: proof)]
      let bytes = try seal(commit)
      if isHonest {
        #expect(try open(bytes).share == commit.share)
      } else {
        #expect(throws: EntryProblem.badClaim(ana.account.author)) { try open(bytes) }
      }
    }
  }

  @Test func `a genesis is valid only in its own zone`() throws {
    let foreign = ZoneID.derive(owner: bob.account.user, nonce: Sample.nonce)
    let bytes = try EntryCodec.seal(
      genesis, zone: foreign, sequence: 1, key: key, boxesFor: [], nonce: Sample.nonce,
      account: ana.account)
    #expect(throws: EntryProblem.foreignZone) {
      try open(bytes, zone: foreign, sequence: 1)
    }
  }

  @Test func `a later format is distinguished from damage`() throws {
    var bytes = try seal(genesis)
    bytes[1] = 2
    #expect(throws: EntryProblem.newerFormat(2)) { try open(bytes) }
  }

  @Test func `commits of similar lengths make entries of one size`() throws {
    var sizes: Set<Int> = []
    for count in 1...60 {
      var commit = genesis
      commit.genesis?.name = String(repeating: "x", count: count)
      sizes.insert(try seal(commit).count)
    }
    #expect(sizes.count <= 5)
  }

  @Test func `sealing twice gives two entries with different digests`() throws {
    let (one, two) = (try seal(genesis), try seal(genesis))
    #expect(one != two)
    #expect(EntryCodec.digest(of: one) != EntryCodec.digest(of: two))
    #expect(EntryCodec.digest(of: one) == EntryCodec.digest(of: one))
  }

  @Test func `an entry that would be too large is refused by the writer`() throws {
    var commit = genesis
    commit.chunks = [
      ChunkEntry(
        name: ChunkName(.zero), size: 1, place: [UInt8](repeating: 0, count: EntryCodec.limit))
    ]
    #expect(throws: EntryProblem.self) { try seal(commit) }
  }

  @Test func `random bytes and damaged beginnings trap nothing`() throws {
    let sample = try seal(everything())
    for seed in 0..<2_000 {
      let noise = Sample.noise(seed % 200, seed: UInt64(seed))
      #expect(throws: EntryProblem.self) { try open(noise) }
      #expect(throws: EntryProblem.self) {
        try open(Array(sample.prefix(seed % sample.count)) + noise)
      }
    }
  }
}
