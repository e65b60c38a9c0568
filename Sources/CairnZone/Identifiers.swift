/// An id: bytes of a fixed length, in a type of its own, so that kinds of ids cannot be confused.
public protocol Identifier: Hashable, Comparable, Sendable, CustomStringConvertible {
  /// The type of the bytes.
  associatedtype Value: FixedBytes

  /// The bytes.
  var value: Value { get }

  /// Creates an id from its bytes.
  init(_ value: Value)
}

extension Identifier {
  /// Creates an id from exactly as many bytes as it has; nil for anything else.
  @inlinable
  public init?(bytes: some Collection<UInt8>) {
    guard let value = Value(bytes) else { return nil }
    self.init(value)
  }

  /// Parses lower-case hexadecimal; nil for anything else.
  public init?(hexadecimal text: String) {
    guard let bytes = readHexadecimal(Array(text.utf8)) else { return nil }
    self.init(bytes: bytes)
  }

  /// The bytes, most significant first.
  @inlinable
  public var bytes: [UInt8] { value.bytes }

  /// The bytes in lower-case hexadecimal, as in the container's keys.
  public var description: String { hexadecimal(bytes) }

  /// The beginning for people: twelve digits, which are unique in practice.
  public var digits: String { String(description.prefix(12)) }

  /// Returns whether the id begins with a typed text of at least six digits.
  public func begins(with text: String) -> Bool { beginsAsTyped(description, text) }

  /// The order of the bytes.
  @inlinable
  public static func < (left: Self, right: Self) -> Bool { left.value < right.value }
}

/// Returns whether an id in hexadecimal begins with a typed text. Fewer than six digits match
/// nothing.
public func beginsAsTyped(_ id: String, _ text: String) -> Bool {
  text.utf8.count >= 6 && id.hasPrefix(text.lowercased())
}

/// The id of a record in a zone: a UUID that stays with a file through every rename.
public struct RecordID: Identifier {
  /// The UUID's bytes.
  public let value: Bytes16

  /// Creates an id from sixteen bytes.
  @inlinable
  public init(_ value: Bytes16) { self.value = value }

  /// The root folder that every zone has from its first commit on. It cannot be moved or deleted.
  public static let root = RecordID(Bytes16(high: 0, low: 0))

  /// The UUID's usual text, lower case.
  public var description: String {
    let text = Array(hexadecimal(bytes).utf8)
    let parts = [text[0..<8], text[8..<12], text[12..<16], text[16..<20], text[20..<32]]
    return parts.map { String(decoding: $0, as: UTF8.self) }.joined(separator: "-")
  }
}

/// The id of a person: the digest of the first entry of their identity log, so it cannot be forged.
public struct UserID: Identifier {
  /// The digest's bytes.
  public let value: Bytes32

  /// Creates an id from thirty-two bytes.
  @inlinable
  public init(_ value: Bytes32) { self.value = value }
}

/// The id of a person's device: the digest of its signing key.
public struct DeviceID: Identifier {
  /// The digest's bytes.
  public let value: Bytes16

  /// Creates an id from sixteen bytes.
  @inlinable
  public init(_ value: Bytes16) { self.value = value }
}

/// The id of a zone: the digest of its owner and a nonce, so the owner of a zone cannot be forged.
public struct ZoneID: Identifier {
  /// The digest's bytes.
  public let value: Bytes32

  /// Creates an id from thirty-two bytes.
  @inlinable
  public init(_ value: Bytes32) { self.value = value }
}

/// The name of a chunk: H("cairn chunk v1", its plaintext), as content.proto defines it.
public struct ChunkName: Identifier {
  /// The digest's bytes.
  public let value: Bytes32

  /// Creates a name from thirty-two bytes.
  @inlinable
  public init(_ value: Bytes32) { self.value = value }
}

/// The id of a content: the digest of its size and its chunks' names, equal for equal bytes.
public struct ContentID: Identifier {
  /// The digest's bytes.
  public let value: Bytes32

  /// Creates an id from thirty-two bytes.
  @inlinable
  public init(_ value: Bytes32) { self.value = value }
}

/// The id of a share's link: the public key for claims.
public struct LinkID: Identifier {
  /// The key's bytes.
  public let value: Bytes32

  /// Creates an id from thirty-two bytes.
  @inlinable
  public init(_ value: Bytes32) { self.value = value }
}
