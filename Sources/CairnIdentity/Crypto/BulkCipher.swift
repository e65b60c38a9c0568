import CSodium
import CairnCipher
import CairnZone

/// XChaCha20-Poly1305 for content. Two libraries compute the same bytes: OpenSSL where it is
/// installed and the content is long enough to win by it, libsodium otherwise. XChaCha20 is
/// ChaCha20 under a key that HChaCha20 derives (draft-irtf-cfrg-xchacha), and OpenSSL has only the
/// former.
public enum BulkCipher {
  /// The library that computes.
  public enum Library: Sendable, CaseIterable { case sodium, openSSL }

  /// The length in bytes from which OpenSSL is faster, its preparation included.
  static let threshold = 4_096

  /// The library for a content of `count` bytes. OpenSSL is opened for the first long content only:
  /// a daemon that moves none doesn't load it.
  public static func library(for count: Int) -> Library {
    count >= threshold && cairn_cipher_is_available() == 1 ? .openSSL : .sodium
  }

  /// Seals `plain` into `out`, which has room for the tag.
  public static func seal(
    _ plain: UnsafeRawBufferPointer, into out: UnsafeMutableBufferPointer<UInt8>,
    key: SecretBytes, nonce: [UInt8], with associated: [UInt8], by library: Library
  ) {
    precondition(nonce.count == Crypto.nonceCount, "a nonce has 24 bytes")
    precondition(out.count == plain.count + Crypto.tagCount, "the result has a tag")
    if library == .openSSL {
      let isSealed = withSubkey(key, nonce) { key, nonce in
        cairn_cipher_seal(
          out.start, plain.bytes, plain.count, associated, associated.count, nonce, key) == 1
      }
      if isSealed { return }
    }
    key.withBytes {
      _ = crypto_aead_xchacha20poly1305_ietf_encrypt(
        out.start, nil, plain.bytes, UInt64(plain.count), associated, UInt64(associated.count),
        nil, nonce, $0)
    }
  }

  /// Opens `sealed` into `out`, which has no room for the tag.
  /// - Returns: Whether nothing was altered. Otherwise the contents of `out` must not be used.
  public static func open(
    _ sealed: UnsafeRawBufferPointer, into out: UnsafeMutableBufferPointer<UInt8>,
    key: SecretBytes, nonce: [UInt8], with associated: [UInt8], by library: Library
  ) -> Bool {
    precondition(nonce.count == Crypto.nonceCount, "a nonce has 24 bytes")
    precondition(sealed.count == out.count + Crypto.tagCount, "the input has a tag")
    if library == .openSSL {
      let result = withSubkey(key, nonce) { key, nonce in
        cairn_cipher_open(
          out.start, sealed.bytes, out.count, associated, associated.count, nonce, key)
      }
      // A failure of the library says nothing about the bytes.
      if result >= 0 { return result == 1 }
    }
    return key.withBytes {
      crypto_aead_xchacha20poly1305_ietf_decrypt(
        out.start, nil, nil, sealed.bytes, UInt64(sealed.count), associated,
        UInt64(associated.count), nonce, $0) == 0
    }
  }

  /// Passes the key and the nonce of ChaCha20 to a closure, and wipes the key.
  private static func withSubkey<Result>(
    _ key: SecretBytes, _ nonce: [UInt8],
    _ body: (UnsafePointer<UInt8>, UnsafePointer<UInt8>) -> Result
  ) -> Result {
    let subkey = SecretBytes { memory in
      let out = memory.bindMemory(to: UInt8.self)
      key.withBytes { _ = crypto_core_hchacha20(out.start, nonce, $0, nil) }
    }
    let rest = [UInt8](repeating: 0, count: 4) + nonce[16...]
    return subkey.withBytes { key in body(key, rest) }
  }
}
