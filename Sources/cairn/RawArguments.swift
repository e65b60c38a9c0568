import CairnControl
import Glibc

/// The bytes of this process's arguments, passed through a parser that only knows strings. A byte
/// that is not UTF-8 becomes a character of Unicode's last private plane, and is converted back
/// afterwards.
enum RawArguments {
  /// U+10FF00 and the byte.
  private static let first: UInt32 = 0x10_FF00

  /// The arguments without the program's name.
  static func ofThisProcess() -> [String] {
    (1..<max(1, Int(CommandLine.argc))).compactMap { index in
      CommandLine.unsafeArgv[index].map { pointer in
        text(of: UnsafeRawBufferPointer(start: pointer, count: strlen(pointer)).map { $0 })
      }
    }
  }

  /// Converts bytes to text that `bytes(of:)` converts back.
  static func text(of bytes: [UInt8]) -> String {
    if let text = String(validating: bytes, as: UTF8.self),
      !text.unicodeScalars.contains(where: { $0.value >= first && $0.value <= first + 0xFF })
    {
      return text
    }
    var text = ""
    var rest = bytes[...]
    while let byte = rest.first {
      let valid = (1...4).first { length in
        length <= rest.count && String(validating: rest.prefix(length), as: UTF8.self) != nil
      }
      let scalar = valid.flatMap {
        String(validating: rest.prefix($0), as: UTF8.self)?.unicodeScalars.first
      }
      if let scalar, scalar.value < first || scalar.value > first + 0xFF {
        text.unicodeScalars.append(scalar)
        rest = rest.dropFirst(valid ?? 1)
      } else if let escaped = Unicode.Scalar(first + UInt32(byte)) {
        text.unicodeScalars.append(escaped)
        rest = rest.dropFirst()
      }
    }
    return text
  }

  /// The original bytes of an argument.
  static func bytes(of text: String) -> [UInt8] {
    text.unicodeScalars.flatMap { scalar -> [UInt8] in
      scalar.value >= first && scalar.value <= first + 0xFF
        ? [UInt8(scalar.value - first)] : Array(String(Character(scalar)).utf8)
    }
  }
}
