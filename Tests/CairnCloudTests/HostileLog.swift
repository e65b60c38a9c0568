import CairnStore
import CairnZone
import Testing

@testable import CairnCloud

/// Puts what an honest program wouldn't into the log of a zone: somebody with the zone's key and a
/// device, or with nothing but access to the container, and a program of their own.
struct HostileLog {
  let world: ZoneWorld
  /// The zone as its honest reader sees it.
  let zone: Zone
  let account: Account

  /// The place after the last entry, and what the entry there must follow.
  private var next: (sequence: UInt64, previous: Bytes32) {
    (zone.header.sequence + 1, zone.header.head)
  }

  private func key(_ epoch: UInt64) throws -> ZoneKey {
    try #require(zone.keyring()[epoch] ?? (epoch > zone.header.epoch ? .random(epoch: epoch) : nil))
  }

  /// A commit at the end of the log, not judged by anybody before it stands there.
  @discardableResult
  func append(
    _ records: [RecordChange] = [], share: [ShareChange] = [], chunks: [ChunkEntry] = [],
    epoch: UInt64? = nil, by author: Author? = nil,
    change: (inout WireCommit) throws -> Void = { _ in }, body: ([UInt8]) -> [UInt8] = { $0 }
  ) throws -> [UInt8] {
    try zone.pull()
    let epoch = epoch ?? zone.header.epoch
    let commit = Commit(
      previous: next.previous, author: author ?? account.author, time: 1, epoch: epoch,
      chunks: chunks, records: records, share: share)
    var wire = WireCommit(commit, nonce: nil)
    try change(&wire)
    let bytes = try EntryCodec.seal(
      body: body(StoredMessage.encode(wire)), zone: zone.id, sequence: next.sequence,
      key: key(epoch),
      boxes: [], account: account, sealNonce: Crypto.random(Crypto.nonceCount))
    try put(bytes)
    return bytes
  }

  /// Bytes at the end of the log.
  func put(_ bytes: [UInt8]) throws {
    try zone.pull()
    #expect(try world.store.put(ZoneReplica.key(zone.id, next.sequence), bytes) == .stored)
  }

  /// Each reader refuses the last entry with that code and a sentence; after it all goes on, and a
  /// newcomer comes to the same.
  func expectRefused(
    _ code: String, by readers: [Zone], sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let place = next.sequence
    for reader in readers {
      let refused = try reader.pull().refused.filter { $0.sequence == place }
      #expect(refused.map(\.code) == [code], "\(refused)", sourceLocation: sourceLocation)
      #expect(refused.allSatisfy { $0.reason.count > 20 }, sourceLocation: sourceLocation)
      #expect(reader.header.sequence == place, sourceLocation: sourceLocation)
    }
    let first = try #require(readers.first)
    try first.write("good-\(place)", [1])
    for reader in readers {
      try reader.pull()
      #expect(reader.header.head == first.header.head, sourceLocation: sourceLocation)
      #expect(try reader.names().contains("good-\(place)"), sourceLocation: sourceLocation)
      #expect(
        try reader.verify().contains { $0.key == ZoneReplica.key(zone.id, place).description },
        sourceLocation: sourceLocation)
    }
  }
}
