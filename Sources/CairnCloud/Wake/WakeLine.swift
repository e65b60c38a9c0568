import CairnZone

/// The way of wake-ups from one device to one that listens (cairn-container(5)). Both ends can tell
/// its keys without a word between them: each has the secret of one key and knows the other's. A
/// wake-up is one datagram of one size, whose first bytes the listener knows before it comes.
public struct WakeLine: Sendable {
  /// The bytes of a datagram.
  public static let count = 128
  /// The most tags of zones that one names.
  public static let mostTags = 16
  private static let tagCount = 16
  private static let plainCount = count - tagCount - Crypto.nonceCount - Crypto.tagCount

  private let tagKey: SecretBytes
  private let sealKey: SecretBytes

  /// - Parameters:
  ///   - pair: What the listening device and the sender's person share.
  ///   - sender: The device that sends.
  ///   - container: In which both are.
  init(_ pair: WakePair, from sender: DeviceID, in container: ContainerID) {
    let parts = [container.bytes, sender.bytes]
    tagKey = Crypto.derive("cairn wake tag key v1", from: pair.secret, parts)
    sealKey = Crypto.derive("cairn wake seal key v1", from: pair.secret, parts)
  }

  /// What a datagram begins with that is sent in a second since 1970.
  func tag(at second: Int64) -> Bytes16 {
    let digest = Crypto.digest(
      "cairn wake tag v1", secret: tagKey, Crypto.number(UInt64(bitPattern: second)))
    guard let tag = Bytes16(digest.bytes.prefix(Self.tagCount)) else {
      preconditionFailure("16 bytes make a tag")
    }
    return tag
  }

  /// A wake-up.
  /// - Parameters:
  ///   - tags: The tags of bells of the zones where something is new; of more than `mostTags` the
  ///     first.
  ///   - second: When it is sent, in seconds since 1970: at most one in each.
  /// - Returns: the datagram.
  public func seal(_ tags: [UInt32], at second: Int64) -> [UInt8] {
    let tag = tag(at: second).bytes
    let nonce = Crypto.random(Crypto.nonceCount)
    return tag + nonce
      + Crypto.seal(Self.encode(tags), key: sealKey, nonce: nonce, with: tag)
  }

  /// Opens a datagram that came under a tag of this line; nil if it is somebody else's.
  func open(_ datagram: [UInt8]) -> [UInt32]? {
    guard datagram.count == Self.count else { return nil }
    let (tag, rest) = (Array(datagram.prefix(Self.tagCount)), datagram.dropFirst(Self.tagCount))
    let nonce = Array(rest.prefix(Crypto.nonceCount))
    let sealed = Array(rest.dropFirst(Crypto.nonceCount))
    return Crypto.open(sealed, key: sealKey, nonce: nonce, with: tag).flatMap { Self.decode($0) }
  }

  /// How many, then four bytes each, then zeros.
  static func encode(_ tags: [UInt32]) -> [UInt8] {
    let tags = tags.prefix(mostTags)
    let numbers = tags.flatMap { tag in
      [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: tag >> UInt32($0)) }
    }
    let padding = plainCount - 1 - numbers.count
    return [UInt8(tags.count)] + numbers + [UInt8](repeating: 0, count: padding)
  }

  /// Reads such a list; nil for anything else.
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

/// What a device that listens and a person share without a word: each computes it from a secret of
/// its own and from what everybody knows of the other.
struct WakePair: Sendable {
  let secret: SecretBytes

  /// Nil for a key that is none, as somebody hostile may publish it.
  init?(_ own: BoxKey, _ other: Bytes32) {
    guard let secret = own.agree(with: other) else { return nil }
    self.secret = secret
  }
}
