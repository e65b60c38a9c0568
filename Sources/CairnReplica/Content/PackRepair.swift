import CairnIdentity
import CairnStore
import CairnZone

/// A chunk that currently cannot be read in the container.
public struct BrokenChunk: Hashable, Sendable {
  /// The chunk.
  public var name: ChunkName
  /// The object with the chunk, or the words `a commit`.
  public var object: String
  /// The problem.
  public var reason: String
  let entry: ChunkEntry
}

/// Restores packs from the plaintext of their chunks. The chunks' names, keys and places in the log
/// stay unchanged, and so does the intact part of a damaged pack. It owns the packs in work, and
/// must not know the source of the plaintext.
final class PackRepair {
  private let store: any ObjectStore
  private let codec = ChunkCodec()
  private var packs: [ObjectKey: (bytes: [UInt8], standing: Standing, count: Int)] = [:]
  /// The broken chunks by their places. Several chunks have one if they begin with one of them.
  private var broken: [PackRange: [(chunk: BrokenChunk, place: ChunkPlace)]] = [:]

  /// The object in a pack's place before the repair.
  private enum Standing { case nothing, pack, noObject }

  /// Creates a value for these chunks.
  init(store: any ObjectStore, broken chunks: some Sequence<BrokenChunk>) {
    self.store = store
    for chunk in chunks {
      do throws(FormatError) {
        let place = try ChunkPlace(chunk.entry)
        guard case .pack(let range, _) = place.position else { continue }
        broken[range, default: []].append((chunk, place))
      } catch {
        // Nobody can read it, here or elsewhere.
      }
    }
  }

  /// Adds the plaintext of a broken chunk.
  /// - Returns: The chunks that its payload restores: itself, and others that have pieces behind
  ///   the same payload; none if it is another chunk, or doesn't fit into its place.
  /// - Throws: `CloudError` if the container cannot be read.
  func take(_ chunk: BrokenChunk, _ plain: UnsafeRawBufferPointer) throws -> [ChunkName] {
    guard ChunkName.digest(of: plain) == chunk.name, plain.count == Int(chunk.entry.size) else {
      return []
    }
    let place: ChunkPlace
    do throws(FormatError) { place = try ChunkPlace(chunk.entry) } catch { return [] }
    guard case .pack(let range, let key) = place.position else { return [] }
    let payload = place.start(chunk.name)
    let start = UnsafeRawBufferPointer(rebasing: plain[..<payload.place.size])
    guard try put(start, payload.name, range, key, isCompressed: place.isCompressed) else {
      return []
    }
    let bytes = [UInt8](start)
    return (broken[range] ?? []).filter { other in
      guard other.place.position == place.position else { return false }
      guard !other.place.pieces.isEmpty else { return other.chunk.name == payload.name }
      return codec.plaintext(
        of: bytes, other.place.pieces, size: other.place.size, name: other.chunk.name) != nil
    }.map(\.chunk.name)
  }

  /// Seals a payload again, for its place in a pack.
  /// - Returns: Whether it is that payload.
  private func put(
    _ plain: UnsafeRawBufferPointer, _ name: ChunkName, _ range: PackRange, _ key: SecretBytes,
    isCompressed: Bool
  ) throws -> Bool {
    guard ChunkName.digest(of: plain) == name else { return false }
    let room = range.length - Crypto.tagCount
    let isPlain = !isCompressed && room == plain.count
    guard let payload = isPlain ? [UInt8](plain) : codec.compressed(plain, to: room),
      isPlain || isCompressed
    else { return false }
    var sealed: [UInt8] = []
    payload.withUnsafeBytes { ChunkCodec.seal($0, name: name, key: key, into: &sealed) }
    try load(range.key)
    let end = range.offset + range.length
    guard var pack = packs[range.key] else { return false }
    if pack.bytes.count < end {
      pack.bytes += Crypto.padding(Int(PackWriter.stored(UInt64(end))) - pack.bytes.count)
    }
    pack.bytes.replaceSubrange(range.offset..<end, with: sealed)
    pack.count += 1
    packs[range.key] = pack
    return true
  }

  /// A Boolean value that indicates whether so many packs are held that they should be stored.
  var isLarge: Bool { packs.count >= 16 }

  private func load(_ key: ObjectKey) throws {
    guard packs[key] == nil else { return }
    do throws(StoreError) {
      let bytes = try store.get(key, upTo: ChunkPlace.packLimit)
      packs[key] = (bytes ?? [], bytes == nil ? .nothing : .pack, 0)
    } catch {
      guard error.code == .corrupt else { throw CloudError(error) }
      packs[key] = ([], .noObject, 0)
    }
  }

  /// Puts the packs into the container, or forgets them in a dry run.
  /// - Throws: `CloudError` if the container cannot be written.
  func finish(isDryRun: Bool) throws {
    defer { packs = [:] }
    guard !isDryRun else { return }
    for (key, pack) in packs.sorted(by: { $0.key < $1.key }) where pack.count > 0 {
      do {
        // If another device was faster, another check finds the remaining damage.
        if pack.standing == .noObject { try store.remove(key, ifIts: nil, upTo: 0) }
        if pack.standing == .pack {
          try store.mend(key, pack.bytes)
        } else {
          _ = try store.puts(key, pack.bytes)
        }
      } catch {
        throw CloudError(error)
      }
    }
  }
}

extension ChunkCodec {
  /// A compressed form of exactly that many bytes; nil if none is found. The storing program may
  /// have had another version of zstd, so levels are tried, and a skippable frame fills the rest.
  func compressed(_ plain: UnsafeRawBufferPointer, to count: Int) -> [UInt8]? {
    for level in [1, 3, 2, 4, 5, 6, 9, 12, 15, 19] {
      guard var payload = compressed(plain, level: Int32(level)) else { continue }
      let rest = count - payload.count
      if rest == 0 { return payload }
      guard rest >= 8 else { continue }
      payload += [0x50, 0x2A, 0x4D, 0x18]
      payload += (0..<4).map { UInt8(truncatingIfNeeded: (rest - 8) >> ($0 * 8)) }
      payload += [UInt8](repeating: 0, count: rest - 8)
      return payload
    }
    return nil
  }
}
