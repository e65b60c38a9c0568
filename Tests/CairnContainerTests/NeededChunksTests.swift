import CairnZone
import Testing

@testable import CairnIdentity
@testable import CairnIndex
@testable import CairnReplica

/// The needed chunks of older packs, and the needed bytes of each pack.
@Suite struct NeededChunksTests {
  private let packs = (1...3).map { PackName(Bytes16(high: 0, low: UInt64($0))) }

  private func name(_ number: Int) -> ChunkName {
    let bytes = [UInt8](repeating: 0, count: 31) + [UInt8(number)]
    guard let name = ChunkName(bytes: bytes) else { preconditionFailure("a name has 32 bytes") }
    return name
  }

  /// Returns a chunk that takes that many bytes of a pack.
  private func chunk(
    _ number: Int, _ length: Int, in pack: Int, _ generation: UInt32 = 0
  ) -> ChunkEntry {
    let stamp = PackStamp(pack: packs[pack - 1], generation: generation)
    let range = PackRange(owner: UserID(.zero), stamp: stamp, offset: 0, length: length)
    return ChunkPlace(
      position: .pack(range, key: .random()), isCompressed: false, size: length - Crypto.tagCount
    ).entry(name(number))
  }

  /// Plays with a zone of six chunks: two packs of generation 0, one with a chunk of the past, and
  /// one pack of generation 1.
  private func play(_ body: (IndexedZone) throws -> Void) throws {
    let index = try IndexFile(inMemory: .zones)
    let zone = ZoneID(Bytes32.zero)
    try index.write { db in
      let state = try IndexedZone(db, zone: zone)
      for entry in [
        chunk(5, 100, in: 1), chunk(1, 200, in: 1), chunk(3, 300, in: 2), chunk(2, 400, in: 3, 1),
      ] { try state.chunks.save(entry, by: 1, "INSERT") }
      try state.chunks.savePast(chunk(4, 500, in: 2), hiddenWith: 1)
      try body(state)
    }
  }

  @Test func `each pack needs the bytes of its needed chunks, each counted once`() throws {
    try play { state in
      var needed = try NeededChunks(state.rows, below: 1)
      #expect(needed.packs.isEmpty && needed.bytes.isEmpty)
      needed.need([name(1), name(5), name(1), name(2), name(9)])
      #expect(needed.packs == [packs[0]])
      #expect(needed.bytes == [packs[0]: 301])
      #expect(needed.movable(in: [packs[0]]) == [name(1), name(5)])
      #expect(needed.movable(in: [packs[1]]).isEmpty)
      var all = try NeededChunks(state.rows, below: 2)
      all.need([name(2)])
      #expect(all.bytes == [packs[2]: 401])
    }
  }

  @Test func `a pack with any part of a closed past can't be repacked`() throws {
    try play { state in
      var needed = try NeededChunks(state.rows, below: .max)
      needed.needAll(but: [name(3), name(5)])
      #expect(needed.bytes == [packs[0]: 201, packs[1]: .max, packs[2]: 401])
      #expect(needed.movable(in: Set(packs)) == [name(1), name(2)])
      // A chunk that was added again since belongs to the zone again, and to the past, too.
      try state.chunks.save(chunk(4, 500, in: 2), by: 1, "INSERT")
      var anew = try NeededChunks(state.rows, below: .max)
      anew.need([name(4)])
      #expect(anew.bytes == [packs[1]: .max])
      #expect(anew.movable(in: Set(packs)) == [name(4)])
    }
  }

  @Test func `bytes count once for all chunks that begin with them`() throws {
    try play { state in
      func grown(_ number: Int) throws -> ChunkEntry {
        let base = chunk(1, 200, in: 1)
        var place = try ChunkPlace(base)
        place.size = 500
        place.pieces = [ChunkPiece(before: base.name, size: 200 - Crypto.tagCount, added: [1])]
        return place.entry(name(number))
      }
      for number in 6...8 { try state.chunks.save(grown(number), by: 1, "INSERT") }
      var needed = try NeededChunks(state.rows, below: 1)
      needed.need([name(7)])
      #expect(needed.bytes == [packs[0]: 202], "a piece of a byte")
      needed.need([name(6), name(1)])
      #expect(needed.bytes == [packs[0]: 203] && needed.packs == [packs[0]])
      needed.need([name(5)])
      #expect(needed.bytes == [packs[0]: 303])
      #expect(needed.movable(in: [packs[0]]) == [1, 5, 6, 7].map { name($0) })
    }
  }

  @Test func `chunks are read in the order of the index, and nothing is sorted`() throws {
    try play { state in
      _ = try NeededChunks(state.rows, below: 1)
      let text = try #require(
        state.rows.db.connection.statements.keys.first {
          $0.contains("UNION ALL SELECT name, size")
        })
      let steps = try state.rows.db.plan(of: text)
      #expect(!steps.contains { $0.contains("TEMP B-TREE") || $0.hasPrefix("SCAN") }, "\(steps)")
    }
  }
}
