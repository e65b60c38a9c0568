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

/// Reads contents from packs and commits. Each chunk is checked against its name before it is
/// passed on. It requests exactly the bytes of a chunk, never a whole pack. One owner.
final class ContentReader {
  private let store: any ObjectStore
  private let codec = ChunkCodec()
  /// Bytes of a pack that were read ahead, because its chunks are requested in order.
  private var ahead: (pack: PackName, start: Int, bytes: [UInt8])?
  /// The end of the last range.
  private var last: (pack: PackName, end: Int)?
  /// The number of bytes to read ahead then.
  private static let stride = 1 << 20

  init(store: any ObjectStore) { self.store = store }

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

  /// Passes on the plaintext in order.
  /// - Throws: `ContentError`, `CloudError` if the container cannot be read, and errors of the
  ///   closures.
  func read(
    _ content: Content, lookup: (ChunkName) throws -> ChunkEntry?,
    _ body: (UnsafeRawBufferPointer) throws -> Void
  ) throws {
    var size: UInt64 = 0
    for name in content.chunks {
      guard let entry = try lookup(name) else { throw ContentError.unknownChunk(name) }
      let plain = try chunk(entry)
      size += UInt64(plain.count)
      try plain.withUnsafeBytes(body)
    }
    try Self.check(size, of: content)
  }

  /// Passes on the plaintext in order, while other threads prepare the following parts.
  /// - Throws: errors of `read`.
  static func readAhead(
    _ content: Content, lanes: Int, store: any ObjectStore, entries: [ChunkName: ChunkEntry],
    _ body: (UnsafeRawBufferPointer) throws -> Void
  ) throws {
    var ahead: [BackgroundTask<[[UInt8]]>] = []
    var (size, next) = (UInt64(0), 0)
    while next < content.chunks.count || !ahead.isEmpty {
      while ahead.count < lanes, next < content.chunks.count {
        let names = content.chunks[next..<min(next + batch, content.chunks.count)]
        ahead.append(
          BackgroundTask {
            let reader = ContentReader(store: store)
            return try names.map { name in
              guard let entry = entries[name] else { throw ContentError.unknownChunk(name) }
              return try reader.chunk(entry)
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

  /// The number of chunks that one thread prepares at once: a few megabytes.
  private static let batch = 8

  private func chunk(_ entry: ChunkEntry) throws -> [UInt8] {
    let place: ChunkPlace
    do throws(FormatError) { place = try ChunkPlace(entry) } catch {
      throw ContentError.invalid(error)
    }
    switch place.position {
    case .inline(let payload):
      guard let plain = plaintext(payload, place, entry.name) else {
        throw ContentError.invalid(FormatError("commit", "a chunk in it isn't what its name says"))
      }
      return plain
    case .pack(let range, let key):
      let opened = try withSealed(range) { ChunkCodec.open($0, name: entry.name, key: key) }
      guard let payload = opened, let plain = plaintext(payload, place, entry.name)
      else { throw ContentError.damaged(range.key, why: "was altered") }
      return plain
    }
  }

  private func plaintext(_ payload: [UInt8], _ place: ChunkPlace, _ name: ChunkName) -> [UInt8]? {
    codec.plaintext(
      of: payload, isCompressed: place.isCompressed, size: place.size, name: name)
  }

  /// Passes on the bytes of a range, and reads ahead while ranges are sequential.
  private func withSealed<Result>(
    _ range: PackRange, _ body: (UnsafeRawBufferPointer) throws -> Result
  ) throws -> Result {
    let (pack, end) = (range.stamp.pack, range.offset + range.length)
    defer { last = (pack, end) }
    if ahead?.pack != pack || range.offset < ahead?.start ?? 0
      || end > (ahead?.start ?? 0) + (ahead?.bytes.count ?? 0)
    {
      // A reader of the next range, or one soon after, will continue.
      let isNext = last.map {
        $0.pack == pack && (0...Self.stride / 4).contains(range.offset - $0.end)
      }
      let wanted = isNext == true ? max(end, range.offset + Self.stride) : end
      ahead = nil
      let found = try bytes(range.key, range.offset..<wanted)
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

  private func bytes(_ key: ObjectKey, _ range: Range<Int>) throws -> [UInt8] {
    let found: [UInt8]?
    do throws(StoreError) { found = try store.get(key, range: range) } catch {
      // A foreign file in a pack's place damages only the content of that pack.
      guard error.code == .corrupt else { throw CloudError(error) }
      throw ContentError.damaged(key, why: "is no regular file")
    }
    guard let found else { throw ContentError.missing(key) }
    return found
  }
}
