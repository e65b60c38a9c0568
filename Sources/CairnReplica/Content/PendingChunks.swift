import CairnZone

/// Small chunks that wait until the index is asked for all of them at once. They are copies: the
/// buffer that they were read into is used again meanwhile.
struct PendingChunks {
  private var chunks: [(name: ChunkName, range: Range<Int>, end: ChunkName?)] = []
  /// The bytes of all chunks, one after the other.
  private(set) var bytes: [UInt8] = []

  /// The largest number of bytes of all waiting chunks. A chunk over `Chunker.minimum` never waits.
  private static let limit = 256 << 10

  /// The names of the chunks.
  var names: [ChunkName] { chunks.map(\.name) }

  /// Adds a chunk.
  /// - Parameters:
  ///   - name: Its name.
  ///   - chunk: Its plaintext.
  ///   - end: The last chunk of the file's earlier content, if the chunk can begin with it.
  /// - Returns: False if there is no room for it now.
  mutating func add(
    _ name: ChunkName, _ chunk: UnsafeRawBufferPointer, _ end: ChunkName?
  ) -> Bool {
    guard chunk.count <= Chunker.minimum, bytes.count + chunk.count <= Self.limit else {
      return false
    }
    chunks.append((name, bytes.count..<bytes.count + chunk.count, end))
    bytes += chunk
    return true
  }

  /// Removes all chunks, and gives them to a closure in their order.
  mutating func takeAll(
    _ body: (ChunkName, UnsafeRawBufferPointer, ChunkName?) throws -> Void
  ) rethrows {
    let (chunks, bytes) = (chunks, bytes)
    self.chunks = []
    self.bytes = []
    try bytes.withUnsafeBytes { all in
      for (name, range, end) in chunks {
        try body(name, UnsafeRawBufferPointer(rebasing: all[range]), end)
      }
    }
  }
}
