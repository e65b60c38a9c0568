import CairnZone

/// The text of a code or link with all of its bytes in base 32: a scheme, then a format of one
/// byte, the contents, and a checksum of 4 bytes. People paste it, so that white space and line
/// breaks inside, and angle brackets and quotation marks around it, do no harm.
enum PastedBytes {
  /// The reason why a text can't be read.
  enum Failure: Error {
    /// The scheme isn't in the text.
    case noScheme
    /// A character is wrong, missing or additional.
    case mistyped
  }

  /// Returns the text of a format and contents. The context is that of the checksum.
  static func text(_ bytes: [UInt8], scheme: String, context: String) -> String {
    scheme + RFC4648.encode(bytes + checksum(bytes, context))
  }

  /// Returns the format and the contents of pasted text: at least one byte.
  static func read(
    _ text: String, scheme: String, context: String
  ) throws(Failure) -> [UInt8] {
    let bytes = Array(text.utf8.prefix(65_536))
    let scheme = Array(scheme.utf8)
    let start = bytes.indices.first { start in
      bytes.count - start >= scheme.count
        && scheme.indices.allSatisfy { bytes[start + $0] | 0x20 == scheme[$0] | 0x20 }
    }
    guard let start else { throw .noScheme }
    let ignored = Set(" \t\r\n<>\"'`.,;".utf8)
    let digits = bytes[(start + scheme.count)...].filter { !ignored.contains($0) }
    guard let whole = RFC4648.decode(digits), whole.count > 4,
      checksum(whole.dropLast(4), context) == Array(whole.suffix(4))
    else { throw .mistyped }
    return Array(whole.dropLast(4))
  }

  private static func checksum(_ bytes: some Collection<UInt8>, _ context: String) -> [UInt8] {
    Array(Crypto.digest(context, Array(bytes)).bytes.prefix(4))
  }
}
