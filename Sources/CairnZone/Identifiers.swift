/// An id: bytes of one length, in a type of its own, so that none is taken for one of another kind.
public protocol Identifier: Hashable, Comparable, Sendable, CustomStringConvertible {
  /// Bytes of that length.
  associatedtype Value: FixedBytes

  /// The bytes.
  var value: Value { get }

  /// Wraps the bytes.
  init(_ value: Value)
}

extension Identifier {
  /// Makes an id from exactly as many bytes as it has; anything else gives nil.
  @inlinable
  public init?(bytes: some Collection<UInt8>) {
    guard let value = Value(bytes) else { return nil }
    self.init(value)
  }

  /// Reads the bytes from lower-case hexadecimal; nil for anything else.
  public init?(hexadecimal text: String) {
    guard let bytes = readHexadecimal(Array(text.utf8)) else { return nil }
    self.init(bytes: bytes)
  }

  /// The bytes, most significant first.
  @inlinable
  public var bytes: [UInt8] { value.bytes }

  /// Lower-case hexadecimal, as it stands in the container's keys.
  public var description: String { hexadecimal(bytes) }

  /// The beginning that people are shown: twelve digits, which nobody mistakes for another's.
  public var digits: String { String(description.prefix(12)) }

  /// Whether somebody who typed that means this one, or others that begin so: six digits or more.
  public func begins(with text: String) -> Bool { beginsAsTyped(description, text) }

  /// The order of the bytes.
  @inlinable
  public static func < (left: Self, right: Self) -> Bool { left.value < right.value }
}

/// Whether an id, in hexadecimal, begins with what somebody typed; fewer than six digits name
/// nothing.
public func beginsAsTyped(_ id: String, _ text: String) -> Bool {
  text.utf8.count >= 6 && id.hasPrefix(text.lowercased())
}

/// Names one record of a zone: a UUID that stays with a file through every rename.
public struct RecordID: Identifier {
  /// The UUID's bytes.
  public let value: Bytes16

  /// Wraps sixteen bytes.
  @inlinable
  public init(_ value: Bytes16) { self.value = value }

  /// The folder that every zone has from its first commit on; it can't be moved or deleted.
  public static let root = RecordID(Bytes16(high: 0, low: 0))

  /// The UUID's usual text, lower case.
  public var description: String {
    let text = Array(hexadecimal(bytes).utf8)
    let parts = [text[0..<8], text[8..<12], text[12..<16], text[16..<20], text[20..<32]]
    return parts.map { String(decoding: $0, as: UTF8.self) }.joined(separator: "-")
  }
}

/// Names a person: the digest of the first entry of their identity log, so it can't be forged.
public struct UserID: Identifier {
  /// The digest's bytes.
  public let value: Bytes32

  /// Wraps thirty-two bytes.
  @inlinable
  public init(_ value: Bytes32) { self.value = value }
}

/// Names one device of a person: the digest of its signing key.
public struct DeviceID: Identifier {
  /// The digest's bytes.
  public let value: Bytes16

  /// Wraps sixteen bytes.
  @inlinable
  public init(_ value: Bytes16) { self.value = value }
}

/// Names a zone: the digest of its owner and a nonce, so that the owner of a zone can't be forged.
public struct ZoneID: Identifier {
  /// The digest's bytes.
  public let value: Bytes32

  /// Wraps thirty-two bytes.
  @inlinable
  public init(_ value: Bytes32) { self.value = value }
}

/// Names a chunk: H("cairn chunk v1", its plaintext), as content.proto defines it.
public struct ChunkName: Identifier {
  /// The digest's bytes.
  public let value: Bytes32

  /// Wraps thirty-two bytes.
  @inlinable
  public init(_ value: Bytes32) { self.value = value }
}

/// Names a whole content: the digest of its size and its chunks' names, equal for equal bytes.
public struct ContentID: Identifier {
  /// The digest's bytes.
  public let value: Bytes32

  /// Wraps thirty-two bytes.
  @inlinable
  public init(_ value: Bytes32) { self.value = value }
}

/// Names a link of a share: the public key whose holder may claim it.
public struct LinkID: Identifier {
  /// The key's bytes.
  public let value: Bytes32

  /// Wraps thirty-two bytes.
  @inlinable
  public init(_ value: Bytes32) { self.value = value }
}
