/// Bytes that are in the order of field values, so that a table of bytes is a table of values.
extension FieldValue {
  /// Returns the bytes of a value. A missing value is before all others, and values of different
  /// kinds are in a fixed order. Text is in the order of its UTF-8 bytes. No value's bytes begin
  /// with all bytes of another value, so the bytes of several values in a row are in order, too.
  public static func sortKey(of value: FieldValue?) -> [UInt8] {
    var key: [UInt8] = []
    if let value { value.write(to: &key) } else { key.append(0) }
    return key
  }

  /// Returns the bytes with which the keys of all texts begin that begin with a text.
  public static func sortKey(ofTextsWith beginning: String) -> [UInt8] {
    var key = Self.sortKey(of: .text(beginning))
    key.removeLast(end.count)
    return key
  }

  /// The end of a text and of bytes: a NUL inside is followed by 255.
  private static let end: [UInt8] = [0, 1]

  private func write(to key: inout [UInt8]) {
    switch self {
    case .boolean(let flag): key += [1, flag ? 1 : 0]
    case .integer(let number):
      key.append(2)
      Self.write(number, to: &key)
    case .number(let number):
      key.append(3)
      Self.write(number, to: &key)
    case .date(let time):
      key.append(4)
      Self.write(time, to: &key)
    case .text(let text):
      key.append(5)
      Self.write(text.utf8, to: &key)
    case .bytes(let bytes):
      key.append(6)
      Self.write(bytes, to: &key)
    case .reference(let id): key += [7] + id.bytes
    case .location(let latitude, let longitude):
      key.append(8)
      Self.write(latitude, to: &key)
      Self.write(longitude, to: &key)
    case .asset(let content):
      key.append(9)
      Self.write(content.size, to: &key)
      key += content.id.bytes
    case .list(let values):
      key.append(10)
      for value in values { value.write(to: &key) }
      // Less than the first byte of any value: a list is before those that begin with it.
      key.append(0)
    }
  }

  private static func write(_ number: UInt64, to key: inout [UInt8]) {
    withUnsafeBytes(of: number.bigEndian) { key += $0 }
  }

  private static func write(_ number: Int64, to key: inout [UInt8]) {
    write(UInt64(bitPattern: number) ^ 1 << 63, to: &key)
  }

  /// Negative numbers are in the reverse order of their bits.
  private static func write(_ number: Double, to key: inout [UInt8]) {
    let bits = (number == 0 ? 0 : number).bitPattern
    write(bits >> 63 == 0 ? bits | 1 << 63 : ~bits, to: &key)
  }

  private static func write(_ bytes: some Sequence<UInt8>, to key: inout [UInt8]) {
    for byte in bytes {
      key.append(byte)
      if byte == 0 { key.append(255) }
    }
    key += end
  }
}
