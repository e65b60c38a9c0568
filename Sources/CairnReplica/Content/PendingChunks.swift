import CairnZone

/// Small chunks that wait until the index is asked for all of them at once. They are copies: the
/// buffer that they were read into is used again meanwhile.
struct PendingChunks {
  private var chunks: [(name: ChunkName, range: Range<Int>)] = []
  /// The bytes of all chunks, one after the other.
  private(set) var bytes: [UInt8] = []

  /// The largest number of bytes of all waiting chunks. A chunk over `Chunker.minimum` never waits.
  private static let limit = 256 << 10

  /// The names of the chunks.
  var names: [ChunkName] { chunks.map(\.name) }

  /// Adds a chunk.
  /// - Returns: False if there is no room for it now.
  mutating func add(_ name: ChunkName, _ chunk: UnsafeRawBufferPointer) -> Bool {
    guard chunk.count <= Chunker.minimum, bytes.count + chunk.count <= Self.limit else {
      return false
    }
    chunks.append((name, bytes.count..<bytes.count + chunk.count))
    bytes += chunk
    return true
  }

  /// Removes all chunks, and gives them to a closure in their order.
  mutating func takeAll(
    _ body: (ChunkName, UnsafeRawBufferPointer) throws -> Void
  ) rethrows {
    let (chunks, bytes) = (chunks, bytes)
    self.chunks = []
    self.bytes = []
    try bytes.withUnsafeBytes { all in
      for (name, range) in chunks { try body(name, UnsafeRawBufferPointer(rebasing: all[range])) }
    }
  }
}
