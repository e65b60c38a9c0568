import CairnWire
import CairnZone

/// Bytes of a chunk behind another chunk, with which it begins: `ChunkPiece` of content.proto,
/// decoded. A file that grows by a line stores the line, and not its last chunk again.
struct ChunkPiece: Sendable, Equatable {
  /// The chunk before these bytes.
  var before: ChunkName
  /// The number of plaintext bytes before.
  var size: Int
  /// The added bytes: one zstd frame, with the plaintext before as its dictionary.
  var added: [UInt8]

  /// The maximum number of pieces of a chunk.
  static let most = 64
  /// The maximum number of bytes of all pieces of a chunk.
  static let limit = 64 << 10
  /// The number of bytes of a payload up to which a chunk that grows is stored in a commit as a
  /// whole, and not in a pack. A pack has at least 4096 bytes, and is another object to put.
  static let leastPacked = 8 << 10
  /// The number of plaintext bytes up to which a chunk that grows needs no pack. Such files are
  /// still sent while a container accepts no packs.
  static let leastPlain = 32 << 10

  init(before: ChunkName, size: Int, added: [UInt8]) {
    (self.before, self.size, self.added) = (before, size, added)
  }

  init(_ wire: WireChunkPiece) throws(FormatError) {
    guard let before = ChunkName(bytes: [UInt8](wire.before)) else { throw Self.wrong }
    (self.before, size, added) = (before, Int(wire.size), [UInt8](wire.added))
  }

  fileprivate static let wrong = FormatError("chunk place", "pieces that can't be")
}

extension [ChunkPiece] {
  /// Reads and checks the pieces of a chunk with that many plaintext bytes.
  init(_ wire: [WireChunkPiece], of size: Int) throws(FormatError) {
    guard wire.count <= ChunkPiece.most else { throw ChunkPiece.wrong }
    self = []
    for piece in wire { append(try ChunkPiece(piece)) }
    let sizes = [0] + map(\.size) + [size]
    guard zip(sizes, sizes.dropFirst()).allSatisfy(<), allSatisfy({ !$0.added.isEmpty }),
      bytes <= ChunkPiece.limit
    else { throw ChunkPiece.wrong }
  }

  /// The number of bytes of all pieces.
  var bytes: Int { reduce(0) { $0 + $1.added.count } }

  /// Decides about another piece. All pieces are in each state of the zone that has the chunk, so
  /// they never have more bytes than the payload before them.
  /// - Parameters:
  ///   - piece: The other piece.
  ///   - payload: The number of bytes of the payload before all pieces.
  /// - Returns: Whether the piece is worth it; otherwise the whole chunk is stored.
  func takes(_ piece: ChunkPiece, payload: Int) -> Bool {
    count < ChunkPiece.most
      && bytes + piece.added.count <= Swift.min(payload, ChunkPiece.limit)
  }
}

extension WireChunkPiece {
  init(_ piece: ChunkPiece) {
    self.init()
    before = .init(piece.before.bytes)
    size = UInt32(piece.size)
    added = .init(piece.added)
  }
}
