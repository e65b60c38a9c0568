import CairnCipher
import CairnZone
import Testing

@testable import CairnIdentity

/// Both libraries must compute the same bytes: a person with OpenSSL shares with one without.
@Suite struct BulkCipherTests {
  private static let sizes = [
    0, 1, 15, 16, 17, 63, 64, 65, 255, 256, 257, 511, 1_023, BulkCipher.threshold - 1,
    BulkCipher.threshold, BulkCipher.threshold + 1, 65_537, 1 << 20,
  ]

  private static func bytes(_ hexadecimal: String) -> [UInt8] {
    let digits = hexadecimal.compactMap(\.hexDigitValue)
    return stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] * 16 + digits[$0 + 1]) }
  }

  private static func seal(
    _ plain: [UInt8], key: SecretBytes, nonce: [UInt8], with associated: [UInt8],
    by library: BulkCipher.Library
  ) -> [UInt8] {
    plain.withUnsafeBytes { plain in
      [UInt8](unsafeUninitializedCapacity: plain.count + Crypto.tagCount) { buffer, initialized in
        let out = UnsafeMutableBufferPointer(rebasing: buffer[..<(plain.count + Crypto.tagCount)])
        BulkCipher.seal(plain, into: out, key: key, nonce: nonce, with: associated, by: library)
        initialized = out.count
      }
    }
  }

  private static func open(
    _ sealed: [UInt8], key: SecretBytes, nonce: [UInt8], with associated: [UInt8],
    by library: BulkCipher.Library
  ) -> [UInt8]? {
    var plain = [UInt8](repeating: 0, count: sealed.count - Crypto.tagCount + 1)
    let isOpen = sealed.withUnsafeBytes { sealed in
      plain.withUnsafeMutableBufferPointer { buffer in
        BulkCipher.open(
          sealed, into: UnsafeMutableBufferPointer(rebasing: buffer.dropLast()), key: key,
          nonce: nonce, with: associated, by: library)
      }
    }
    return isOpen ? plain.dropLast() : nil
  }

  @Test func `OpenSSL is found on the machine that runs the tests`() {
    // Otherwise the other tests would compare libsodium with itself.
    #expect(cairn_cipher_is_available() == 1)
    #expect(BulkCipher.library(for: BulkCipher.threshold) == .openSSL)
    #expect(BulkCipher.library(for: BulkCipher.threshold - 1) == .sodium)
  }

  /// draft-irtf-cfrg-xchacha-03, A.3.1.
  @Test(arguments: BulkCipher.Library.allCases)
  func `the vector of the standard comes out`(_ library: BulkCipher.Library) throws {
    let key = try #require(SecretBytes((0x80...0x9f).map { UInt8($0) }))
    let nonce = (0x40...0x57).map { UInt8($0) }
    let associated = Self.bytes("50515253c0c1c2c3c4c5c6c7")
    let plain =
      Array(
        "Ladies and Gentlemen of the class of '99: If I could offer you only one tip for the "
          .utf8)
      + Array("future, sunscreen would be it.".utf8)
    let sealed = Self.bytes(
      "bd6d179d3e83d43b9576579493c0e939572a1700252bfaccbed2902c21396cbb731c7f1b0b4aa6440bf3a82f"
        + "4eda7e39ae64c6708c54c216cb96b72e1213b4522f8c9ba40db5d945b11b69b982c1bb9e3f3fac2bc369"
        + "488f76b2383565d3fff921f9664c97637da9768812f615c68b13b52e"
        + "c0875924c1c7987947deafd8780acf49")
    #expect(
      Self.seal(plain, key: key, nonce: nonce, with: associated, by: library) == sealed)
    #expect(
      Self.open(sealed, key: key, nonce: nonce, with: associated, by: library) == plain)
  }

  @Test(arguments: sizes)
  func `either library opens what the other sealed`(_ size: Int) {
    let (key, nonce) = (SecretBytes.random(), Crypto.random(Crypto.nonceCount))
    let (plain, associated) = (Crypto.random(size + 1).dropLast(), Crypto.random(45))
    let results = BulkCipher.Library.allCases.map {
      Self.seal(Array(plain), key: key, nonce: nonce, with: associated, by: $0)
    }
    #expect(results[0] == results[1])
    for library in BulkCipher.Library.allCases {
      #expect(
        Self.open(results[0], key: key, nonce: nonce, with: associated, by: library)
          == Array(plain))
    }
  }

  @Test(arguments: BulkCipher.Library.allCases)
  func `an altered byte is found wherever it is`(_ library: BulkCipher.Library) throws {
    let (key, nonce) = (SecretBytes.random(), Crypto.random(Crypto.nonceCount))
    let (plain, associated) = (Crypto.random(300), Crypto.random(45))
    let sealed = Self.seal(plain, key: key, nonce: nonce, with: associated, by: library)
    func opens(_ sealed: [UInt8], _ nonce: [UInt8], _ associated: [UInt8]) -> Bool {
      Self.open(sealed, key: key, nonce: nonce, with: associated, by: library) != nil
    }
    func altered(_ bytes: [UInt8], at place: Int) -> [UInt8] {
      var bytes = bytes
      bytes[place] ^= 1
      return bytes
    }
    #expect(opens(sealed, nonce, associated))
    for place in sealed.indices { #expect(!opens(altered(sealed, at: place), nonce, associated)) }
    for place in nonce.indices { #expect(!opens(sealed, altered(nonce, at: place), associated)) }
    for place in associated.indices {
      #expect(!opens(sealed, nonce, altered(associated, at: place)))
    }
    #expect(!opens(sealed, nonce, Array(associated.dropLast())))
  }
}
