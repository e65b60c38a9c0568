import CairnStore
import CairnZone

/// Why a content can't be read.
public enum ContentError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The pack isn't in the container.
  case missing(ObjectKey)
  /// The pack is there, and isn't what was put there.
  case damaged(ObjectKey, why: String)
  /// No commit brought that chunk.
  case unknownChunk(ChunkName)
  /// What the log says can't be right.
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

/// Reads contents back from packs and commits, each chunk checked against its name before it is
/// lent. It asks for exactly the bytes of a chunk, never for a whole pack. One owner.
final class ContentReader {
  private let store: any ObjectStore
  private let codec = ChunkCodec()

  init(store: any ObjectStore) { self.store = store }

  /// Lends the plaintext in its order.
  /// - Throws: `ContentError`, `CloudError` if the container can't be read, and what the closures
  ///   do.
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
    guard size == content.size else {
      throw ContentError.invalid(FormatError("content", "its chunks have another size than it"))
    }
  }

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
      let sealed = try sealed(range)
      let opened = sealed.withUnsafeBytes { ChunkCodec.open($0, name: entry.name, key: key) }
      guard let payload = opened, let plain = plaintext(payload, place, entry.name)
      else { throw ContentError.damaged(range.key, why: "was altered") }
      return plain
    }
  }

  private func plaintext(_ payload: [UInt8], _ place: ChunkPlace, _ name: ChunkName) -> [UInt8]? {
    codec.plaintext(
      of: payload, isCompressed: place.isCompressed, size: place.size, name: name)
  }

  private func sealed(_ range: PackRange) throws -> [UInt8] {
    let key = range.key
    let end = range.offset + range.length
    let found: [UInt8]?
    do throws(StoreError) { found = try store.get(key, range: range.offset..<end) } catch {
      throw CloudError(error)
    }
    guard let found else { throw ContentError.missing(key) }
    guard found.count == range.length else { throw ContentError.damaged(key, why: "was cut off") }
    return found
  }
}
