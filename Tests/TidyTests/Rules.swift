/// The rules of the house about one file, except layers and banned code. Each returns the places
/// that break it.
enum Rules {
  static let linesPerSource = 400
  static let linesPerTest = 500
  static let linesPerFunction = 60
  static let columnsPerLine = 100
  static let propertiesPerType = 12
  static let bytesPerFile = 320 * 1024

  /// Words that have no meaning in a name.
  static let emptyWords: Set<String> = [
    "Manager", "Helper", "Helpers", "Util", "Utils", "Utility", "Utilities", "Common", "Base",
    "Impl", "Info", "Data", "Handler", "Service", "Wrapper",
  ]

  /// All rules for a Swift source.
  static func violations(in source: SwiftSource) -> [Violation] {
    lengths(of: source) + functionLengths(in: source) + states(in: source) + names(in: source)
      + marks(in: source) + expectations(in: source) + Layers.violations(in: source)
      + BannedCode.table.flatMap { $0.violations(in: source) }
  }

  static func lengths(of source: SwiftSource) -> [Violation] {
    let isGenerated = source.path.contains("/Generated/")
    let limit = isGenerated ? Int.max : source.isTest ? linesPerTest : linesPerSource
    var violations = source.lines.enumerated().filter { $0.element.count > columnsPerLine }.map {
      Violation(
        source.path, $0.offset + 1, "\($0.element.count) columns; \(columnsPerLine) at most")
    }
    if source.lines.count > limit {
      violations.append(
        Violation(source.path, limit + 1, "\(source.lines.count) lines; \(limit) at most"))
    }
    return violations
  }

  static func functionLengths(in source: SwiftSource) -> [Violation] {
    source.functions.filter { $0.lineCount > linesPerFunction }.map {
      Violation(
        source.path, $0.line, "`\($0.name)` has \($0.lineCount) lines; \(linesPerFunction) at most")
    }
  }

  /// Types that are larger. These numbers may only become smaller, and nothing may be added.
  static let largeStates = ["MountStatus": 20, "ZoneHeader": 20]

  static func states(in source: SwiftSource) -> [Violation] {
    guard !source.isTest, !source.path.contains("/Generated/") else { return [] }
    return source.states.compactMap { state in
      let limit = largeStates[state.name] ?? propertiesPerType
      let count = state.properties.count
      guard count > limit else { return nil }
      return Violation(
        source.path, state.line,
        "`\(state.name)` has \(count) stored properties that may change; \(limit) at most: "
          + "give those that belong together a type of their own, with the rules that hold for them"
      )
    }
  }

  static func names(in source: SwiftSource) -> [Violation] {
    let fileName = source.name.split(separator: ".").first.map(String.init) ?? ""
    let names = [SwiftSource.Token(text: fileName, line: 1)] + source.typeNames
    return names.flatMap { name in
      humps(of: name.text).filter { emptyWords.contains($0) }.map {
        Violation(
          source.path, name.line, "`\(name.text)`: `\($0)` says nothing; say what it does or holds")
      }
    }
  }

  static func marks(in source: SwiftSource) -> [Violation] {
    let marks = BannedCode.marks.filter { source.has($0.mark) }
    if marks.isEmpty { return [] }
    return source.lines.enumerated().flatMap { index, line in
      marks.filter { line.contains($0.mark) }.map {
        Violation(source.path, index + 1, "`\($0.mark)`: \($0.advice)")
      }
    }
  }

  /// A file with tests, or with the name of a test file, must expect something.
  static func expectations(in source: SwiftSource) -> [Violation] {
    guard source.isTest else { return [] }
    guard source.codeHas("@Test") || source.name.hasSuffix("Tests.swift"),
      !source.codeHas("#expect"), !source.codeHas("#require"), !source.codeHas("Issue.record")
    else { return [] }
    return [Violation(source.path, 1, "no `#expect` and no `#require`: it can't fail")]
  }

  /// The words of a name: `HTTPResponseHandler` gives `HTTP`, `Response`, `Handler`.
  static func humps(of name: String) -> [String] {
    let characters = Array(name)
    var words: [String] = []
    for (index, character) in characters.enumerated() {
      let startsWord =
        character.isUppercase
        && (index == 0 || !characters[index - 1].isUppercase
          || (index + 1 < characters.count && characters[index + 1].isLowercase))
      if startsWord || words.isEmpty || !character.isLetter {
        words.append(String(character))
      } else {
        words[words.count - 1].append(character)
      }
    }
    return words
  }
}
