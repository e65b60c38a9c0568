import CairnZone

/// Cuts bytes into named chunks as they come. It knows no packs: whoever uses it decides what is
/// new. One owner; reusable for one content after the other.
final class ContentBuilder {
  private let onChunk: (ChunkName, UnsafeRawBufferPointer) throws -> Void
  private let buffer: UnsafeMutableRawBufferPointer
  private var start = 0
  private var end = 0
  private var size: UInt64 = 0
  private var chunks: [ChunkName] = []

  /// `onChunk` gets every chunk in order; the bytes are lent for the call.
  init(_ onChunk: @escaping (ChunkName, UnsafeRawBufferPointer) throws -> Void) {
    self.onChunk = onChunk
    buffer = .allocate(byteCount: 2 * Chunker.maximum, alignment: 64)
  }

  deinit { buffer.deallocate() }

  /// Lets `read` fill the buffer; returns what it returned, 0 meaning the end.
  func fill(_ read: (UnsafeMutableRawBufferPointer) throws -> Int) throws -> Int {
    if end == buffer.count { try cut(keeping: Chunker.maximum) }
    let count = try read(UnsafeMutableRawBufferPointer(rebasing: buffer[end...]))
    precondition(count >= 0 && count <= buffer.count - end, "read more than there is room")
    end += count
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
    while end - start > keeping || (keeping > 0 && end - start >= Chunker.maximum) {
      let rest = UnsafeRawBufferPointer(rebasing: buffer[start..<end])
      guard keeping == 0 || rest.count >= Chunker.maximum else { break }
      let length = Chunker.cut(rest)
      let chunk = UnsafeRawBufferPointer(rebasing: rest[..<length])
      let name = ChunkName.digest(of: chunk)
      try onChunk(name, chunk)
      chunks.append(name)
      start += length
    }
    if start > 0 {
      buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: buffer[start..<end]))
      end -= start
      start = 0
    }
  }
}
