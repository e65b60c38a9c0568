import Foundation

/// A Swift source: its text, and the same text with comments and literals blanked, so that prose
/// can't break a rule about code. It knows no rules.
///
/// It works on bytes: tests are built without optimization, where each character of a string costs
/// a hundred times as much.
struct SwiftSource {
  let path: String
  /// The lines of the file.
  let lines: [String]
  /// The same lines with every comment, string and quoted name blanked.
  let code: [String]
  /// The words and signs of the code, in order.
  let tokens: [Token]
  private let text: Data
  private let blanked: Data

  /// A word, a number or a single sign, and its line, counted from 1.
  struct Token: Equatable {
    let text: String
    let line: Int
  }

  init(path: String, bytes: [UInt8]) {
    self.path = path
    var blanker = Blanker(bytes)
    let code = blanker.run()
    text = Data(bytes)
    blanked = Data(code)
    lines = Self.split(bytes)
    self.code = Self.split(code)
    tokens = Self.tokenize(code)
  }

  init(path: String = "Sources/CairnPlan/Example.swift", _ text: String) {
    self.init(path: path, bytes: [UInt8](text.utf8))
  }

  /// The target that the file belongs to: the folder below `Sources` or `Tests`.
  var target: String {
    let parts = path.split(separator: "/")
    return parts.count > 2 ? String(parts[1]) : ""
  }

  var isTest: Bool { path.hasPrefix("Tests/") }

  var name: String { path.split(separator: "/").last.map(String.init) ?? path }

  /// A Boolean value that indicates whether this line, counted from 1, or one of the three above it
  /// has a comment.
  func isExplained(line: Int) -> Bool {
    lines[max(0, line - 4)..<line].contains { $0.contains("//") }
  }

  private static func split(_ bytes: [UInt8]) -> [String] {
    var parts = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    if parts.last?.isEmpty == true { parts.removeLast() }
    return parts.map { String(decoding: $0, as: UTF8.self) }
  }

  /// A Boolean value that indicates whether the text has these bytes, comments included.
  func has(_ word: String) -> Bool { text.range(of: Data(word.utf8)) != nil }

  /// A Boolean value that indicates whether the code has these bytes.
  func codeHas(_ word: String) -> Bool { blanked.range(of: Data(word.utf8)) != nil }

  private static func tokenize(_ code: [UInt8]) -> [Token] {
    var (tokens, line, start) = ([Token](), 1, 0)
    for (index, byte) in code.enumerated() {
      if isPartOfWord[Int(byte)] { continue }
      if start < index {
        tokens.append(Token(text: String(decoding: code[start..<index], as: UTF8.self), line: line))
      }
      start = index + 1
      if byte == UInt8(ascii: "\n") { line += 1 }
      if byte > UInt8(ascii: " ") {
        tokens.append(Token(text: String(UnicodeScalar(byte)), line: line))
      }
    }
    if start < code.count {
      tokens.append(Token(text: String(decoding: code[start...], as: UTF8.self), line: line))
    }
    return tokens
  }

  /// Letters, digits, the underscore, and every byte of other scripts.
  private static let isPartOfWord = (0...255).map { (byte: Int) in
    byte >= 0x80 || byte == 0x5F || (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte)
      || (0x61...0x7A).contains(byte)
  }
}
