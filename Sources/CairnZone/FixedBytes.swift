/// Sixteen bytes of an identifier, compared as an unsigned big-endian number.
public struct Bytes16: Hashable, Comparable, Sendable {
  @usableFromInline let high: UInt64
  @usableFromInline let low: UInt64

  /// Creates a value from exactly sixteen bytes; nil for anything else.
  @inlinable
  public init?(_ bytes: some Collection<UInt8>) {
    guard bytes.count == 16 else { return nil }
    // One load for each half, if the bytes are contiguous.
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

  /// Creates a value from its two big-endian halves.
  @inlinable
  public init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  /// The sixteen bytes, most significant first.
  public var bytes: [UInt8] { withBytes { [UInt8]($0) } }

  /// Passes the sixteen bytes to a closure, most significant first.
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

  /// Creates a value from exactly thirty-two bytes; nil for anything else.
  @inlinable
  public init?(_ bytes: some Collection<UInt8>) {
    guard bytes.count == 32 else { return nil }
    if let value = bytes.withContiguousStorageIfAvailable({ Bytes32(UnsafeRawBufferPointer($0)) }) {
      self = value
      return
    }
    guard let first = Bytes16(bytes.prefix(16)), let second = Bytes16(bytes.suffix(16)) else {
      return nil
    }
    self.first = first
    self.second = second
  }

  @usableFromInline
  init(_ bytes: UnsafeRawBufferPointer) {
    first = Bytes16(bytes)
    second = Bytes16(UnsafeRawBufferPointer(rebasing: bytes[16...]))
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

  /// Passes the thirty-two bytes to a closure, most significant first.
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

/// Bytes of a fixed length.
public protocol FixedBytes: Hashable, Comparable, Sendable {
  /// Creates a value from exactly this many bytes; nil for anything else.
  init?(_ bytes: some Collection<UInt8>)

  /// The bytes, most significant first.
  var bytes: [UInt8] { get }
}

extension Bytes16: FixedBytes {}
extension Bytes32: FixedBytes {}
