/// The size of types over all their files. A reader of any method may meet all of a type.
enum TypeSizes {
  static let linesPerType = 1_000

  /// Types that are larger. These numbers may only become smaller, and nothing may be added.
  static let large = ["ZoneReplica": 1_105]

  /// The types with more lines than they may have, in their declarations and extensions in one
  /// target. Enums are left out: they are mostly names for what is inside.
  static func violations(in sources: [SwiftSource]) -> [Violation] {
    Dictionary(grouping: sources.filter { !$0.isTest }, by: \.target).sorted { $0.key < $1.key }
      .flatMap { violations(ofTarget: $0.value) }
  }

  private static func violations(ofTarget sources: [SwiftSource]) -> [Violation] {
    var homes: [String: SwiftSource] = [:]
    var sizes: [String: Int] = [:]
    for source in sources {
      for part in source.parts {
        sizes[part.name, default: 0] += part.lineCount
        if part.isDeclaration { homes[part.name] = source }
      }
    }
    return sizes.sorted { $0.key < $1.key }.compactMap { name, count in
      let limit = large[name] ?? linesPerType
      guard let home = homes[name], count > limit else { return nil }
      return Violation(
        home.path, 1, "`\(name)` has \(count) lines over all its files; \(limit) at most")
    }
  }
}

extension SwiftSource {
  /// A declaration or an extension of a type at the top level of a file.
  fileprivate struct Part {
    let name: String
    /// A Boolean value that indicates whether it declares a struct, a class or an actor.
    let isDeclaration: Bool
    let lineCount: Int
  }

  fileprivate var parts: [Part] {
    var found: [Part] = []
    var depth = 0
    var start: (name: Token, isDeclaration: Bool)?
    for (index, token) in tokens.enumerated() {
      switch token.text {
      case "{": depth += 1
      case "}":
        depth -= 1
        guard depth == 0, let begun = start else { continue }
        found.append(
          Part(
            name: begun.name.text, isDeclaration: begun.isDeclaration,
            lineCount: token.line - begun.name.line + 1))
        start = nil
      case "struct", "class", "actor", "extension":
        guard depth == 0, index + 1 < tokens.count,
          tokens[index + 1].text.first?.isUppercase == true
        else { continue }
        start = (tokens[index + 1], token.text != "extension")
      case "func", "enum", "protocol", "let", "var":
        if depth == 0 { start = nil }
      default: break
      }
    }
    return found
  }
}
