import FoundationEssentials
import SwiftProtobuf

/// Stored messages to bytes and back, with bounds and without ambiguity. It knows no message.
enum StoredMessage {
  /// What a signed or hashed object must be: one message has one encoding, so nobody can change a
  /// byte of it without changing what it says. What later versions add, `Growth` judges.
  enum Encoding {
    case canonical
    /// The same, and nothing may be passed over: what stands around sealed or signed bytes. A field
    /// more would be covered by no signature, and change the digest nevertheless.
    case closed
    case anyValid
  }

  static func decode<M: Message>(
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
    // What isn't known, at whatever level, is encoded behind all that is.
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

  static func encode(_ message: some Message) -> [UInt8] {
    do {
      return try message.serializedBytes()
    } catch {
      preconditionFailure("a proto3 message of less than 2 GiB always encodes: \(error)")
    }
  }
}

/// Sizes that say little about what is inside (Padmé: at most 12 % more, and only O(log log n)
/// bits of the length remain).
enum SizeClass {
  static let minimum = 256

  static func padded(_ count: Int) -> Int {
    guard count > minimum else { return minimum }
    let exponent = Int.bitWidth - 1 - count.leadingZeroBitCount
    let digits = Int.bitWidth - exponent.leadingZeroBitCount
    let mask = (1 << (exponent - digits)) - 1
    return (count + mask) & ~mask
  }

  /// The number of zeros that a padding field with a tag of one byte must have, so that a message
  /// of `count` bytes gets a size of a class.
  static func paddingField(messageCount count: Int) -> Int {
    let target = padded(count + 2)
    for lengthBytes in 1...5 {
      let zeros = target - count - 1 - lengthBytes
      if zeros >= 0, zeros < 1 << (7 * lengthBytes) { return zeros }
    }
    return 0
  }
}
