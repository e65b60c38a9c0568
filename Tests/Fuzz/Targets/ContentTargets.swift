import CairnStore
import CairnWire
import CairnZone

@testable import CairnIdentity
@testable import CairnReplica

extension FuzzTarget {
  /// The places of content, and the content itself.
  static let contentTargets = [
    FuzzTarget("chunk-place") {
      [
        [0, 0, 0, 5] + Cast.chunk.place,
        [0, 0, 1, 0]
          + ChunkPlace(
            position: .pack(
              PackRange(owner: Cast.ana.user, stamp: stamp, offset: 7, length: 60),
              key: Cast.secret), isCompressed: true, size: 256
          ).encoded(),
        [0, 0, 1, 0]
          + ChunkPlace(
            position: .inline([1, 2, 3]), isCompressed: false, size: 256,
            pieces: [
              ChunkPiece(before: Cast.chunk.name, size: 3, added: [9]),
              ChunkPiece(before: Cast.chunk.name, size: 200, added: [8, 7]),
            ]
          ).encoded(),
      ]
    } check: { bytes in
      var parts = Parts(bytes)
      let size = UInt32(parts.number(4))
      var entry = ChunkEntry(name: Cast.chunk.name, size: size, place: parts.all())
      // The tag of `ChunkPlace.pack`.
      if entry.place.first == 0x12 { entry.pack = stamp }
      guard let place = try unlessRefused({ try ChunkPlace(entry) }) else { return }
      try must(
        place.encoded() == known(entry.place, as: WireChunkPlace.self), "a place changes")
      guard case .pack(let range, _) = place.position else { return }
      try must(
        range.offset >= 0 && (17...Chunker.maximum + Crypto.tagCount).contains(range.length),
        "a range that no pack has")
    },

    // The first byte is 1 if the rest is compressed. The claimed size follows.
    FuzzTarget("chunk", limit: 65_536) {
      let codec = ChunkCodec()
      let plain = [UInt8](repeating: 65, count: 3000)
      let packed = plain.withUnsafeBytes { codec.compressed($0) { part, _ in Array(part) } }
      return [[1, 0, 0, 0x0B, 0xB8] + packed, [0, 0, 0, 0, 5] + Array("hello".utf8)]
    } check: { bytes in
      try checkChunk(bytes)
    },

    // A content of a few chunks, read from a pack of another person.
    FuzzTarget("content", limit: 65_536) {
      let piece = Parts.joined([Array("hello".utf8), [0, 0, 0, 5, 0]])
      return [[0, 0, 0, 5] + piece, [0, 0, 0, 10] + piece + piece]
    } check: { bytes in
      try checkContent(bytes)
    },
  ]

  private static let stamp = PackStamp(
    pack: PackName(Bytes16(high: 0, low: 1)), generation: 0)

  private static func checkChunk(_ bytes: [UInt8]) throws {
    var parts = Parts(bytes)
    let isCompressed = parts.byte() & 1 == 1
    let size = Int(parts.number(4)) % (Chunker.maximum + 1)
    let payload = parts.all()
    let codec = ChunkCodec()
    // Nobody can make bytes for a name that was chosen before.
    let forged = codec.plaintext(
      of: payload, isCompressed: isCompressed, size: size, name: Cast.chunk.name)
    try must(forged == nil, "bytes that aren't what the name says")
    let name = payload.withUnsafeBytes { ChunkName.digest(of: $0) }
    guard !payload.isEmpty else { return }
    let (stored, short) = payload.withUnsafeBytes {
      codec.compressed($0) { part, isShort in (Array(part), isShort) }
    }
    try must(
      codec.plaintext(of: stored, isCompressed: short, size: payload.count, name: name) == payload,
      "a chunk changes")
    var pack: [UInt8] = []
    stored.withUnsafeBytes { ChunkCodec.seal($0, name: name, key: Cast.secret, into: &pack) }
    let opened = pack.withUnsafeBytes { ChunkCodec.open($0, name: name, key: Cast.secret) }
    try must(opened == stored, "a sealed chunk doesn't open")
    let other = payload.withUnsafeBytes { ChunkCodec.open($0, name: name, key: Cast.secret) }
    try must(other == nil, "a chunk that nobody sealed opens")
  }

  private static func checkContent(_ bytes: [UInt8]) throws {
    var parts = Parts(bytes)
    let size = parts.number(4)
    let store = MemoryStore()
    var entries: [ChunkName: ChunkEntry] = [:]
    var names: [ChunkName] = []
    var pack: [UInt8] = []
    while !parts.isEmpty {
      let payload = parts.counted()
      var tail = Parts(parts.counted())
      let claimed = UInt32(truncatingIfNeeded: tail.number(4))
      let kind = tail.byte()
      let name = payload.withUnsafeBytes { ChunkName.digest(of: $0) }
      let start = pack.count
      payload.withUnsafeBytes {
        ChunkCodec.seal($0, name: name, key: Cast.secret, into: &pack)
      }
      let range = PackRange(
        owner: Cast.ana.user, stamp: stamp, offset: start + Int(kind >> 4),
        length: pack.count - start)
      let position: ChunkPlace.Position =
        kind & 1 == 0 ? .inline(payload) : .pack(range, key: Cast.secret)
      let place = ChunkPlace(position: position, isCompressed: kind & 2 == 2, size: Int(claimed))
      entries[name] = place.entry(name)
      entries[name]?.size = claimed
      names.append(name)
    }
    _ = try store.put(stamp.key(owner: Cast.ana.user), pack)
    let content = Content(size: size, chunks: names)
    var read = 0
    let isRead: Bool? = try unlessRefused {
      try ContentReader(store: store).read(content, lookup: { entries[$0] }) { read += $0.count }
      return true
    }
    try must(isRead == nil || UInt64(read) == size, "a content of another size than was said")
    try must(read <= bytes.count * Chunker.maximum, "bytes out of nothing")
  }
}
