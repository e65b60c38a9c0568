import CairnStore
import CairnZone
import Testing

@testable import CairnReplica

/// Bytes, and a store with a zone's chunks, for the tests of contents.
enum ContentPieces {
  /// Returns incompressible noise, the same for the same seed (splitmix64).
  static func noise(_ count: Int, seed: UInt64 = 1) -> [UInt8] {
    var state = seed
    // Eight bytes at once: byte by byte, megabytes take seconds without optimisation.
    return [UInt8](unsafeUninitializedCapacity: count + 8) { buffer, initialized in
      let raw = UnsafeMutableRawBufferPointer(buffer)
      var offset = 0
      while offset < count {
        state &+= 0x9e37_79b9_7f4a_7c15
        var value = state
        value = (value ^ (value >> 30)) &* 0xbf58_476d_1ce4_e5b9
        value = (value ^ (value >> 27)) &* 0x94d0_49bb_1331_11eb
        value ^= value >> 31
        raw.storeBytes(of: value.littleEndian, toByteOffset: offset, as: UInt64.self)
        offset += 8
      }
      initialized = count
    }
  }

  /// The same bytes, but for the first thousand.
  static func altered(_ bytes: [UInt8]) -> [UInt8] {
    var altered = bytes
    for place in altered.indices.prefix(1_000) { altered[place] ^= 1 }
    return altered
  }

  /// Returns different lines that compress well.
  static func text(_ count: Int) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(count + 64)
    var line = 0
    while bytes.count < count {
      bytes += Array("line \(line) of a text in which much is said more than once\n".utf8)
      line += 1
    }
    return Array(bytes[..<count])
  }

  static let owner: UserID = {
    guard let user = UserID(bytes: [UInt8](repeating: 7, count: 32)) else {
      preconditionFailure("32 bytes make an id")
    }
    return user
  }()
}

/// Contents that are written to a store in memory and read back, as in a zone without a log.
final class ContentShelf {
  let store = MemoryStore()
  var writer = PackWriter(owner: ContentPieces.owner)
  var entries: [ChunkName: ChunkEntry] = [:]
  /// The names of all added chunks, in their order.
  var brought: [ChunkName] = []
  lazy var reader = ContentReader(store: store)

  /// Feeds the bytes in steps of at most `step`, and adds the chunks that aren't known.
  func write(_ bytes: [UInt8], step: Int = 1 << 20) throws -> Content {
    let builder = ContentBuilder { [self] name, chunk in
      guard entries[name] == nil, !writer.contains(name) else { return }
      brought.append(name)
      if let pack = writer.add(name, chunk) { try keep(pack) }
    }
    var offset = 0
    while true {
      let count = try builder.fill { room in
        let count = min(step, room.count, bytes.count - offset)
        room.copyBytes(from: bytes[offset..<(offset + count)])
        return count
      }
      if count == 0 { break }
      offset += count
    }
    return try builder.finish()
  }

  /// Puts the waiting chunks into a pack.
  func seal() throws {
    if let pack = writer.seal() { try keep(pack) }
  }

  /// Takes the waiting chunks inline, as a small commit does.
  func takeInline() throws {
    let inline = try #require(writer.inlineEntries())
    for entry in inline { entries[entry.name] = entry }
  }

  func keep(_ pack: SealedPack) throws {
    #expect(try store.put(pack.key, pack.bytes) == .stored)
    for entry in pack.entries { entries[entry.name] = entry }
  }

  func read(_ content: Content) throws -> [UInt8] {
    var bytes: [UInt8] = []
    try reader.read(content, lookup: { entries[$0] }) { bytes += Array($0) }
    return bytes
  }

  /// Replaces the bytes of an object, as a faulty disk does, and clears the cache.
  func replace(_ key: ObjectKey, _ change: (inout [UInt8]) -> Void) throws {
    var bytes = try #require(try store.get(key))
    change(&bytes)
    try store.delete(key)
    #expect(try store.put(key, bytes) == .stored)
    reader = ContentReader(store: store)
  }
}
