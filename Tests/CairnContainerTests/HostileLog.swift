import CairnStore
import CairnWire
import CairnZone
import Testing

@testable import CairnIdentity
@testable import CairnReplica

/// Puts entries into the log of a zone that an honest program wouldn't. The author has the zone's
/// key, a device, and a program of their own.
struct HostileLog {
  let world: ZoneWorld
  /// The zone as its honest reader sees it.
  let zone: Zone
  let account: Account

  /// The place after the last entry, and the digest of the entry before it.
  private var next: (sequence: UInt64, previous: Bytes32) {
    (zone.header.sequence + 1, zone.header.head)
  }

  private func key(_ epoch: UInt64) throws -> ZoneKey {
    try #require(zone.keyring()[epoch] ?? (epoch > zone.header.epoch ? .random(epoch: epoch) : nil))
  }

  /// Puts a commit at the end of the log. Nobody judges it before.
  @discardableResult
  func append(
    _ records: [RecordChange] = [], share: [ShareChange] = [], chunks: [ChunkEntry] = [],
    epoch: UInt64? = nil, by author: Author? = nil, boxes: [[UInt8]] = [],
    change: (inout WireCommit) throws -> Void = { _ in }, body: ([UInt8]) -> [UInt8] = { $0 }
  ) throws -> [UInt8] {
    try zone.pull()
    let epoch = epoch ?? zone.header.epoch
    let commit = Commit(
      previous: next.previous, author: author ?? account.author, time: 1, epoch: epoch,
      chunks: chunks, records: records, share: share,
      chain: ChainHead(length: 1, head: IdentityLog.digest(of: account.origin)))
    var wire = WireCommit(commit, nonce: nil)
    try change(&wire)
    let bytes = try EntryCodec.seal(
      body: body(StoredMessage.encode(wire)), zone: zone.id, sequence: next.sequence,
      key: key(epoch),
      boxes: boxes, account: account, sealNonce: Crypto.random(Crypto.nonceCount))
    try put(bytes)
    return bytes
  }

  /// Puts bytes at the end of the log.
  func put(_ bytes: [UInt8]) throws {
    try zone.pull()
    #expect(try world.store.put(zone.place(next.sequence), bytes) == .stored)
  }

  /// Expects that each reader stops before the last object and gives the reason, that nothing can
  /// be written, and that the object has no effect. Once one reader has taken it away, everything
  /// goes on.
  func expectHeld(
    _ reason: String = "", by readers: [Zone], sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let place = next.sequence
    let object = try zone.place(place).description
    for reader in readers {
      // The entries before it are read.
      _ = try cloudCode { try reader.pull() }
      let before = reader.header
      #expect(try cloudCode { try reader.pull() } == .zoneBusy, sourceLocation: sourceLocation)
      let trouble = try #require(reader.trouble, sourceLocation: sourceLocation)
      #expect(trouble.kind == .held && trouble.object == object, sourceLocation: sourceLocation)
      #expect(trouble.seen == place && trouble.isRubbish, sourceLocation: sourceLocation)
      #expect(
        try #require(trouble.reason).contains(reason), "\(trouble)", sourceLocation: sourceLocation)
      #expect(reader.header == before, sourceLocation: sourceLocation)
      #expect(
        try cloudCode { try reader.save([Zone.file("x", Content(size: 0, chunks: []))]) }
          == .zoneBusy, sourceLocation: sourceLocation)
    }
    let first = try #require(readers.first)
    let plan = try first.planRepair()
    try first.takeAway(try #require(plan.held, sourceLocation: sourceLocation))
    #expect(first.trouble == nil, sourceLocation: sourceLocation)
    try first.write("good-\(place)", [1])
    for reader in readers {
      try reader.pull()
      #expect(reader.header.head == first.header.head, sourceLocation: sourceLocation)
      #expect(try reader.names().contains("good-\(place)"), sourceLocation: sourceLocation)
      #expect(try reader.verify().isEmpty, sourceLocation: sourceLocation)
    }
  }
}
