extension Control.Path {
  /// The bytes as one line that is safe for a terminal, as `Control.Path.printable` describes.
  public static func printable(_ bytes: [UInt8]) -> String {
    printable(bytes, escapesBackslashes: true)
  }

  /// A sentence with printable names, as one line that is safe for a terminal. It escapes
  /// everything that a name escapes, except the backslashes of the names' own escapes.
  public static func sentence(_ text: String) -> String {
    printable(Array(text.utf8), escapesBackslashes: false)
  }

  private static func printable(_ bytes: [UInt8], escapesBackslashes: Bool) -> String {
    var line = ""
    var index = 0
    while index < bytes.count {
      let length = scalarLength(bytes, at: index)
      let scalar =
        length == 0
        ? nil
        : String(validating: bytes[index..<(index + length)], as: UTF8.self)?.unicodeScalars.first
      if let scalar, let escaped = escape(scalar), escapesBackslashes || scalar != "\\" {
        line += escaped
      } else if let scalar, scalar.properties.isPrintable {
        line.unicodeScalars.append(scalar)
      } else {
        for byte in bytes[index..<(index + max(1, length))] { line += hexadecimal(byte) }
      }
      index += max(1, length)
    }
    return line
  }

  /// The length of the valid UTF-8 sequence at `index`; 0 if there is none.
  private static func scalarLength(_ bytes: [UInt8], at index: Int) -> Int {
    let length: Int
    switch bytes[index] {
    case 0x00...0x7F: return 1
    case 0xC2...0xDF: length = 2
    case 0xE0...0xEF: length = 3
    case 0xF0...0xF4: length = 4
    default: return 0
    }
    guard index + length <= bytes.count,
      String(validating: bytes[index..<(index + length)], as: UTF8.self) != nil
    else { return 0 }
    return length
  }

  private static func escape(_ scalar: Unicode.Scalar) -> String? {
    switch scalar {
    case "\n": "\\n"
    case "\t": "\\t"
    case "\r": "\\r"
    case "\\": "\\\\"
    default: nil
    }
  }

  private static func hexadecimal(_ byte: UInt8) -> String {
    let digits = String(byte, radix: 16, uppercase: true)
    return digits.utf8.count == 1 ? "\\x0" + digits : "\\x" + digits
  }
}

extension Unicode.Scalar.Properties {
  /// A Boolean value that indicates whether a terminal shows the character as itself: no control
  /// character, no line or paragraph separator, no change of direction.
  fileprivate var isPrintable: Bool {
    switch generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .unassigned,
      .privateUse:
      false
    default: true
    }
  }
}
