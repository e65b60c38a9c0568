import FoundationEssentials

extension Control {
  /// The name of a file, as bytes: POSIX knows no encoding. In JSON it is a string if the bytes are
  /// valid UTF-8, else `{"base64": the bytes, "text": a readable form}`, which loses nothing.
  public struct Path: Hashable, Sendable {
    /// The bytes, without a NUL at the end.
    public var bytes: [UInt8]

    /// Creates a path from bytes.
    public init(_ bytes: [UInt8]) {
      self.bytes = bytes
    }

    /// Creates a path from the UTF-8 of a text.
    public init(_ text: String) {
      self.bytes = Array(text.utf8)
    }

    /// The path as text, if its bytes are valid UTF-8.
    public var text: String? { String(validating: bytes, as: UTF8.self) }

    /// The part after the last slash; the whole path if there is none.
    public var lastName: [UInt8] {
      Array(bytes[((bytes.lastIndex(of: UInt8(ascii: "/")) ?? -1) + 1)...])
    }

    /// The path for people, always one line and safe for a terminal: `\n`, `\t`, `\\` for these,
    /// `\xHH` for other control characters and for bytes outside UTF-8.
    public var printable: String { Self.printable(bytes) }
  }
}

extension Control.Path: ExpressibleByStringLiteral {
  /// Creates a path from the literal's UTF-8.
  public init(stringLiteral value: String) {
    self.init(value)
  }
}

extension Control.Path: Codable {
  private enum Key: String, CodingKey {
    case base64
    case text
  }

  /// Throws `DecodingError` without one of the two forms, and for a path with a NUL.
  public init(from decoder: any Decoder) throws {
    // Not a string: then it must be the object, whose error is reported.
    if let text = try? decoder.singleValueContainer().decode(String.self) {
      self.init(text)
    } else {
      let container = try decoder.container(keyedBy: Key.self)
      let base64 = try container.decode(String.self, forKey: .base64)
      guard let decoded = Data(base64Encoded: base64) else {
        throw DecodingError.dataCorruptedError(
          forKey: .base64, in: container, debugDescription: "This is not base64.")
      }
      self.init([UInt8](decoded))
    }
    guard !bytes.contains(0) else {
      throw DecodingError.dataCorrupted(
        .init(codingPath: decoder.codingPath, debugDescription: "A path can't contain NUL."))
    }
  }

  /// Writes the string, or the object with both forms.
  public func encode(to encoder: any Encoder) throws {
    if let text {
      var container = encoder.singleValueContainer()
      try container.encode(text)
    } else {
      var container = encoder.container(keyedBy: Key.self)
      try container.encode(Data(bytes).base64EncodedString(), forKey: .base64)
      try container.encode(printable, forKey: .text)
    }
  }
}

extension Control.Path: CustomStringConvertible {
  /// The printable form, so that a path in a message is always safe to show.
  public var description: String { printable }
}
