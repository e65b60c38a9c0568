/// The fields of one message as they are stored, from front to back. It knows no message, and makes
/// nothing of what it passes.
struct FieldWalk {
  /// One field.
  struct Field {
    /// Its number.
    var number: UInt64
    /// How many bytes its value has; of a number, none.
    var length: Int
    /// Whether tag, length and number have no more bytes than they need.
    var isShortest: Bool
  }

  /// What no message has, or none of ours: cut off, a group, a number of more than 64 bits.
  struct Malformed: Error {}

  private let bytes: [UInt8]
  private var index = 0
  private var isShortest = true

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// The next field; nil at the end.
  mutating func next() throws(Malformed) -> Field? {
    guard index < bytes.count else { return nil }
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
      guard count <= UInt64(bytes.count - index) else { throw Malformed() }
      length = Int(count)
    default: throw Malformed()
    }
    guard length <= bytes.count - index else { throw Malformed() }
    index += length
    return Field(number: tag >> 3, length: length, isShortest: isShortest)
  }

  private mutating func varint() throws(Malformed) -> UInt64 {
    var value: UInt64 = 0
    for shift in stride(from: 0, to: 64, by: 7) {
      guard index < bytes.count else { throw Malformed() }
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
