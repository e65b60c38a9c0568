import CairnIdentity
import CairnStore
import CairnZone

/// A complete pack for the container, and the entries with which a commit uses it.
struct SealedPack: Sendable {
  private(set) var key: ObjectKey
  let bytes: [UInt8]
  private(set) var entries: [ChunkEntry]
  private let owner: UserID
  private var stamp: PackStamp
  /// The number of names that were taken.
  private(set) var renamed = 0

  init(_ stamp: PackStamp, owner: UserID, bytes: [UInt8], entries: [ChunkEntry]) {
    key = stamp.key(owner: owner)
    (self.stamp, self.owner, self.bytes, self.entries) = (stamp, owner, bytes, entries)
  }

  /// Returns whether commits after this header can reference the pack.
  func isOpen(in header: ZoneHeader) -> Bool { stamp.generation >= header.generation }

  /// Selects another name, because other bytes have this one.
  mutating func rename() {
    stamp = .random(generation: stamp.generation)
    key = stamp.key(owner: owner)
    for place in entries.indices { entries[place].pack = stamp }
    renamed += 1
  }
}

/// Collects new chunks until they fill a pack or become part of a commit. It knows no store. One
/// owner.
public final class PackWriter {
  /// The size in bytes at which a pack is closed.
  static let target = 8 << 20
  /// The size in bytes of the buffer for a pack.
  static let memory = target + 2 * Chunker.maximum
  /// The number of bytes up to which chunks become part of the commit.
  static let inlineLimit = 64 * 1024

  /// The owner of the packs: the zone's owner, who may change.
  var owner: UserID
  /// The owner's currently open generation; a started pack keeps its own.
  var generation: UInt32 = 0
  private let codec = ChunkCodec()
  /// Small chunks that may still become part of a commit: the payload, and whether it is
  /// compressed.
  private var small: [(name: ChunkName, payload: [UInt8], isCompressed: Bool, size: Int)] = []
  private var smallBytes = 0
  private var names: Set<ChunkName> = []
  /// The pack in work; nil before its first chunk.
  private var stamp: PackStamp?
  private var pack: [UInt8] = []
  private var entries: [ChunkEntry] = []
  /// The payloads in the pack with which other chunks begin, and the number of bytes of the pieces
  /// of these.
  private var (starts, pieces): ([ChunkName: ChunkPlace], Int) = ([:], 0)

  /// Creates an empty writer.
  init(owner: UserID) { self.owner = owner }

  /// Returns whether the chunk waits here.
  func contains(_ name: ChunkName) -> Bool { names.contains(name) }

  /// The number of waiting bytes, if a commit can contain them all; nil if they need a pack.
  var inlineBytes: Int? { pack.isEmpty ? smallBytes : nil }

  /// A Boolean value that indicates whether nothing waits.
  var isEmpty: Bool { names.isEmpty }

  /// Adds a new chunk. Returns a full pack, to be put into the container. A chunk that grows goes
  /// into a pack, unless it is too small for that: then each further piece repeats no payload.
  func add(
    _ name: ChunkName, _ plaintext: UnsafeRawBufferPointer, grows: Bool = false
  ) -> SealedPack? {
    guard names.insert(name).inserted else { return nil }
    if let place = starts[name] {
      entries.append(place.entry(name))
      return nil
    }
    codec.compressed(plaintext) { payload, isCompressed in
      let isPacked =
        grows && plaintext.count > ChunkPiece.leastPlain
        && payload.count > ChunkPiece.leastPacked
      if pack.isEmpty, !isPacked, smallBytes + payload.count <= Self.inlineLimit {
        small.append((name, Array(payload), isCompressed, plaintext.count))
        smallBytes += payload.count
      } else {
        spill()
        let place = append(name, payload, isCompressed, plaintext.count)
        entries.append(place.entry(name))
      }
    }
    return isFull ? seal() : nil
  }

  /// Adds a chunk that has another location with its pieces. Its payload is stored again, once for
  /// all chunks that begin with it, and the pieces stay in the entry.
  /// - Parameters:
  ///   - name: The name of the chunk.
  ///   - plaintext: The plaintext of the chunk.
  ///   - pieces: The pieces. There is at least one.
  /// - Returns: A full pack, to be put into the container.
  func add(
    _ name: ChunkName, _ plaintext: UnsafeRawBufferPointer, pieces: [ChunkPiece]
  ) -> SealedPack? {
    guard let first = pieces.first else { return add(name, plaintext) }
    guard names.insert(name).inserted else { return nil }
    spill()
    let start = UnsafeRawBufferPointer(rebasing: plaintext[..<first.size])
    var place =
      starts[first.before]
      ?? codec.compressed(start) { append(first.before, $0, $1, start.count) }
    starts[first.before] = place
    (place.size, place.pieces) = (plaintext.count, pieces)
    entries.append(place.entry(name))
    self.pieces += pieces.bytes
    return isFull ? seal() : nil
  }

  /// A Boolean value that indicates whether the pack, or the entries for it, are large enough.
  private var isFull: Bool { pack.count + pieces >= Self.target }

  /// The padded size of a pack with that many bytes.
  public static func stored(_ count: UInt64) -> UInt64 {
    guard let count = Int(exactly: count), count <= ChunkPlace.packLimit else { return count }
    return UInt64(max(4_096, SizeClass.padded(count)))
  }

  /// The waiting chunks as a pack; nil if there are none.
  func seal() -> SealedPack? {
    spill()
    guard let stamp, !entries.isEmpty else { return nil }
    pack += Crypto.padding(Int(Self.stored(UInt64(pack.count))) - pack.count)
    let sealed = SealedPack(stamp, owner: owner, bytes: pack, entries: entries)
    self.stamp = nil
    pack = []
    entries = []
    names = []
    (starts, pieces) = ([:], 0)
    return sealed
  }

  /// Starts again: the waiting chunks are dropped.
  func forget() {
    (small, smallBytes, names) = ([], 0, [])
    (stamp, pack, entries) = (nil, [], [])
    (starts, pieces) = ([:], 0)
  }

  /// The waiting chunks for a commit; nil if they are too large: then `seal` them.
  func inlineEntries() -> [ChunkEntry]? {
    guard pack.isEmpty else { return nil }
    let entries = small.map { chunk in
      ChunkPlace(
        position: .inline(chunk.payload), isCompressed: chunk.isCompressed, size: chunk.size
      ).entry(chunk.name)
    }
    small = []
    smallBytes = 0
    names = []
    return entries
  }

  private func spill() {
    let waiting = small
    small = []
    smallBytes = 0
    for chunk in waiting {
      let place = chunk.payload.withUnsafeBytes {
        append(chunk.name, $0, chunk.isCompressed, chunk.size)
      }
      entries.append(place.entry(chunk.name))
    }
  }

  /// Appends a payload to the pack. Returns its place.
  private func append(
    _ name: ChunkName, _ payload: UnsafeRawBufferPointer, _ isCompressed: Bool, _ size: Int
  ) -> ChunkPlace {
    let key = SecretBytes.random()
    if pack.isEmpty { pack.reserveCapacity(Self.memory) }
    let stamp = self.stamp ?? .random(generation: generation)
    self.stamp = stamp
    let offset = pack.count
    ChunkCodec.seal(payload, name: name, key: key, into: &pack)
    let range = PackRange(
      owner: owner, stamp: stamp, offset: offset, length: pack.count - offset)
    return ChunkPlace(position: .pack(range, key: key), isCompressed: isCompressed, size: size)
  }
}
