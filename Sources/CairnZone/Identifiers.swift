/// Sixteen bytes that name something, compared as an unsigned big-endian number.
public struct Bytes16: Hashable, Comparable, Sendable {
  @usableFromInline let high: UInt64
  @usableFromInline let low: UInt64

  /// Makes a value from exactly sixteen bytes; anything else gives nil.
  @inlinable
  public init?(_ bytes: some Collection<UInt8>) {
    guard bytes.count == 16 else { return nil }
    // One load for each half, where the bytes lie side by side.
    if let value = bytes.withContiguousStorageIfAvailable({ Bytes16(UnsafeRawBufferPointer($0)) }) {
      self = value
      return
    }
    var high: UInt64 = 0
    var low: UInt64 = 0
    var index = 0
    for byte in bytes {
      if index < 8 { high = high << 8 | UInt64(byte) } else { low = low << 8 | UInt64(byte) }
      index += 1
    }
    self.init(high: high, low: low)
  }

  @usableFromInline
  init(_ bytes: UnsafeRawBufferPointer) {
    high = UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self))
    low = UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
  }

  /// Makes a value from its two big-endian halves.
  @inlinable
  public init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  /// The sixteen bytes, most significant first.
  public var bytes: [UInt8] { withBytes { [UInt8]($0) } }

  /// Lends the sixteen bytes, most significant first.
  @inlinable
  public func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
    withUnsafeBytes(of: (high.bigEndian, low.bigEndian), body)
  }

  /// The order of the bytes.
  public static func < (left: Bytes16, right: Bytes16) -> Bool {
    (left.high, left.low) < (right.high, right.low)
  }
}

/// Thirty-two bytes: a digest or a public key, compared as an unsigned big-endian number.
public struct Bytes32: Hashable, Comparable, Sendable {
  @usableFromInline let first: Bytes16
  @usableFromInline let second: Bytes16

  /// Makes a value from exactly thirty-two bytes; anything else gives nil.
  @inlinable
  public init?(_ bytes: some Collection<UInt8>) {
    guard bytes.count == 32, let first = Bytes16(bytes.prefix(16)),
      let second = Bytes16(bytes.suffix(16))
    else { return nil }
    self.first = first
    self.second = second
  }

  init(first: Bytes16, second: Bytes16) {
    self.first = first
    self.second = second
  }

  /// Thirty-two zero bytes: the "previous" of a first commit.
  public static let zero = Bytes32(
    first: Bytes16(high: 0, low: 0), second: Bytes16(high: 0, low: 0))

  /// The thirty-two bytes, most significant first.
  public var bytes: [UInt8] { withBytes { [UInt8]($0) } }

  /// Lends the thirty-two bytes, most significant first.
  @inlinable
  public func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
    withUnsafeBytes(
      of: (
        first.high.bigEndian, first.low.bigEndian, second.high.bigEndian, second.low.bigEndian
      ), body)
  }

  /// The order of the bytes.
  public static func < (left: Bytes32, right: Bytes32) -> Bool {
    (left.first, left.second) < (right.first, right.second)
  }
}

let lowerHexDigits = Array("0123456789abcdef".utf8)

/// The bytes as lower-case hexadecimal text.
public func hexadecimal(_ bytes: some Sequence<UInt8>) -> String {
  var text: [UInt8] = []
  text.reserveCapacity(bytes.underestimatedCount * 2)
  for byte in bytes {
    text.append(lowerHexDigits[Int(byte >> 4)])
    text.append(lowerHexDigits[Int(byte & 15)])
  }
  return String(decoding: text, as: UTF8.self)
}

/// Names one record of a zone: a UUID that stays with a file through every rename.
public struct RecordID: Hashable, Comparable, Sendable, CustomStringConvertible {
  /// The UUID's bytes.
  public let value: Bytes16

  /// Wraps sixteen bytes.
  public init(_ value: Bytes16) { self.value = value }

  /// Makes an id from exactly sixteen bytes; anything else gives nil.
  @inlinable
  public init?(bytes: some Collection<UInt8>) {
    guard let value = Bytes16(bytes) else { return nil }
    self.value = value
  }

  /// The folder that every zone has from its first commit on; it can't be moved or deleted.
  public static let root = RecordID(Bytes16(high: 0, low: 0))

  /// The sixteen bytes.
  public var bytes: [UInt8] { value.bytes }

  /// The UUID's usual text, lower case.
  public var description: String {
    let text = Array(hexadecimal(bytes).utf8)
    let parts = [text[0..<8], text[8..<12], text[12..<16], text[16..<20], text[20..<32]]
    return parts.map { String(decoding: $0, as: UTF8.self) }.joined(separator: "-")
  }

  /// The order of the bytes.
  public static func < (left: RecordID, right: RecordID) -> Bool { left.value < right.value }
}

/// Names a person: the digest of the first entry of their identity log, so it can't be forged.
public struct UserID: Hashable, Comparable, Sendable, CustomStringConvertible {
  /// The digest's bytes.
  public let value: Bytes32

  /// Wraps thirty-two bytes.
  public init(_ value: Bytes32) { self.value = value }

  /// Makes an id from exactly thirty-two bytes; anything else gives nil.
  @inlinable
  public init?(bytes: some Collection<UInt8>) {
    guard let value = Bytes32(bytes) else { return nil }
    self.value = value
  }

  /// The thirty-two bytes.
  public var bytes: [UInt8] { value.bytes }

  /// Lower-case hexadecimal.
  public var description: String { hexadecimal(bytes) }

  /// The order of the bytes.
  public static func < (left: UserID, right: UserID) -> Bool { left.value < right.value }
}

/// Names one device of a person: the digest of its signing key.
public struct DeviceID: Hashable, Comparable, Sendable, CustomStringConvertible {
  /// The digest's bytes.
  public let value: Bytes16

  /// Wraps sixteen bytes.
  public init(_ value: Bytes16) { self.value = value }

  /// Makes an id from exactly sixteen bytes; anything else gives nil.
  @inlinable
  public init?(bytes: some Collection<UInt8>) {
    guard let value = Bytes16(bytes) else { return nil }
    self.value = value
  }

  /// The sixteen bytes.
  public var bytes: [UInt8] { value.bytes }

  /// Lower-case hexadecimal.
  public var description: String { hexadecimal(bytes) }

  /// The order of the bytes.
  public static func < (left: DeviceID, right: DeviceID) -> Bool { left.value < right.value }
}

/// Names a zone: the digest of its owner and a nonce, so that the owner of a zone can't be forged.
public struct ZoneID: Hashable, Comparable, Sendable, CustomStringConvertible {
  /// The digest's bytes.
  public let value: Bytes32

  /// Wraps thirty-two bytes.
  public init(_ value: Bytes32) { self.value = value }

  /// Makes an id from exactly thirty-two bytes; anything else gives nil.
  @inlinable
  public init?(bytes: some Collection<UInt8>) {
    guard let value = Bytes32(bytes) else { return nil }
    self.value = value
  }

  /// The thirty-two bytes.
  public var bytes: [UInt8] { value.bytes }

  /// Lower-case hexadecimal, as it stands in the container's keys.
  public var description: String { hexadecimal(bytes) }

  /// The order of the bytes.
  public static func < (left: ZoneID, right: ZoneID) -> Bool { left.value < right.value }
}

/// Names a chunk: H("cairn chunk v1", its plaintext), as content.proto defines it.
public struct ChunkName: Hashable, Comparable, Sendable, CustomStringConvertible {
  /// The digest's bytes.
  public let value: Bytes32

  /// Wraps thirty-two bytes.
  public init(_ value: Bytes32) { self.value = value }

  /// Makes a name from exactly thirty-two bytes; anything else gives nil.
  @inlinable
  public init?(bytes: some Collection<UInt8>) {
    guard let value = Bytes32(bytes) else { return nil }
    self.value = value
  }

  /// The thirty-two bytes.
  public var bytes: [UInt8] { value.bytes }

  /// Lower-case hexadecimal.
  public var description: String { hexadecimal(bytes) }

  /// The order of the bytes.
  public static func < (left: ChunkName, right: ChunkName) -> Bool { left.value < right.value }
}

/// Names a whole content: the digest of its size and its chunks' names, equal for equal bytes.
public struct ContentID: Hashable, Sendable, CustomStringConvertible {
  /// The digest's bytes.
  public let value: Bytes32

  /// Wraps thirty-two bytes.
  public init(_ value: Bytes32) { self.value = value }

  /// Makes an id from exactly thirty-two bytes; anything else gives nil.
  @inlinable
  public init?(bytes: some Collection<UInt8>) {
    guard let value = Bytes32(bytes) else { return nil }
    self.value = value
  }

  /// The thirty-two bytes.
  public var bytes: [UInt8] { value.bytes }

  /// Lower-case hexadecimal.
  public var description: String { hexadecimal(bytes) }
}

/// Names a link of a share: the public key whose holder may claim it.
public struct LinkID: Hashable, Comparable, Sendable, CustomStringConvertible {
  /// The key's bytes.
  public let value: Bytes32

  /// Wraps thirty-two bytes.
  public init(_ value: Bytes32) { self.value = value }

  /// Makes an id from exactly thirty-two bytes; anything else gives nil.
  @inlinable
  public init?(bytes: some Collection<UInt8>) {
    guard let value = Bytes32(bytes) else { return nil }
    self.value = value
  }

  /// The thirty-two bytes.
  public var bytes: [UInt8] { value.bytes }

  /// Lower-case hexadecimal.
  public var description: String { hexadecimal(bytes) }

  /// The order of the bytes.
  public static func < (left: LinkID, right: LinkID) -> Bool { left.value < right.value }
}
