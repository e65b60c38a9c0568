/// A Swift source: its text, and the same text with comments and literals blanked, so that prose
/// can't break a rule about code. It knows no rules.
struct SwiftSource {
  let path: String
  /// The lines of the file.
  let lines: [String]
  /// The same lines with every comment, string and quoted name blanked.
  let code: [String]
  /// The words and signs of the code, in order.
  let tokens: [Token]

  /// A word, a number or a single sign, and its line, counted from 1.
  struct Token: Equatable {
    let text: String
    let line: Int
  }

  init(path: String, bytes: [UInt8]) {
    self.path = path
    var blanker = Blanker(bytes)
    lines = Self.split(bytes)
    code = Self.split(blanker.run())
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

  private static func tokenize(_ lines: [String]) -> [Token] {
    var tokens: [Token] = []
    for (index, line) in lines.enumerated() {
      var word = ""
      for character in line + " " {
        if character.isLetter || character.isNumber || character == "_" {
          word.append(character)
          continue
        }
        if !word.isEmpty { tokens.append(Token(text: word, line: index + 1)) }
        word = ""
        if !character.isWhitespace {
          tokens.append(Token(text: String(character), line: index + 1))
        }
      }
    }
    return tokens
  }
}
