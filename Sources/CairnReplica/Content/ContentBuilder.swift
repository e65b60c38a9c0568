import CairnStore
import CairnThreads
import CairnZone

/// Cuts incoming bytes into named chunks. It knows no packs: its user decides which chunks are new.
/// One owner; reusable for one content after another.
final class ContentBuilder {
  private let onChunk: (ChunkName, UnsafeRawBufferPointer) throws -> Void
  private let lanes: Int
  /// An array, so that another thread can use it.
  private var buffer: [UInt8]
  /// The cut bytes whose chunk names another thread computes.
  private var waiting: Stretch?
  /// A free buffer for the next stretch.
  private var spare: [UInt8]?
  private var start = 0
  private var end = 0
  private var size: UInt64 = 0
  private var chunks: [ChunkName] = []

  /// The number of bytes that are cut before they are named, if several threads do that.
  private static let stretch = 2 * Chunker.maximum

  /// The size in bytes of the buffers for a content.
  static func memory(lanes: Int) -> Int {
    lanes > 1 ? 2 * (stretch + Chunker.maximum) : 2 * Chunker.maximum
  }

  /// Creates a builder. `onChunk` receives every chunk in order; the bytes are valid during the
  /// call. With more than one of `lanes`, another thread names most chunks of a large content.
  init(
    lanes: Int = 1, _ onChunk: @escaping (ChunkName, UnsafeRawBufferPointer) throws -> Void
  ) {
    self.onChunk = onChunk
    self.lanes = lanes
    let stretch = lanes > 1 ? Self.stretch : Chunker.maximum
    buffer = Self.uninitialized(stretch + Chunker.maximum)
  }

  /// Lets `read` fill the buffer. Returns its result; 0 means the end.
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

  /// Forgets an unfinished content.
  func reset() {
    size = 0
    chunks = []
    start = 0
    end = 0
    waiting = nil
  }

  /// Cuts the remaining bytes and returns the content.
  func finish() throws -> Content {
    try cut(keeping: 0)
    try handOutWaiting()
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
    guard start > 0 else { return }
    if lanes > 1, found.count > 3 {
      let next = begin(found)
      try handOutWaiting()
      waiting = next
    } else {
      try handOutWaiting()
      try handOut(found, Self.names(of: found[...], in: buffer), in: buffer)
      buffer.withUnsafeMutableBytes { bytes in
        bytes.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[start..<end]))
      }
      (start, end) = (0, end - start)
    }
  }

  // MARK: Stretches

  /// Cut bytes that another thread names for the most part.
  private struct Stretch {
    var bytes: [UInt8]
    var ranges: [Range<Int>]
    /// The number of chunks that this thread names itself.
    var own: Int
    var others: BackgroundTask<[ChunkName]>
  }

  /// Starts naming the chunks of the buffer, and continues in another one.
  private func begin(_ ranges: [Range<Int>]) -> Stretch {
    let bytes = buffer
    buffer = spare ?? Self.uninitialized(bytes.count)
    spare = nil
    bytes.withUnsafeBytes { old in
      let rest = UnsafeRawBufferPointer(rebasing: old[start..<end])
      buffer.withUnsafeMutableBytes { $0.copyMemory(from: rest) }
    }
    (start, end) = (0, end - start)
    // Reading and cutting the next stretch takes this thread as long as naming a part of this one.
    let own = ranges.count / 4
    let others = BackgroundTask { Self.names(of: ranges[own...], in: bytes) }
    return Stretch(bytes: bytes, ranges: ranges, own: own, others: others)
  }

  private func handOutWaiting() throws {
    guard let stretch = waiting else { return }
    waiting = nil
    let own = Self.names(of: stretch.ranges[..<stretch.own], in: stretch.bytes)
    try handOut(stretch.ranges, own + stretch.others.wait(), in: stretch.bytes)
    spare = stretch.bytes
  }

  private func handOut(
    _ ranges: [Range<Int>], _ names: [ChunkName], in buffer: [UInt8]
  ) throws {
    try buffer.withUnsafeBytes { bytes in
      for (range, name) in zip(ranges, names) {
        try onChunk(name, UnsafeRawBufferPointer(rebasing: bytes[range]))
        chunks.append(name)
      }
    }
  }

  private static func names(of ranges: ArraySlice<Range<Int>>, in buffer: [UInt8]) -> [ChunkName] {
    buffer.withUnsafeBytes { bytes in
      ranges.map { ChunkName.digest(of: UnsafeRawBufferPointer(rebasing: bytes[$0])) }
    }
  }

  /// Bytes that are filled before they are read. Most contents are far smaller, so the pages stay
  /// untouched.
  private static func uninitialized(_ count: Int) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: count) { $1 = $0.count }
  }
}
