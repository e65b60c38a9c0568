extension Control.Path {
  /// The path as one word for a command line: a shell turns it into the path again. Always one line
  /// and safe for a terminal, like `printable`.
  public var typed: String { Self.typed(bytes) }

  /// The bytes as one word for sh(1) as in POSIX since 2024, bash(1) or zsh(1).
  public static func typed(_ bytes: [UInt8]) -> String {
    // A backslash is shown as two. In quotes it is one.
    let shown = sentence(String(decoding: bytes, as: UTF8.self))
    guard String(validating: bytes, as: UTF8.self) == shown else { return escaped(bytes) }
    // Such a word would be an option to the command, or a home directory to the shell.
    let isSpecial = shown.isEmpty || shown.hasPrefix("-") || shown.hasPrefix("~")
    guard isSpecial || !bytes.allSatisfy(isPlain) else { return shown }
    let parts = shown.split(separator: "'", omittingEmptySubsequences: false)
    let quoted = "'" + parts.joined(separator: "'\\''") + "'"
    return shown.hasPrefix("-") ? "./" + quoted : quoted
  }

  /// Returns whether a byte is a letter, a digit, not ASCII, or a character without a meaning for
  /// shells.
  private static func isPlain(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x80..., UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    default: "/._-+@,:=%".utf8.contains(byte)
    }
  }

  /// The bytes for a line that cannot contain them: each unusual one as its number.
  private static func escaped(_ bytes: [UInt8]) -> String {
    var word = bytes.first == UInt8(ascii: "-") ? "./$'" : "$'"
    for byte in bytes {
      if byte < 0x80, isPlain(byte) || byte == UInt8(ascii: " ") {
        word.unicodeScalars.append(Unicode.Scalar(byte))
      } else {
        let octal = String(byte, radix: 8)
        word += "\\" + String(repeating: "0", count: 3 - octal.utf8.count) + octal
      }
    }
    return word + "'"
  }
}
