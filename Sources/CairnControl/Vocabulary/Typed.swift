extension Control.Path {
  /// The path as one word that a person can type, in a command that is told to them: what the shell
  /// makes of it is the path again. Always one line and safe for a terminal, as `printable` is.
  public var typed: String { Self.typed(bytes) }

  /// Bytes as one word of a shell, of sh(1) as POSIX has it since 2024, bash(1) or zsh(1).
  public static func typed(_ bytes: [UInt8]) -> String {
    // A backslash is shown as two; between quotes it is itself.
    let shown = sentence(String(decoding: bytes, as: UTF8.self))
    guard String(validating: bytes, as: UTF8.self) == shown else { return escaped(bytes) }
    // What begins so is an option to the command, or somebody's home to the shell.
    let isSpecial = shown.isEmpty || shown.hasPrefix("-") || shown.hasPrefix("~")
    guard isSpecial || !bytes.allSatisfy(isPlain) else { return shown }
    let parts = shown.split(separator: "'", omittingEmptySubsequences: false)
    let quoted = "'" + parts.joined(separator: "'\\''") + "'"
    return shown.hasPrefix("-") ? "./" + quoted : quoted
  }

  /// Letters and digits, what isn't ASCII, and signs that no shell takes for something else.
  private static func isPlain(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x80..., UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    default: "/._-+@,:=%".utf8.contains(byte)
    }
  }

  /// Where a line can't have the bytes themselves: each that isn't plain by its number.
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
