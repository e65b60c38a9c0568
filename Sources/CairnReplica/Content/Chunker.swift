import CSodium
import CairnIdentity
import CairnZone

/// The rule for cutting contents (content.proto): content-defined, so an insertion moves one cut
/// and not all following ones. Pure. The host of a container sees no cuts, because packs are
/// padded.
enum Chunker {
  /// The minimum size in bytes of all chunks but the last. Contents up to this size are one chunk.
  static let minimum = 64 * 1024
  /// The size in bytes that most chunks are close to.
  static let average = 256 * 1024
  /// The maximum size in bytes.
  static let maximum = 1024 * 1024

  private static let strictMask: UInt64 = 0x7fff_f800_0000_0000
  private static let easyMask: UInt64 = 0x7fff_8000_0000_0000

  /// Splitmix64 from a fixed seed: the same table for everybody.
  private static let gear: [UInt64] = {
    var state: UInt64 = 0x6361_6972_6e2d_7631
    return (0..<256).map { _ in
      state &+= 0x9e37_79b9_7f4a_7c15
      var value = state
      value = (value ^ value >> 30) &* 0xbf58_476d_1ce4_e5b9
      value = (value ^ value >> 27) &* 0x94d0_49bb_1331_11eb
      return value ^ value >> 31
    }
  }()

  /// The length of the first chunk of `bytes`, which must have `maximum` bytes or be all that
  /// remain.
  static func cut(_ bytes: UnsafeRawBufferPointer) -> Int {
    let end = min(bytes.count, maximum)
    guard end > minimum, let start = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self) else {
      return end
    }
    return gear.withUnsafeBufferPointer { table in
      guard let gear = table.baseAddress else { return end }
      var hash: UInt64 = 0
      var index = minimum
      let middle = min(average, end)
      while index < middle {
        hash = hash << 1 &+ gear[Int(start[index])]
        index += 1
        if hash & strictMask == 0 { return index }
      }
      while index < end {
        hash = hash << 1 &+ gear[Int(start[index])]
        index += 1
        if hash & easyMask == 0 { return index }
      }
      return end
    }
  }
}

extension ChunkName {
  /// The name of a chunk: a digest of its plaintext.
  static func digest(of bytes: UnsafeRawBufferPointer) -> ChunkName {
    Crypto.start()
    let prefix = Crypto.prefix("cairn chunk v1")
    let name = withUnsafeTemporaryAllocation(
      byteCount: crypto_generichash_statebytes(), alignment: 64
    ) { memory in
      let state = OpaquePointer(memory.start)
      crypto_generichash_init(state, nil, 0, 32)
      crypto_generichash_update(state, prefix, UInt64(prefix.count))
      crypto_generichash_update(state, bytes.bytes, UInt64(bytes.count))
      return [UInt8](unsafeUninitializedCapacity: 32) { buffer, initialized in
        crypto_generichash_final(state, buffer.start, 32)
        initialized = 32
      }
    }
    return ChunkName(Crypto.bytes32(name))
  }
}
