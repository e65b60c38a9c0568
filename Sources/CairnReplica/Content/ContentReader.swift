import CairnIdentity
import CairnStore
import CairnThreads
import CairnZone

/// The reason why a content cannot be read.
public enum ContentError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The pack is missing in the container.
  case missing(ObjectKey)
  /// The pack exists, but its bytes are not the stored ones.
  case damaged(ObjectKey, why: String)
  /// No commit contains that chunk.
  case unknownChunk(ChunkName)
  /// The log's statement is impossible.
  case invalid(FormatError)

  /// A sentence for people.
  public var description: String {
    switch self {
    case .missing(let key): "the content isn't there: \(key) is missing in the container"
    case .damaged(let key, let why): "the content is damaged: \(key) \(why)"
    case .unknownChunk(let name): "the content isn't known: no commit brought chunk \(name)"
    case .invalid(let error): error.description
    }
  }
}

/// Reads contents from packs and commits, and from files that have some of their chunks. Each chunk
/// is checked against its name before it is passed on. It requests the bytes of the chunks that it
/// needs, several adjacent ones at once, and no others. One owner.
final class ContentReader {
  private let store: any ObjectStore
  private let onFetch: FetchObserver
  private let codec = ChunkCodec()
  /// The bytes of adjacent chunks that were requested together.
  private var ahead: (pack: PackName, start: Int, bytes: [UInt8])?
  /// The chunks that are needed next, in their order, and the number of those that were requested.
  private var expected: [PackRange] = []
  private var requested = 0
  /// The most bytes to request at once, unless a chunk is larger.
  private static let stride = 1 << 20
  /// The most unneeded bytes between two chunks that are requested at once.
  private static let gap = 16 << 10

  /// A function that receives the number of bytes of each answer from the container. An error of it
  /// ends the reading.
  typealias FetchObserver = @Sendable (Int) throws -> Void

  init(store: any ObjectStore, onFetch: @escaping FetchObserver = { _ in }) {
    self.store = store
    self.onFetch = onFetch
  }

  /// The indexes of the contents in the order of the container: first those in commits, then pack
  /// by pack.
  static func order(
    of contents: [Content], lookup: (ChunkName) throws -> ChunkEntry?
  ) throws -> [Int] {
    let places = try contents.map { content -> (pack: PackName?, offset: Int) in
      guard let name = content.chunks.first, let entry = try lookup(name) else { return (nil, 0) }
      // An invalid content reports its error when it is read.
      do throws(FormatError) {
        guard case .pack(let range, _) = try ChunkPlace(entry).position else { return (nil, 0) }
        return (range.stamp.pack, range.offset)
      } catch {
        return (nil, 0)
      }
    }
    return contents.indices.sorted { left, right in
      let (one, other) = (places[left], places[right])
      guard let pack = one.pack, let otherPack = other.pack else {
        return one.pack == nil && (other.pack != nil || left < right)
      }
      return pack == otherPack ? (one.offset, left) < (other.offset, right) : pack < otherPack
    }
  }

  /// Announces the ranges that are read next, in their order.
  func expect(_ ranges: [PackRange]) {
    requested = 0
    expected = ranges
  }

  /// The bytes to request for a chunk; nil if there are none, or a file should have them.
  static func range(of entry: ChunkEntry, _ known: KnownChunks?) -> PackRange? {
    guard known?.has(entry.name) != true else { return nil }
    // An invalid chunk reports its error when it is read.
    do throws(FormatError) {
      let place = try ChunkPlace(entry)
      guard case .pack(let range, _) = place.position else { return nil }
      if place.pieces.contains(where: { known?.has($0.before) == true }) { return nil }
      return range
    } catch {
      return nil
    }
  }

  /// Passes on the plaintext in order.
  /// - Throws: `ContentError`, `CloudError` if the container cannot be read, and errors of the
  ///   closures.
  func read(
    _ content: Content, lookup: (ChunkName) throws -> ChunkEntry?, known: KnownChunks? = nil,
    _ body: (UnsafeRawBufferPointer) throws -> Void
  ) throws {
    var size: UInt64 = 0
    for name in content.chunks {
      guard let entry = try lookup(name) else { throw ContentError.unknownChunk(name) }
      let plain = try chunk(entry, known)
      size += UInt64(plain.count)
      try plain.withUnsafeBytes(body)
    }
    try Self.check(size, of: content)
  }

  /// Passes on the plaintext in order, while other threads prepare the following parts.
  /// - Throws: errors of `read`.
  static func readAhead(
    _ content: Content, lanes: Int, store: any ObjectStore, entries: [ChunkName: ChunkEntry],
    known: KnownChunks? = nil, onFetch: @escaping FetchObserver,
    _ body: (UnsafeRawBufferPointer) throws -> Void
  ) throws {
    var ahead: [BackgroundTask<[[UInt8]]>] = []
    var (size, next) = (UInt64(0), 0)
    while next < content.chunks.count || !ahead.isEmpty {
      while ahead.count < lanes, next < content.chunks.count {
        let names = content.chunks[next..<batchEnd(of: content, from: next, entries)]
        ahead.append(
          BackgroundTask {
            let reader = ContentReader(store: store, onFetch: onFetch)
            reader.expect(names, in: entries, known)
            return try names.map { name in
              guard let entry = entries[name] else { throw ContentError.unknownChunk(name) }
              return try reader.chunk(entry, known)
            }
          })
        next += names.count
      }
      for plain in try ahead.removeFirst().wait() {
        size += UInt64(plain.count)
        try plain.withUnsafeBytes(body)
      }
    }
    try check(size, of: content)
  }

  private static func check(_ size: UInt64, of content: Content) throws(ContentError) {
    guard size == content.size else {
      throw .invalid(FormatError("content", "its chunks have another size than it"))
    }
  }

  /// The most chunks that one thread prepares at once, and the number of their bytes after which
  /// no other chunk is added.
  private static let (batch, batchBytes) = (8, 2 << 20)

  private static func batchEnd(
    of content: Content, from start: Int, _ entries: [ChunkName: ChunkEntry]
  ) -> Int {
    var (end, bytes) = (start, 0)
    while end < content.chunks.count, end - start < batch, bytes < batchBytes {
      bytes += Int(entries[content.chunks[end]]?.size ?? 0)
      end += 1
    }
    return end
  }

  /// The size in bytes of the buffers of a reader whose threads prepare parts of a content.
  static func memory(lanes: Int) -> Int {
    // A chunk, and the one that it begins with.
    let single = stride + 2 * Chunker.maximum
    return lanes > 1 ? (lanes + 1) * (batchBytes + Chunker.maximum + single) : single
  }

  /// Announces those of the chunks that must be requested.
  func expect(
    _ names: some Sequence<ChunkName>, in entries: [ChunkName: ChunkEntry], _ known: KnownChunks?
  ) {
    expect(names.compactMap { entries[$0].flatMap { Self.range(of: $0, known) } })
  }

  private func chunk(_ entry: ChunkEntry, _ known: KnownChunks?) throws -> [UInt8] {
    if let plain = known?.chunk(entry.name), plain.count == entry.size { return plain }
    let place: ChunkPlace
    do throws(FormatError) { place = try ChunkPlace(entry) } catch {
      throw ContentError.invalid(error)
    }
    guard !place.pieces.isEmpty else { return try stored(entry.name, place) }
    let plain: [UInt8]?
    if let (number, start) = Self.known(place.pieces, known) {
      plain = codec.plaintext(
        of: start, place.pieces[number...], size: place.size, name: entry.name)
    } else {
      let start = place.start(entry.name)
      plain = codec.plaintext(
        of: try stored(start.name, start.place), place.pieces, size: place.size, name: entry.name)
    }
    guard let plain else { throw Self.wrongChunk }
    return plain
  }

  private static let wrongChunk = ContentError.invalid(
    FormatError("commit", "a chunk in it isn't what its name says"))

  /// The last piece behind a chunk that a file has, and that chunk.
  private static func known(
    _ pieces: [ChunkPiece], _ known: KnownChunks?
  ) -> (number: Int, start: [UInt8])? {
    guard let known else { return nil }
    for (number, piece) in pieces.enumerated().reversed() {
      if let start = known.chunk(piece.before), start.count == piece.size {
        return (number, start)
      }
    }
    return nil
  }

  /// A chunk without pieces.
  private func stored(_ name: ChunkName, _ place: ChunkPlace) throws -> [UInt8] {
    switch place.position {
    case .inline(let payload):
      guard let plain = plaintext(payload, place, name) else { throw Self.wrongChunk }
      return plain
    case .pack(let range, let key):
      let opened = try withSealed(range) { ChunkCodec.open($0, name: name, key: key) }
      guard let payload = opened, let plain = plaintext(payload, place, name)
      else { throw ContentError.damaged(range.key, why: "was altered") }
      return plain
    }
  }

  private func plaintext(_ payload: [UInt8], _ place: ChunkPlace, _ name: ChunkName) -> [UInt8]? {
    codec.plaintext(
      of: payload, isCompressed: place.isCompressed, size: place.size, name: name)
  }

  /// Passes on the bytes of a range.
  private func withSealed<Result>(
    _ range: PackRange, _ body: (UnsafeRawBufferPointer) throws -> Result
  ) throws -> Result {
    let (pack, end) = (range.stamp.pack, range.offset + range.length)
    if ahead?.pack != pack || range.offset < ahead?.start ?? 0
      || end > (ahead?.start ?? 0) + (ahead?.bytes.count ?? 0)
    {
      ahead = nil
      let found = try bytes(range.key, range.offset..<endOfRun(from: range))
      guard found.count >= range.length else {
        throw ContentError.damaged(range.key, why: "was cut off")
      }
      ahead = (pack, range.offset, found)
    }
    guard let ahead else { preconditionFailure("what was just read is there") }
    return try ahead.bytes.withUnsafeBytes { bytes in
      let start = range.offset - ahead.start
      return try body(UnsafeRawBufferPointer(rebasing: bytes[start..<(start + range.length)]))
    }
  }

  /// The end of a request that begins with a range: the following chunks are requested with it, as
  /// far as they are adjacent.
  private func endOfRun(from range: PackRange) -> Int {
    var end = range.offset + range.length
    guard let position = expected[requested...].firstIndex(of: range) else { return end }
    requested = position + 1
    for next in expected[requested...] {
      let stop = next.offset + next.length
      guard next.key == range.key, next.offset >= range.offset, next.offset - end <= Self.gap,
        stop - range.offset <= Self.stride
      else { break }
      end = max(end, stop)
      requested += 1
    }
    return end
  }

  private func bytes(_ key: ObjectKey, _ range: Range<Int>) throws -> [UInt8] {
    let found: [UInt8]?
    do throws(StoreError) { found = try store.get(key, range: range) } catch {
      // A foreign file in a pack's place damages only the content of that pack.
      guard error.code == .corrupt else { throw CloudError(error) }
      throw ContentError.damaged(key, why: "is no regular file")
    }
    guard let found else { throw ContentError.missing(key) }
    try onFetch(found.count)
    return found
  }
}
