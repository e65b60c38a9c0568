/// A set of bytes: those that a bracket in a pattern accepts. It knows only the syntax of brackets.
struct ByteSet: Hashable, Sendable {
  private var words: SIMD4<UInt64> = .zero

  /// Creates the empty set.
  init() {}

  /// Reads the text after a `[` up to and including its `]`; nil if there is none.
  init?(bracket rest: inout ArraySlice<UInt8>) {
    let isNegated = rest.first == UInt8(ascii: "!") || rest.first == UInt8(ascii: "^")
    if isNegated { rest = rest.dropFirst() }
    var isFirst = true
    while let byte = rest.popFirst() {
      if byte == UInt8(ascii: "]"), !isFirst {
        if isNegated { words = ~words }
        return
      }
      isFirst = false
      if byte == UInt8(ascii: "["), rest.first == UInt8(ascii: ":"), let end = Self.classEnd(rest) {
        guard insertClass(String(decoding: rest[(rest.startIndex + 1)..<end], as: UTF8.self)) else {
          return nil
        }
        rest = rest[(end + 2)...]
        continue
      }
      guard let low = Self.unescaped(byte, &rest) else { return nil }
      // A hyphen before the closing bracket means itself.
      if rest.first == UInt8(ascii: "-"), let next = rest.dropFirst().first,
        next != UInt8(ascii: "]")
      {
        rest = rest.dropFirst(2)
        guard let high = Self.unescaped(next, &rest) else { return nil }
        if low <= high { for byte in low...high { insert(byte) } }
      } else {
        insert(low)
      }
    }
    return nil
  }

  /// Returns whether the byte is in the set.
  func contains(_ byte: UInt8) -> Bool {
    words[Int(byte >> 6)] & (1 << UInt64(byte & 63)) != 0
  }

  private mutating func insert(_ byte: UInt8) {
    words[Int(byte >> 6)] |= 1 << UInt64(byte & 63)
  }

  private static func unescaped(_ byte: UInt8, _ rest: inout ArraySlice<UInt8>) -> UInt8? {
    byte == UInt8(ascii: "\\") ? rest.popFirst() : byte
  }

  /// Returns the position of the `:]` of a character class, if a word precedes it.
  private static func classEnd(_ rest: ArraySlice<UInt8>) -> Int? {
    let word = rest.dropFirst().prefix { (UInt8(ascii: "a")...UInt8(ascii: "z")) ~= $0 }
    guard word.endIndex + 1 < rest.endIndex, rest[word.endIndex] == UInt8(ascii: ":"),
      rest[word.endIndex + 1] == UInt8(ascii: "]")
    else { return nil }
    return word.endIndex
  }

  private mutating func insertClass(_ name: String) -> Bool {
    let upper: ClosedRange<UInt8> = 65...90
    let lower: ClosedRange<UInt8> = 97...122
    let digit: ClosedRange<UInt8> = 48...57
    let members: (UInt8) -> Bool
    switch name {
    case "alnum": members = { upper ~= $0 || lower ~= $0 || digit ~= $0 }
    case "alpha": members = { upper ~= $0 || lower ~= $0 }
    case "blank": members = { $0 == 32 || $0 == 9 }
    case "cntrl": members = { $0 < 32 || $0 == 127 }
    case "digit": members = { digit ~= $0 }
    case "graph": members = { (33...126) ~= $0 }
    case "lower": members = { lower ~= $0 }
    case "print": members = { (32...126) ~= $0 }
    case "punct":
      members = { (33...126) ~= $0 && !(upper ~= $0 || lower ~= $0 || digit ~= $0) }
    case "space": members = { $0 == 32 || (9...13) ~= $0 }
    case "upper": members = { upper ~= $0 }
    case "xdigit": members = { digit ~= $0 || (65...70) ~= $0 || (97...102) ~= $0 }
    default: return false
    }
    for byte in UInt8.min...UInt8.max where members(byte) { insert(byte) }
    return true
  }
}
