import CZstd
import CairnIdentity
import CairnZone

/// Seals the parts of a snapshot with a key of the zone, and opens them. It knows bytes and no
/// store.
enum SnapshotSeal {
  /// The maximum size of a part before sealing, in bytes: one element of an entry.
  static let limit = EntryCodec.limit + 1_024
  /// The maximum size of such an object, in bytes.
  static let sealedLimit = limit + 1 + Crypto.nonceCount + Crypto.tagCount

  /// The form of an opened part, by its first byte.
  private enum Form: UInt8 {
    case plain = 0
    case compressed = 1
    case node = 2
  }

  /// Seals a piece as an object.
  static func seal(_ piece: StateDigest.Piece, _ zone: ZoneID, _ key: ZoneKey) -> [UInt8] {
    let plain: [UInt8]
    switch piece {
    case .part(let bytes):
      plain =
        compressed(bytes).map { [Form.compressed.rawValue] + $0 } ?? [Form.plain.rawValue] + bytes
    case .node(let parts): plain = [Form.node.rawValue] + parts.flatMap(\.bytes)
    }
    return sealed(plain, about: piece.digest.bytes, zone, key)
  }

  /// The piece with that digest; nil for an invalid object.
  static func open(
    _ object: [UInt8], as digest: Bytes32, _ zone: ZoneID, _ key: ZoneKey
  ) -> StateDigest.Piece? {
    guard let plain = opened(object, about: digest.bytes, zone, key), let first = plain.first,
      let form = Form(rawValue: first)
    else { return nil }
    let rest = Array(plain.dropFirst())
    let piece: StateDigest.Piece
    switch form {
    case .plain: piece = .part(rest)
    case .compressed:
      guard let bytes = decompressed(rest) else { return nil }
      piece = .part(bytes)
    case .node:
      guard rest.count == 16 * 32 else { return nil }
      piece = .node(
        stride(from: 0, to: rest.count, by: 32).map { Crypto.bytes32(Array(rest[$0..<$0 + 32])) })
    }
    return piece.digest == digest ? piece : nil
  }

  /// Seals bytes as an object with a context.
  static func sealed(
    _ plain: [UInt8], about: [UInt8], _ zone: ZoneID, _ key: ZoneKey
  ) -> [UInt8] {
    let nonce = Crypto.random(Crypto.nonceCount)
    return nonce
      + Crypto.seal(
        plain, key: sealingKey(key), nonce: nonce, with: associated(zone, key, about))
  }

  /// The input of `sealed`; nil for an invalid object.
  static func opened(
    _ object: [UInt8], about: [UInt8], _ zone: ZoneID, _ key: ZoneKey
  ) -> [UInt8]? {
    guard object.count > Crypto.nonceCount else { return nil }
    return Crypto.open(
      Array(object.dropFirst(Crypto.nonceCount)), key: sealingKey(key),
      nonce: Array(object.prefix(Crypto.nonceCount)), with: associated(zone, key, about))
  }

  private static func sealingKey(_ key: ZoneKey) -> SecretBytes {
    Crypto.derive("cairn snapshot key v1", from: key.secret)
  }

  private static func associated(_ zone: ZoneID, _ key: ZoneKey, _ about: [UInt8]) -> [UInt8] {
    Crypto.prefix("cairn snapshot v1") + zone.bytes + Crypto.number(key.epoch) + about
  }

  // MARK: Compression

  /// One zstd frame with its content size; nil if it is not shorter.
  private static func compressed(_ bytes: [UInt8]) -> [UInt8]? {
    var size = 0
    let frame = [UInt8](unsafeUninitializedCapacity: ZSTD_compressBound(bytes.count)) {
      buffer, initialized in
      size = ZSTD_compress(buffer.baseAddress, buffer.count, bytes, bytes.count, 3)
      initialized = ZSTD_isError(size) == 0 ? size : 0
    }
    return !frame.isEmpty && frame.count < bytes.count ? frame : nil
  }

  private static func decompressed(_ frame: [UInt8]) -> [UInt8]? {
    let size = ZSTD_getFrameContentSize(frame, frame.count)
    // An unknown size, or an invalid frame, is a number above all others.
    guard size <= UInt64(limit) else { return nil }
    var isWhole = false
    let bytes = [UInt8](unsafeUninitializedCapacity: max(Int(size), 1)) { buffer, initialized in
      isWhole = ZSTD_decompress(buffer.baseAddress, Int(size), frame, frame.count) == Int(size)
      initialized = isWhole ? Int(size) : 0
    }
    return isWhole ? bytes : nil
  }
}
