import CairnZone

/// Reads lower-case hexadecimal back; it must not guess.
enum Hexadecimal {
  /// The bytes, or nil if the text is anything but pairs of 0-9 and a-f.
  static func bytes(_ text: String) -> [UInt8]? {
    let digits = Array(text.utf8)
    guard digits.count.isMultiple(of: 2) else { return nil }
    var bytes: [UInt8] = []
    for index in stride(from: 0, to: digits.count, by: 2) {
      guard let high = value(digits[index]), let low = value(digits[index + 1]) else {
        return nil
      }
      bytes.append(high << 4 | low)
    }
    return bytes
  }

  private static func value(_ digit: UInt8) -> UInt8? {
    switch digit {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
    default: nil
    }
  }
}

extension UserID {
  /// Reads the id's text; nil if it is none.
  public init?(hexadecimal text: String) {
    guard let bytes = Hexadecimal.bytes(text) else { return nil }
    self.init(bytes: bytes)
  }
}

extension ZoneID {
  /// Reads the id's text; nil if it is none.
  public init?(hexadecimal text: String) {
    guard let bytes = Hexadecimal.bytes(text) else { return nil }
    self.init(bytes: bytes)
  }
}

extension ContainerID {
  /// Reads the id's text; nil if it is none.
  public init?(hexadecimal text: String) {
    guard let bytes = Hexadecimal.bytes(text), let value = Bytes16(bytes) else { return nil }
    self.init(value)
  }
}
