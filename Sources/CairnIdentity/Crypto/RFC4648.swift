/// RFC 4648's base 32 in lower case and without padding, for links.
public enum RFC4648 {
  private static let alphabet = Array("abcdefghijklmnopqrstuvwxyz234567".utf8)

  /// Encodes bytes.
  public static func encode(_ bytes: [UInt8]) -> String {
    var text: [UInt8] = []
    var bits = 0
    var value: UInt32 = 0
    for byte in bytes {
      value = value << 8 | UInt32(byte)
      bits += 8
      while bits >= 5 {
        bits -= 5
        text.append(alphabet[Int(value >> UInt32(bits) & 31)])
      }
    }
    if bits > 0 { text.append(alphabet[Int(value << UInt32(5 - bits) & 31)]) }
    return String(decoding: text, as: UTF8.self)
  }

  /// Decodes text; nil for a character outside the alphabet, an impossible length, or nonzero bits
  /// left over. Upper case is accepted.
  public static func decode(_ text: some Collection<UInt8>) -> [UInt8]? {
    var bytes: [UInt8] = []
    var bits = 0
    var value: UInt32 = 0
    for character in text {
      guard let digit = digit(character) else { return nil }
      value = value << 5 | digit
      bits += 5
      if bits >= 8 {
        bits -= 8
        bytes.append(UInt8(truncatingIfNeeded: value >> UInt32(bits)))
      }
      value &= (1 << UInt32(bits)) - 1
    }
    guard bits < 5, value == 0 else { return nil }
    return bytes
  }

  private static func digit(_ character: UInt8) -> UInt32? {
    switch character {
    case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(character - UInt8(ascii: "a"))
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(character - UInt8(ascii: "A"))
    case UInt8(ascii: "2")...UInt8(ascii: "7"): UInt32(character - UInt8(ascii: "2")) + 26
    default: nil
    }
  }
}
