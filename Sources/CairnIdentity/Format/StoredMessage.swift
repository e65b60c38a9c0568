import FoundationEssentials
import SwiftProtobuf

/// The encoding and decoding of stored messages, with bounds and without ambiguity. It knows no
/// message.
public enum StoredMessage {
  /// The rule for signed or hashed objects: one message has one encoding, so no byte can change
  /// without changing the meaning. `Growth` decides about additions of later versions.
  public enum Encoding: Sendable {
    case canonical
    /// The same, and no field may be skipped: for the envelope of sealed or signed bytes. No
    /// signature would cover an additional field, but it would change the digest.
    case closed
    case anyValid
  }

  /// Decodes a message.
  /// - Parameters:
  ///   - bytes: The stored bytes.
  ///   - type: The type of the message.
  ///   - what: The name of the object, for errors.
  ///   - limit: The maximum number of bytes.
  ///   - encoding: The rule for its encoding.
  /// - Returns: the message.
  /// - Throws: `FormatError` if the bytes are too long, damaged, or encoded in another way.
  public static func decode<M: Message>(
    _ bytes: [UInt8], as type: M.Type, _ what: String, limit: Int,
    _ encoding: Encoding = .canonical
  ) throws(FormatError) -> M {
    guard bytes.count <= limit else {
      throw FormatError(what, "it has \(bytes.count) bytes, and \(limit) are allowed")
    }
    var options = BinaryDecodingOptions()
    options.discardUnknownFields = encoding == .anyValid
    let message: M
    do {
      message = try M(serializedBytes: bytes, options: options)
    } catch {
      throw FormatError(what, "it is damaged or no such thing")
    }
    guard encoding != .anyValid else { return message }
    try check(message, what, isClosed: encoding == .closed)
    // Unknown fields, at every level, are encoded after all known ones.
    guard encode(message) == bytes else {
      throw FormatError(what, "it isn't in the canonical encoding")
    }
    return message
  }

  private static func check(
    _ message: some Message, _ what: String, isClosed: Bool
  ) throws(FormatError) {
    var growth = Growth(of: what, isClosed: isClosed)
    do {
      try message.traverse(visitor: &growth)
    } catch let error as FormatError {
      throw error
    } catch {
      preconditionFailure("only what is wrong with a message ends the look at it: \(error)")
    }
  }

  /// Encodes a message in the canonical encoding.
  public static func encode(_ message: some Message) -> [UInt8] {
    do {
      return try message.serializedBytes()
    } catch {
      preconditionFailure("a proto3 message of less than 2 GiB always encodes: \(error)")
    }
  }
}

/// Sizes that reveal little about the content (Padmé: at most 12 % more, and only O(log log n) bits
/// of the length remain).
public enum SizeClass {
  static let minimum = 256

  /// The size to which `count` bytes are padded.
  public static func padded(_ count: Int) -> Int {
    guard count > minimum else { return minimum }
    let exponent = Int.bitWidth - 1 - count.leadingZeroBitCount
    let digits = Int.bitWidth - exponent.leadingZeroBitCount
    let mask = (1 << (exponent - digits)) - 1
    return (count + mask) & ~mask
  }

  /// The number of zeros for a padding field with a one-byte tag, so that a message of `count`
  /// bytes gets the size of a class.
  public static func paddingField(messageCount count: Int) -> Int {
    let target = padded(count + 2)
    for lengthBytes in 1...5 {
      let zeros = target - count - 1 - lengthBytes
      if zeros >= 0, zeros < 1 << (7 * lengthBytes) { return zeros }
    }
    return 0
  }
}
