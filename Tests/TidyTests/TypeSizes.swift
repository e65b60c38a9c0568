/// The size of types over all their files. A reader of any method may meet all of a type.
///
/// A type that holds the whole state of another one counts as part of that one, unless its doc
/// comment names the parts that it uses.
enum TypeSizes {
  static let linesPerType = 1_000

  /// Types that are larger. These numbers may only become smaller, and nothing may be added.
  static let large: [String: Int] = [:]

  /// The types whose whole state others hold, and the name of the property that holds it.
  static let wholes = ["Container": "container", "MountState": "state"]

  /// The words of a doc comment before the parts of a property that its type uses.
  static func usesMark(_ property: String) -> String {
    "It uses these parts of the \(property):"
  }

  /// The types with more lines than they may have, in their declarations and extensions in one
  /// target, and the wrong lists of used parts. Enums are left out: they are mostly names for what
  /// is inside.
  static func violations(in sources: [SwiftSource]) -> [Violation] {
    Dictionary(grouping: sources.filter { !$0.isTest }, by: \.target).sorted { $0.key < $1.key }
      .flatMap { violations(ofTarget: $0.value) }
  }

  private static func violations(ofTarget sources: [SwiftSource]) -> [Violation] {
    var types: [String: SizedType] = [:]
    for source in sources {
      for part in source.parts { types[part.name, default: SizedType()].add(part, of: source) }
    }
    var wrong: [Violation] = []
    for (name, type) in types.sorted(by: { $0.key < $1.key }) {
      guard let (whole, property) = type.whole, let home = type.home else { continue }
      guard let stated = type.stated else {
        types[whole]?.lineCount += type.lineCount
        continue
      }
      let used = type.uses[property] ?? []
      guard stated != used else { continue }
      let uses = used.sorted().map { "`\($0)`" }.joined(separator: ", ")
      wrong.append(
        Violation(
          home.source.path, home.line, "`\(name)` uses these parts of the \(property): \(uses)"))
    }
    return wrong
      + types.sorted { $0.key < $1.key }.compactMap { name, type in
        let limit = large[name] ?? linesPerType
        guard let home = type.home, type.lineCount > limit else { return nil }
        return Violation(
          home.source.path, 1,
          "`\(name)` has \(type.lineCount) lines over all its files; \(limit) at most")
      }
  }
}

/// A type, in all its files.
private struct SizedType {
  var lineCount = 0
  /// The declaration; nil for an enum, or a type of another target.
  var home: (source: SwiftSource, line: Int)?
  /// The type whose whole state it holds, and the property that holds it.
  var whole: (type: String, property: String)?
  /// The members of each property with a whole state that its code uses.
  var uses: [String: Set<String>] = [:]
  /// The parts that its doc comment names; nil if it names none.
  var stated: Set<String>?

  mutating func add(_ part: SwiftSource.Part, of source: SwiftSource) {
    lineCount += part.lineCount
    for property in TypeSizes.wholes.values {
      uses[property, default: []].formUnion(source.members(of: property, in: part.tokens))
    }
    guard part.isDeclaration else { return }
    home = (source, part.line)
    for (type, property) in TypeSizes.wholes
    where source.hasProperty(property, of: type, in: part.tokens) {
      whole = (type, property)
      stated = source.names(after: TypeSizes.usesMark(property), above: part.line)
    }
  }
}

extension SwiftSource {
  /// A declaration or an extension of a type at the top level of a file.
  fileprivate struct Part {
    let name: String
    /// A Boolean value that indicates whether it declares a struct, a class or an actor.
    let isDeclaration: Bool
    let line: Int
    let lineCount: Int
    /// The indexes of its words and signs.
    let tokens: Range<Int>
  }

  fileprivate var parts: [Part] {
    var found: [Part] = []
    var depth = 0
    var start: (index: Int, isDeclaration: Bool)?
    for (index, token) in tokens.enumerated() {
      switch token.text {
      case "{": depth += 1
      case "}":
        depth -= 1
        guard depth == 0, let begun = start else { continue }
        let name = tokens[begun.index]
        found.append(
          Part(
            name: name.text, isDeclaration: begun.isDeclaration, line: name.line,
            lineCount: token.line - name.line + 1, tokens: begun.index..<index))
        start = nil
      case "struct", "class", "actor", "extension":
        guard depth == 0, index + 1 < tokens.count,
          tokens[index + 1].text.first?.isUppercase == true
        else { continue }
        start = (index + 1, token.text != "extension")
      case "func", "enum", "protocol", "let", "var":
        if depth == 0 { start = nil }
      default: break
      }
    }
    return found
  }

  /// Returns whether a constant of that name and type is declared there.
  fileprivate func hasProperty(_ name: String, of type: String, in range: Range<Int>) -> Bool {
    range.dropLast(3).contains { index in
      tokens[index].text == "let" && tokens[index + 1].text == name
        && tokens[index + 2].text == ":" && tokens[index + 3].text == type
    }
  }

  /// Returns the members that follow a property's name and a dot.
  fileprivate func members(of property: String, in range: Range<Int>) -> Set<String> {
    var found: Set<String> = []
    for index in range.dropLast(2) where tokens[index].text == property {
      let isOwn = tokens[index - 1].text != "." || tokens[index - 2].text == "self"
      if isOwn, tokens[index + 1].text == "." { found.insert(tokens[index + 2].text) }
    }
    return found
  }

  /// Returns the names after some words in the doc comment above a line; nil without these words.
  fileprivate func names(after words: String, above line: Int) -> Set<String>? {
    let comment = lines[..<(line - 1)].reversed().prefix { $0.hasPrefix("///") }.reversed()
      .map { $0.dropFirst(3).drop { $0 == " " } }.joined(separator: " ")
    guard let found = comment.firstRange(of: words) else { return nil }
    let names = comment[found.upperBound...].split(separator: "`", omittingEmptySubsequences: false)
    return Set(names.enumerated().filter { $0.offset % 2 == 1 }.map { String($0.element) })
  }
}
