/// A walk over the stored fields of one message, from front to back. It knows no message, and
/// decodes nothing.
public struct FieldWalk: Sendable {
  /// One field.
  public struct Field: Sendable {
    /// The field number.
    public var number: UInt64
    /// The range of a value of bytes; empty for a number.
    public var range: Range<Int>
    /// The number of bytes in the value; 0 for a number.
    public var length: Int { range.count }
    /// A Boolean value that indicates whether tag, length and number have their shortest form.
    var isShortest: Bool
  }

  /// The error for bytes that no message of ours has: cut off, a group, a number of more than 64
  /// bits.
  public struct Malformed: Error {}

  private let bytes: [UInt8]
  private var index: Int
  private let end: Int
  private var isShortest = true

  /// Creates a walk over the fields of an encoded message.
  public init(_ bytes: [UInt8]) { self.init(bytes, within: 0..<bytes.count) }

  /// A walk over a message inside a field of another one.
  public init(_ bytes: [UInt8], within range: Range<Int>) {
    self.bytes = bytes
    index = range.lowerBound
    end = range.upperBound
  }

  /// Returns the next field; nil at the end.
  public mutating func next() throws(Malformed) -> Field? {
    guard index < end else { return nil }
    isShortest = true
    let tag = try varint()
    guard tag >> 3 > 0, tag <= UInt64(UInt32.max) else { throw Malformed() }
    var length = 0
    switch tag & 7 {
    case 0: _ = try varint()
    case 1: length = 8
    case 5: length = 4
    case 2:
      let count = try varint()
      guard count <= UInt64(end - index) else { throw Malformed() }
      length = Int(count)
    default: throw Malformed()
    }
    guard length <= end - index else { throw Malformed() }
    index += length
    return Field(number: tag >> 3, range: index - length..<index, isShortest: isShortest)
  }

  private mutating func varint() throws(Malformed) -> UInt64 {
    var value: UInt64 = 0
    for shift in stride(from: 0, to: 64, by: 7) {
      guard index < end else { throw Malformed() }
      let byte = bytes[index]
      index += 1
      guard shift < 63 || byte < 2 else { throw Malformed() }
      value |= UInt64(byte & 127) << UInt64(shift)
      if byte < 128 {
        if byte == 0, shift > 0 { isShortest = false }
        return value
      }
    }
    throw Malformed()
  }
}
