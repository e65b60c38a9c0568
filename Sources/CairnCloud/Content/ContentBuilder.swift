import CairnStore
import CairnZone

/// Cuts bytes into named chunks as they come. It knows no packs: whoever uses it decides what is
/// new. One owner; reusable for one content after the other.
final class ContentBuilder {
  private let onChunk: (ChunkName, UnsafeRawBufferPointer) throws -> Void
  private let lanes: Int
  /// An array, so that it can be lent to another thread.
  private var buffer: [UInt8]
  private var start = 0
  private var end = 0
  private var size: UInt64 = 0
  private var chunks: [ChunkName] = []

  /// How much is cut before it is named, in bytes, where several threads do that.
  private static let stretch = 4 * Chunker.maximum

  /// `onChunk` gets every chunk in order; the bytes are lent for the call. With more than one of
  /// `lanes`, two threads name the chunks of a large content.
  init(
    lanes: Int = 1, _ onChunk: @escaping (ChunkName, UnsafeRawBufferPointer) throws -> Void
  ) {
    self.onChunk = onChunk
    self.lanes = lanes
    let stretch = lanes > 1 ? Self.stretch : Chunker.maximum
    // Filled before it is read, and most contents are far smaller: its pages aren't touched here.
    buffer = [UInt8](unsafeUninitializedCapacity: stretch + Chunker.maximum) { buffer, count in
      count = buffer.count
    }
  }

  /// Lets `read` fill the buffer; returns what it returned, 0 meaning the end.
  func fill(_ read: (UnsafeMutableRawBufferPointer) throws -> Int) throws -> Int {
    if end == buffer.count { try cut(keeping: Chunker.maximum) }
    let end = end
    let count = try buffer.withUnsafeMutableBytes { bytes in
      try read(UnsafeMutableRawBufferPointer(rebasing: bytes[end...]))
    }
    precondition(count >= 0 && count <= buffer.count - end, "read more than there is room")
    self.end += count
    size += UInt64(count)
    try cut(keeping: Chunker.maximum)
    return count
  }

  /// Forgets what was read of a content that can't be finished.
  func reset() {
    size = 0
    chunks = []
    start = 0
    end = 0
  }

  /// Cuts what remains and gives the content.
  func finish() throws -> Content {
    try cut(keeping: 0)
    let content = Content(size: size, chunks: chunks)
    reset()
    return content
  }

  /// Cuts chunks off until at most `keeping` bytes are left, or less than a largest chunk.
  private func cut(keeping: Int) throws {
    var found: [Range<Int>] = []
    buffer.withUnsafeBytes { bytes in
      while end - start > keeping || (keeping > 0 && end - start >= Chunker.maximum) {
        let rest = UnsafeRawBufferPointer(rebasing: bytes[start..<end])
        guard keeping == 0 || rest.count >= Chunker.maximum else { break }
        let length = Chunker.cut(rest)
        found.append(start..<(start + length))
        start += length
      }
    }
    let names = try names(of: found)
    try buffer.withUnsafeBytes { bytes in
      for (range, name) in zip(found, names) {
        try onChunk(name, UnsafeRawBufferPointer(rebasing: bytes[range]))
        chunks.append(name)
      }
    }
    guard start > 0 else { return }
    buffer.withUnsafeMutableBytes { bytes in
      bytes.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[start..<end]))
    }
    end -= start
    start = 0
  }

  /// The names of the chunks that stand there; another thread finds the first half of many.
  private func names(of ranges: [Range<Int>]) throws -> [ChunkName] {
    guard lanes > 1, ranges.count > 1 else { return Self.names(of: ranges[...], in: buffer) }
    let half = ranges.count / 2
    let first = Errand { [buffer] in Self.names(of: ranges[..<half], in: buffer) }
    let second = Self.names(of: ranges[half...], in: buffer)
    return try first.wait() + second
  }

  private static func names(of ranges: ArraySlice<Range<Int>>, in buffer: [UInt8]) -> [ChunkName] {
    buffer.withUnsafeBytes { bytes in
      ranges.map { ChunkName.digest(of: UnsafeRawBufferPointer(rebasing: bytes[$0])) }
    }
  }
}
