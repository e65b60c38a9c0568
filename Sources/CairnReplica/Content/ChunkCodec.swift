import CZstd
import CairnIdentity
import CairnZone
import Synchronization

/// Compresses and seals single chunks, and opens them. It keeps its contexts and buffers, so it has
/// one owner.
final class ChunkCodec {
  // Created on first use: a reader compresses nothing, and an inspection needs neither.
  private var compressor: OpaquePointer?
  private var decompressor: OpaquePointer?
  private var scratch: UnsafeMutableRawBufferPointer?
  private static let associated = Crypto.prefix("cairn chunk v1")
  private static let noNonce = [UInt8](repeating: 0, count: Crypto.nonceCount)

  init() { Crypto.start() }

  /// An unused decompressor of zstd. Creating one takes longer than opening a small chunk, and many
  /// readers open only one.
  ///
  /// `@unchecked Sendable`: only the caller that took it out of the mutex has it.
  private struct Spare: @unchecked Sendable {
    var decompressor: OpaquePointer?
  }

  private static let spare = Mutex(Spare())

  deinit {
    // zstd accepts nil here.
    ZSTD_freeCCtx(compressor)
    let unneeded = Self.spare.withLock { spare in
      let former = Spare(decompressor: spare.decompressor)
      if let decompressor { spare.decompressor = decompressor }
      return decompressor == nil ? Spare() : former
    }
    ZSTD_freeDCtx(unneeded.decompressor)
    scratch?.deallocate()
  }

  private func startCompressing() -> (OpaquePointer, UnsafeMutableRawBufferPointer) {
    if let compressor, let scratch { return (compressor, scratch) }
    guard let made = ZSTD_createCCtx() else { preconditionFailure("no memory for zstd") }
    let room = UnsafeMutableRawBufferPointer.allocate(
      byteCount: ZSTD_compressBound(Chunker.maximum), alignment: 64)
    (compressor, scratch) = (made, room)
    return (made, room)
  }

  private func startDecompressing() -> OpaquePointer {
    if let decompressor { return decompressor }
    let spare = Self.spare.withLock { spare in
      defer { spare.decompressor = nil }
      return Spare(decompressor: spare.decompressor)
    }
    guard let made = spare.decompressor ?? ZSTD_createDCtx() else {
      preconditionFailure("no memory for zstd")
    }
    decompressor = made
    return made
  }

  /// Passes the shorter of the plaintext and its compressed form to a closure. Compression counts
  /// only if it saves a thirty-second part.
  func compressed<Result>(
    _ plain: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer, Bool) -> Result
  ) -> Result {
    let (compressor, scratch) = startCompressing()
    let size = ZSTD_compressCCtx(
      compressor, scratch.baseAddress, scratch.count, plain.baseAddress, plain.count, 1)
    guard ZSTD_isError(size) == 0, size <= plain.count - plain.count / 32, size < plain.count else {
      return body(plain, false)
    }
    return body(UnsafeRawBufferPointer(rebasing: scratch[..<size]), true)
  }

  /// The compressed form at a level of zstd; nil on failure.
  func compressed(_ plain: UnsafeRawBufferPointer, level: Int32) -> [UInt8]? {
    let (compressor, scratch) = startCompressing()
    let size = ZSTD_compressCCtx(
      compressor, scratch.baseAddress, scratch.count, plain.baseAddress, plain.count, level)
    guard ZSTD_isError(size) == 0 else { return nil }
    return [UInt8](scratch[..<size])
  }

  /// Appends the sealed payload to `pack`.
  static func seal(
    _ payload: UnsafeRawBufferPointer, name: ChunkName, key: SecretBytes, into pack: inout [UInt8]
  ) {
    let length = payload.count + Crypto.tagCount
    let with = associated + name.bytes
    pack.append(addingCapacity: length) { room in
      room.withUnsafeMutableBufferPointer { buffer, initialized in
        BulkCipher.seal(
          payload, into: UnsafeMutableBufferPointer(rebasing: buffer[..<length]), key: key,
          nonce: noNonce, with: with, by: BulkCipher.library(for: payload.count))
        initialized = length
      }
    }
  }

  /// Opens a sealed payload; nil if it was altered.
  static func open(
    _ sealed: UnsafeRawBufferPointer, name: ChunkName, key: SecretBytes
  ) -> [UInt8]? {
    guard sealed.count > Crypto.tagCount else { return nil }
    let count = sealed.count - Crypto.tagCount
    let with = associated + name.bytes
    var isOpen = false
    let plain = [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
      isOpen = BulkCipher.open(
        sealed, into: UnsafeMutableBufferPointer(rebasing: buffer[..<count]), key: key,
        nonce: noNonce, with: with, by: BulkCipher.library(for: count))
      initialized = isOpen ? count : 0
    }
    return isOpen ? plain : nil
  }

  /// The plaintext of a payload, after checking its size and its name; nil if it is another chunk.
  func plaintext(
    of payload: [UInt8], isCompressed: Bool, size: Int, name: ChunkName
  ) -> [UInt8]? {
    let plain: [UInt8]
    if isCompressed {
      // The buffer has the stated size: a larger frame is an error, never more memory.
      let decompressor = startDecompressing()
      var result = 0
      plain = [UInt8](unsafeUninitializedCapacity: size) { buffer, initialized in
        result = ZSTD_decompressDCtx(
          decompressor, buffer.baseAddress, size, payload, payload.count)
        initialized = ZSTD_isError(result) == 0 ? result : 0
      }
    } else {
      plain = payload
    }
    guard plain.count == size else { return nil }
    return plain.withUnsafeBytes { ChunkName.digest(of: $0) } == name ? plain : nil
  }
}
