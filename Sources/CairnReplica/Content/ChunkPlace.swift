import CairnIdentity
import CairnStore
import CairnWire
import CairnZone
import FoundationEssentials

extension PackStamp {
  /// Creates the stamp of a new pack.
  static func random(generation: UInt32) -> PackStamp {
    PackStamp(pack: PackName(.random()), generation: generation)
  }

  /// The stamp of its owner's pack; nil if the key is not a pack's.
  public init?(key: ObjectKey, owner: UserID) {
    let parts = key.description.split(separator: "/")
    guard parts.count == 6, let name = readHexadecimal(Array(parts[5].utf8)),
      let pack = PackName(bytes: name), let digits = readHexadecimal(Array(parts[3].utf8)),
      digits.count == 4
    else { return nil }
    self.init(pack: pack, generation: digits.reduce(0) { $0 << 8 | UInt32($1) })
    guard self.key(owner: owner) == key else { return nil }
  }

  /// The folder of all packs of a generation, without a slash at its end.
  public static func folder(of generation: UInt32, owner: UserID) -> String {
    let digits = hexadecimal((0..<4).map { UInt8(truncatingIfNeeded: generation >> (24 - 8 * $0)) })
    return "\(ObjectKind.packs.path(owner))/\(digits)"
  }

  /// The object's key.
  func key(owner: UserID) -> ObjectKey {
    let name = hexadecimal(pack.bytes)
    let folder = Self.folder(of: generation, owner: owner)
    guard let key = ObjectKey("\(folder)/\(name.prefix(2))/\(name)") else {
      preconditionFailure("a pack key that isn't a key")
    }
    return key
  }
}

/// A range of bytes in a pack.
public struct PackRange: Hashable, Sendable {
  var owner: UserID
  /// The pack and its generation.
  public var stamp: PackStamp
  var offset: Int
  var length: Int

  /// The key of the pack.
  public var key: ObjectKey { stamp.key(owner: owner) }
}

/// The location of a chunk's bytes and the means to open them: `ChunkEntry.pack` and `place`,
/// decoded.
struct ChunkPlace: Sendable, Equatable {
  enum Position: Sendable, Equatable {
    /// In the commit itself.
    case inline([UInt8])
    /// In a pack, sealed under this key.
    case pack(PackRange, key: SecretBytes)
  }

  var position: Position
  /// A Boolean value that indicates whether the payload at the position is compressed.
  var isCompressed: Bool
  /// The number of plaintext bytes.
  var size: Int
  /// The bytes behind the payload, which is that of the first piece's chunk if there are pieces.
  var pieces: [ChunkPiece] = []

  /// The maximum offset of a chunk in a pack, in bytes.
  static let furthest = 64 << 20
  /// The maximum end of a chunk. Nobody reads a pack behind it.
  static let packLimit = furthest + Chunker.maximum + Crypto.tagCount

  init(position: Position, isCompressed: Bool, size: Int, pieces: [ChunkPiece] = []) {
    self.position = position
    self.isCompressed = isCompressed
    self.size = size
    self.pieces = pieces
  }

  /// Reads and checks an entry, which comes from others.
  init(_ entry: ChunkEntry) throws(FormatError) {
    let what = "chunk place"
    let wire = try StoredMessage.decode(
      entry.place, as: WireChunkPlace.self, what, limit: 2 * Chunker.maximum)
    guard entry.size > 0, entry.size <= Chunker.maximum else {
      throw FormatError(what, "a chunk has 1 to \(Chunker.maximum) bytes")
    }
    size = Int(entry.size)
    pieces = try [ChunkPiece](wire.pieces, of: size)
    let stored = pieces.first?.size ?? size
    switch wire.compression {
    case .none: isCompressed = false
    case .zstd: isCompressed = true
    case .UNRECOGNIZED: throw FormatError.newer(what)
    case .unspecified: throw FormatError(what, "an unknown compression")
    }
    switch wire.position {
    case .inline(let data)?:
      guard data.count <= stored, wire.key.isEmpty, entry.pack == nil else {
        throw FormatError(what, "too large, or with what belongs to a pack")
      }
      position = .inline([UInt8](data))
    case .pack(let range)?:
      guard let owner = UserID(bytes: range.owner), let stamp = entry.pack,
        let key = SecretBytes([UInt8](wire.key)), range.offset <= Self.furthest,
        range.length <= stored + Crypto.tagCount, range.length > Crypto.tagCount
      else { throw FormatError(what, "a range that can't be") }
      position = .pack(
        PackRange(
          owner: owner, stamp: stamp,
          offset: Int(range.offset), length: Int(range.length)), key: key)
    case nil: throw FormatError(what, "it doesn't say where")
    }
  }

  /// The place of the payload, without the pieces, and the name of the chunk whose payload it is.
  func start(_ name: ChunkName) -> (name: ChunkName, place: ChunkPlace) {
    guard let first = pieces.first else { return (name, self) }
    return (
      first.before,
      ChunkPlace(position: position, isCompressed: isCompressed, size: first.size)
    )
  }

  /// The entry of a chunk at this location.
  func entry(_ name: ChunkName) -> ChunkEntry {
    var entry = ChunkEntry(name: name, size: UInt32(size), place: encoded())
    if case .pack(let range, _) = position { entry.pack = range.stamp }
    return entry
  }

  /// The value of `ChunkEntry.place`.
  func encoded() -> [UInt8] {
    var wire = WireChunkPlace()
    wire.compression = isCompressed ? .zstd : .none
    switch position {
    case .inline(let bytes): wire.inline = .init(bytes)
    case .pack(let range, let key):
      wire.pack.owner = .init(range.owner.bytes)
      wire.pack.offset = UInt64(range.offset)
      wire.pack.length = UInt32(range.length)
      wire.key = .init(key.copy())
    }
    wire.pieces = pieces.map { WireChunkPiece($0) }
    return StoredMessage.encode(wire)
  }
}
