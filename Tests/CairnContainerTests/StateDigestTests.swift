import CairnIndex
import CairnStore
import CairnWire
import CairnZone
import FoundationEssentials
import SwiftProtobuf
import Testing

@testable import CairnContainer
@testable import CairnIdentity
@testable import CairnReplica

/// The digest of a zone's state: one for everybody, and another for every other state.
struct StateDigestTests {
  /// The rule of the page, in a second and simple form.
  private static func plain(
    _ list: StateDigest.List, _ elements: [StateDigest.Element], limit: Int, depth: Int = 0
  ) throws -> Bytes32 {
    var part = WireStatePart()
    for element in elements {
      switch list {
      case .records: part.records.append(try WireStateRecord(serializedBytes: element.bytes))
      case .deletions: part.deletions.append(try WireStateDeletion(serializedBytes: element.bytes))
      case .chunks: part.chunks.append(try WireChunkEntry(serializedBytes: element.bytes))
      case .packs: part.packs.append(.init(element.bytes))
      case .versions: part.versions.append(try WireStateVersion(serializedBytes: element.bytes))
      }
    }
    let bytes = StoredMessage.encode(part)
    guard elements.count > 1, bytes.count > limit else {
      return Crypto.digest("cairn state part v1", parts: [bytes])
    }
    let digits = elements.map { Array(hexadecimal($0.key)) }
    let parts = try (0..<16).map { digit in
      let mine = elements.indices.filter { digits[$0][depth].hexDigitValue == digit }
      return try plain(list, mine.map { elements[$0] }, limit: limit, depth: depth + 1).bytes
    }
    return Crypto.digest("cairn state node v1", parts: parts)
  }

  @Test func `a list is cut where its parts would be too large, by the digits of its ids`() throws {
    var random = SystemRandomNumberGenerator()
    for count in [0, 1, 2, 15, 16, 17, 300] {
      let records = (0..<count).map { index in
        // Half of the ids agree in their first six digits.
        let high = UInt64.random(in: .min ... .max, using: &random)
        let id = RecordID(
          Bytes16(high: index.isMultiple(of: 2) ? high : high >> 24, low: UInt64(index)))
        return StateDigest.Element.deletion(id, at: UInt64(index))
      }.sorted { $0.key.lexicographicallyPrecedes($1.key) }
      for limit in [0, 1, 21, 200, 3_000, 1 << 20] {
        var rest = records.makeIterator()
        let digest = StateDigest.digest(of: .deletions, limit: limit) { rest.next() }
        #expect(
          try digest == Self.plain(.deletions, records, limit: limit), "\(count) up to \(limit)")
      }
    }
  }

  @Test func `elements that are larger than a part are alone`() throws {
    let long = [UInt8](repeating: 7, count: 200)
    let elements = (0..<4).map { index in
      var wire = WireChunkEntry()
      wire.name = .init([UInt8](repeating: 0, count: 31) + [UInt8(index)])
      wire.place = .init(long)
      return StateDigest.Element(key: Array(wire.name), bytes: StoredMessage.encode(wire))
    }
    var rest = elements.makeIterator()
    let digest = StateDigest.digest(of: .chunks, limit: 100) { rest.next() }
    #expect(try digest == Self.plain(.chunks, elements, limit: 100))
  }

  @Test func `a length of any number of digits is framed as protobuf frames it`() throws {
    for count in [0, 80, 127, 128, 200, 16_383, 16_384, 70_000] {
      var wire = WireChunkEntry()
      wire.name = .init([UInt8](repeating: 0, count: 32))
      wire.place = .init([UInt8](repeating: 1, count: count))
      let element = StateDigest.Element(
        key: Array(wire.name), bytes: StoredMessage.encode(wire))
      var rest = [element].makeIterator()
      let digest = StateDigest.digest(of: .chunks) { rest.next() }
      #expect(try digest == Self.plain(.chunks, [element], limit: 1 << 20))
    }
  }

  @Test func `every change of a header changes the digest, and every header is read back`() throws {
    let (ana, bob) = (try Sample.account("ana").account, try Sample.account("bob").account)
    let zone = Sample.zone(of: ana)
    let stamp = Stamp(sequence: 3, user: ana.user, device: ana.device.id, time: -1)
    var share = Share(owner: ana.user, title: "Trip", changed: stamp)
    share.participants[bob.user] = Participant(
      user: bob.user, role: .privateUser, permission: .readWrite, acceptance: .pending)
    let link = LinkID(EntryCodec.digest(of: [1]))
    share.links[link] = Link(
      id: link, boxKey: link.value, isOneTime: true, permission: .readOnly, expires: -1)
    share.blocked = [bob.user]
    let claim = Succession.Confirmation(
      claimant: bob.user,
      since: Stamp(sequence: 2, user: bob.user, device: bob.device.id, time: -1))
    let changes: [(inout ZoneHeader) -> Void] = [
      { _ in }, { $0.sequence += 1 }, { $0.head = link.value }, { $0.epoch += 1 },
      { $0.genesis = Genesis(owner: ana.user, name: "") },
      { $0.genesis = Genesis(owner: ana.user, name: "Trip") }, { $0.owner = ana.user },
      { $0.share = share }, { $0.share?.title = "U" }, { $0.share?.allowsAccessRequests = true },
      { $0.share?.publicPermission = .readOnly }, { $0.share?.links = [:] },
      { $0.share?.participants[bob.user]?.acceptance = .accepted },
      { $0.share?.offered = bob.user },
      { $0.share?.participants[bob.user]?.role = .administrator },
      { $0.share?.participants[bob.user]?.permission = .readOnly },
      { $0.share?.succession = Succession(people: [bob.user], wait: 0) },
      { $0.share?.succession = Succession(people: [bob.user], wait: .max) },
      { $0.share?.succession = Succession(people: [bob.user], needed: 2, wait: .max) },
      { $0.share?.succession = Succession(people: [bob.user], confirmations: [bob.user: claim]) },
      {
        $0.share?.succession = nil
        $0.share?.offered = nil
      }, { $0.share?.participants = [:] }, { $0.share?.blocked = [] },
      { $0.share?.policy.access = .named }, { $0.share?.policy.permission = .readOnly },
      { $0.share?.policy.allowsParticipantsToInvite = true }, { $0.share?.changed.time = 0 },
      { ($0.share, $0.quota) = (nil, 0) }, { $0.quota = .max }, { $0.bytes = 1 },
      { $0.revokedDevices = [ana.author, bob.author] }, { $0.isRekeyDue = true },
      { $0.isPurged = true }, { $0.keys = [bob.user: bob.encryptionKey] },
      { $0.keys[ana.user] = ana.encryptionKey }, { $0.minimumVersion = 1 },
      { $0.carried = [.extended] }, { $0.generation = .max }, { $0.checkpoints = [3, 5] },
      { $0.floor = Floor(checkpoint: 3, digest: .zero, forgotten: 0) }, { $0.floor?.forgotten = 3 },
      { $0.history = HistoryPolicy() }, { $0.history?.all = 0 }, { $0.history?.daily = 1 },
      { $0.history?.versions = 0 },
      { $0.site = Site(id: SiteID(.random()), location: "") }, { $0.site?.location = "/there" },
    ]
    var header = ZoneHeader(zone: zone)
    var seen: Set<Bytes32> = []
    let empty = [Bytes32](repeating: .zero, count: 4)
    for (index, change) in changes.enumerated() {
      change(&header)
      #expect(seen.insert(StateDigest.digest(header, lists: empty)).inserted, "change \(index)")
      let stored = try WireStateHeader(serializedBytes: IndexRow.encode(header))
      #expect(try stored.header() == header, "change \(index)")
    }
  }

  // MARK: Memory and index

  @Test func `an index and a zone in memory have one digest, and the same floors`() throws {
    let world = try ZoneWorld()
    let ana = try world.account("ana")
    let zone = try world.open(ana).privateDatabase.createZone(named: "Trip")
    let id = RecordID.random()
    let name = try #require(FileName("a"))
    let file = RecordChange(
      id: id, act: .create(.file), place: Place(parent: .root, name: name),
      content: Content(size: 0, chunks: []),
      attributes: Attributes(
        isExecutable: true, modified: 5, mode: 0o755, extended: [Array("user.a".utf8): [1]]))
    let note = RecordChange(
      id: .random(), act: .create(.typed("note")),
      fields: ["list": .list([.number(0.5)]), "at": .location(latitude: 1, longitude: 0)])
    try zone.changeShare([.zone(.carry([.mode, .extended]))])
    try zone.save([file, note])
    try zone.save([RecordChange(id: note.id, act: .delete)])
    try zone.changeShare([.zone(.checkpoint)])
    let checkpoint = zone.header.sequence
    let digest = try #require(try zone.index { try $0.digest(ofCheckpoint: checkpoint) })
    #expect(try zone.replayed(by: ana).digest == digest)
    #expect(try zone.index { try $0.digest(under: $0.header) } == digest)

    #expect(throws: CloudError.self) {
      try zone.changeShare(
        [.zone(.floor(Floor(checkpoint: checkpoint, digest: .zero, forgotten: 0)))])
    }
    let floor = Floor(checkpoint: checkpoint, digest: digest, forgotten: checkpoint)
    try zone.changeShare([.zone(.floor(floor))])
    #expect(zone.header.floor?.checkpoint == checkpoint && zone.header.checkpoints.isEmpty)
    let after = try zone.index { try $0.digest(under: $0.header) }
    #expect(try zone.replayed(by: ana).digest == after && after != digest)
    #expect(try zone.index { try $0.records.deletion(of: note.id) } == nil)
  }

  @Test func `an index forgets content in closed packs, and keeps moved content`() throws {
    let world = try ZoneWorld()
    let ana = try world.account("ana")
    let zone = try world.open(ana).privateDatabase.createZone(named: "Trip")
    let (one, two) = (EntryCodec.digest(of: [1]), EntryCodec.digest(of: [2]))
    func entry(_ name: Bytes32, _ generation: UInt32, isAgain: Bool = false) -> ChunkEntry {
      ChunkEntry(
        name: ChunkName(name), size: 1, place: [1],
        pack: PackStamp(
          pack: PackName(Bytes16(high: 0, low: UInt64(generation))), generation: generation),
        isAgain: isAgain)
    }
    let name = try #require(FileName("a"))
    let content = Content(size: 1, chunks: [ChunkName(one)])
    try zone.save(
      [
        RecordChange(
          id: .random(), act: .create(.file), place: Place(parent: .root, name: name),
          content: content)
      ], bringing: [entry(one, 0), entry(two, 0)])
    let retirement = Retirement(generation: 1, kept: [])
    #expect(throws: CloudError.self) { try zone.changeShare([.zone(.retire(retirement))]) }
    try zone.save([], bringing: [entry(one, 1, isAgain: true)])
    try zone.changeShare([.zone(.retire(retirement))])
    #expect(try zone.index { try $0.chunks.entry(ChunkName(one)) } == entry(one, 1))
    #expect(try zone.index { try $0.chunks.entry(ChunkName(two)) } == nil)
    let kept = PackName(Bytes16(high: 0, low: 1))
    try zone.changeShare([.zone(.retire(Retirement(generation: 9, kept: [kept])))])
    #expect(try zone.index { try $0.keepsPack(kept) })
    #expect(
      try zone.index { try $0.digest(under: $0.header) } == zone.replayed(by: ana).digest)
  }
}

extension Zone {
  /// Reads from the index.
  fileprivate func index<Result: Sendable>(
    _ body: (IndexedZone) throws -> Result
  ) throws -> Result {
    try exclusively { replica in
      try replica.index.read { try body(IndexedZone($0, zone: id, header: replica.header)) }
    }
  }

  /// Returns the log, replayed in memory. One device signed all of it.
  fileprivate func replayed(by account: Account) throws -> MemoryZone {
    var zone = MemoryZone(zone: id)
    for sequence in 1...header.sequence {
      let bytes = try #require(try index { try $0.keptEntries.bytes(at: sequence) })
      let commit = try EntryCodec.open(
        bytes, zone: id, sequence: sequence, keys: keyring()
      ) { $0 == account.author ? account.device.signing.publicKey : nil }
      let digest = EntryCodec.digest(of: bytes)
      #expect(zone.fold(commit, at: sequence, digest: digest).isApplied)
      if zone.header.checkpoints.last == sequence { zone.noteCheckpoint(zone.digest) }
    }
    return zone
  }
}

extension Verdict {
  fileprivate var isApplied: Bool { if case .applied = self { true } else { false } }
}
