import CSodium
import CairnZone

/// The few constructions of libsodium that Cairn uses, without any of its own. Every hash,
/// signature and seal begins with a context, so none can pass for another kind.
public enum Crypto {
  /// The size of a signature in bytes.
  public static let signatureCount = 64
  /// The size of a nonce in bytes.
  public static let nonceCount = 24
  /// The size in bytes by which sealing makes a text longer.
  public static let tagCount = 16
  /// The overhead of an anonymous sealed box.
  public static let boxOverhead = 48

  private static let started: Void = {
    precondition(sodium_init() >= 0, "libsodium can't start: no source of random bytes")
  }()

  /// Initializes libsodium before any other call; afterwards it costs one load.
  public static func start() { _ = started }

  /// Creates random bytes.
  public static func random(_ count: Int) -> [UInt8] {
    start()
    return [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
      randombytes_buf(buffer.start, count)
      initialized = count
    }
  }

  /// Random bytes that only fill a length: the keystream of a fresh key, which the host can't tell
  /// from a seal. The kernel's random source takes five times as long.
  public static func padding(_ count: Int) -> [UInt8] {
    let key = SecretBytes.random()
    let noNonce = [UInt8](repeating: 0, count: nonceCount)
    return [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
      key.withBytes { _ = crypto_stream_xchacha20(buffer.start, UInt64(count), noNonce, $0) }
      initialized = count
    }
  }

  /// One byte with the length of the context, and the context.
  public static func prefix(_ context: String) -> [UInt8] {
    let bytes = Array(context.utf8)
    precondition(bytes.count < 256, "contexts are short")
    return [UInt8(bytes.count)] + bytes
  }

  /// BLAKE2b-256 over the context and the parts, in order and without copying.
  public static func digest(_ context: String, _ parts: [UInt8]...) -> Bytes32 {
    digest(context, parts: parts)
  }

  /// The digest of parts, one after the other, for one purpose.
  public static func digest(_ context: String, parts: [[UInt8]]) -> Bytes32 {
    let bytes = [UInt8](unsafeUninitializedCapacity: 32) { buffer, initialized in
      hash(context, parts: parts, secret: nil, into: buffer.start)
      initialized = 32
    }
    return bytes32(bytes)
  }

  /// The same over a secret and public parts.
  public static func digest(_ context: String, secret: SecretBytes, _ parts: [UInt8]...) -> Bytes32
  {
    let bytes = [UInt8](unsafeUninitializedCapacity: 32) { buffer, initialized in
      hash(context, parts: parts, secret: secret, into: buffer.start)
      initialized = 32
    }
    return bytes32(bytes)
  }

  /// Derives a key for another purpose from a key and public parts.
  public static func derive(
    _ context: String, from secret: SecretBytes, _ parts: [[UInt8]] = []
  ) -> SecretBytes {
    SecretBytes {
      hash(context, parts: parts, secret: secret, into: $0.bindMemory(to: UInt8.self).start)
    }
  }

  private static func hash(
    _ context: String, parts: [[UInt8]], secret: SecretBytes?,
    into out: UnsafeMutablePointer<UInt8>
  ) {
    start()
    // The state needs an alignment that Swift does not give to a local of an imported type.
    let size = crypto_generichash_statebytes()
    let memory = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 64)
    defer {
      sodium_memzero(memory, size)
      memory.deallocate()
    }
    let state = OpaquePointer(memory)
    crypto_generichash_init(state, nil, 0, 32)
    let head = prefix(context)
    crypto_generichash_update(state, head, UInt64(head.count))
    secret?.withBytes {
      _ = crypto_generichash_update(state, $0, UInt64(SecretBytes.count))
    }
    for part in parts { crypto_generichash_update(state, part, UInt64(part.count)) }
    crypto_generichash_final(state, out, 32)
  }

  /// Converts a result of fixed size.
  public static func bytes32(_ bytes: [UInt8]) -> Bytes32 {
    guard let value = Bytes32(bytes) else { preconditionFailure("not 32 bytes") }
    return value
  }

  /// Eight bytes, big-endian: the form of numbers in everything hashed and signed.
  public static func number(_ value: UInt64) -> [UInt8] {
    (0..<8).map { UInt8(truncatingIfNeeded: value >> (56 - 8 * UInt64($0))) }
  }

  /// XChaCha20-Poly1305 with its tag at the end.
  public static func seal(
    _ plain: [UInt8], key: SecretBytes, nonce: [UInt8], with associated: [UInt8]
  ) -> [UInt8] {
    precondition(nonce.count == nonceCount, "a nonce has 24 bytes")
    start()
    let count = plain.count + tagCount
    return [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
      key.withBytes {
        _ = crypto_aead_xchacha20poly1305_ietf_encrypt(
          buffer.start, nil, plain, UInt64(plain.count), associated,
          UInt64(associated.count), nil, nonce, $0)
      }
      initialized = count
    }
  }

  /// Opens a result of `seal`; nil if any byte, the key, the nonce or the associated data differ.
  public static func open(
    _ sealed: [UInt8], key: SecretBytes, nonce: [UInt8], with associated: [UInt8]
  ) -> [UInt8]? {
    guard nonce.count == nonceCount, sealed.count >= tagCount else { return nil }
    start()
    let count = sealed.count - tagCount
    var isOpen = false
    let plain = [UInt8](unsafeUninitializedCapacity: max(count, 1)) { buffer, initialized in
      let result = key.withBytes {
        crypto_aead_xchacha20poly1305_ietf_decrypt(
          buffer.start, nil, nil, sealed, UInt64(sealed.count), associated,
          UInt64(associated.count), nonce, $0)
      }
      isOpen = result == 0
      initialized = isOpen ? count : 0
    }
    return isOpen ? plain : nil
  }
}
