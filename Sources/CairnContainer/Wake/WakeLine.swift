import CairnIdentity
import CairnZone

/// The channel for push messages from one device to a listening one (cairn-container(5)). Both ends
/// derive its keys without communication: each has the secret of one key and knows the other's
/// public key. A push message is one datagram of fixed size, and the listener knows its first bytes
/// in advance.
public struct WakeLine: Sendable {
  /// The size of a datagram in bytes.
  public static let count = 128
  /// The maximum number of topics in a datagram.
  public static let mostTags = 16
  private static let tagCount = 16
  private static let plainCount = count - tagCount - Crypto.nonceCount - Crypto.tagCount

  private let tagKey: SecretBytes
  private let sealKey: SecretBytes

  /// Creates a channel.
  /// - Parameters:
  ///   - pair: The shared secret of the listening device and the sender's person.
  ///   - sender: The sending device.
  ///   - container: The container of both.
  init(_ pair: WakePair, from sender: DeviceID, in container: ContainerID) {
    let parts = [container.bytes, sender.bytes]
    tagKey = Crypto.derive("cairn wake tag key v1", from: pair.secret, parts)
    sealKey = Crypto.derive("cairn wake seal key v1", from: pair.secret, parts)
  }

  /// The first bytes of a datagram that is sent in a second since 1970.
  func tag(at second: Int64) -> Bytes16 {
    let digest = Crypto.digest(
      "cairn wake tag v1", secret: tagKey, Crypto.number(UInt64(bitPattern: second)))
    guard let tag = Bytes16(digest.bytes.prefix(Self.tagCount)) else {
      preconditionFailure("16 bytes make a tag")
    }
    return tag
  }

  /// Creates a push message.
  /// - Parameters:
  ///   - tags: The topics of the changed zones; the first `mostTags` of them.
  ///   - second: The time of sending in seconds since 1970: at most one message in each.
  /// - Returns: the datagram.
  public func seal(_ tags: [UInt32], at second: Int64) -> [UInt8] {
    let tag = tag(at: second).bytes
    let nonce = Crypto.random(Crypto.nonceCount)
    return tag + nonce
      + Crypto.seal(Self.encode(tags), key: sealKey, nonce: nonce, with: tag)
  }

  /// Opens a datagram with a known beginning; nil if it is another sender's.
  func open(_ datagram: [UInt8]) -> [UInt32]? {
    guard datagram.count == Self.count else { return nil }
    let (tag, rest) = (Array(datagram.prefix(Self.tagCount)), datagram.dropFirst(Self.tagCount))
    let nonce = Array(rest.prefix(Crypto.nonceCount))
    let sealed = Array(rest.dropFirst(Crypto.nonceCount))
    return Crypto.open(sealed, key: sealKey, nonce: nonce, with: tag).flatMap { Self.decode($0) }
  }

  /// The count, then four bytes each, then zeros.
  static func encode(_ tags: [UInt32]) -> [UInt8] {
    let tags = tags.prefix(mostTags)
    let numbers = tags.flatMap { tag in
      [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: tag >> UInt32($0)) }
    }
    let padding = plainCount - 1 - numbers.count
    return [UInt8(tags.count)] + numbers + [UInt8](repeating: 0, count: padding)
  }

  /// Decodes such a list; nil for anything else.
  static func decode(_ plain: [UInt8]) -> [UInt32]? {
    guard plain.count == plainCount, let number = plain.first, number <= mostTags else {
      return nil
    }
    let end = 1 + 4 * Int(number)
    guard plain[end...].allSatisfy({ $0 == 0 }) else { return nil }
    return stride(from: 1, to: end, by: 4).map { start in
      plain[start..<start + 4].reduce(0) { $0 << 8 | UInt32($1) }
    }
  }
}

/// The shared secret of a listening device and a person. Each side computes it from its own secret
/// and the other's public key.
struct WakePair: Sendable {
  let secret: SecretBytes

  /// Creates a secret; nil for an invalid key, which a hostile person may publish.
  init?(_ own: BoxKey, _ other: Bytes32) {
    guard let secret = own.agree(with: other) else { return nil }
    self.secret = secret
  }
}
