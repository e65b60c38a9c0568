/// The declarations of a source, found by matching braces: functions with their lengths, types with
/// their names, and imported modules.
extension SwiftSource {
  /// A function, initializer, subscript or computed property with a body.
  struct Function: Equatable {
    let name: String
    let line: Int
    let lineCount: Int
  }

  private static let functionWords: Set<String> = ["func", "init", "deinit", "subscript", "var"]
  private static let typeWords: Set<String> = [
    "struct", "class", "enum", "actor", "protocol", "typealias",
  ]
  private static let declarationWords = functionWords.union(typeWords).union([
    "let", "case", "extension", "import", "associatedtype", "}",
  ])

  /// Every function that has a body, with the lines from its first word to its closing brace.
  var functions: [Function] {
    tokens.indices.compactMap { index in
      let word = tokens[index]
      guard Self.functionWords.contains(word.text), textBefore(index) != ".",
        let open = openingBrace(after: index), let close = closingBrace(of: open)
      else { return nil }
      let next = tokens[index + 1].text
      let name = word.text == "func" || word.text == "var" ? next : word.text
      return Function(
        name: name == "`" ? "(quoted)" : name, line: word.line,
        lineCount: tokens[close].line - word.line + 1)
    }
  }

  /// The name and line of every type that the file declares.
  var typeNames: [Token] {
    tokens.indices.compactMap { index in
      guard Self.typeWords.contains(tokens[index].text), index + 1 < tokens.count,
        !["import", "."].contains(textBefore(index)),
        tokens[index + 1].text.first?.isUppercase == true
      else { return nil }
      return tokens[index + 1]
    }
  }

  /// The name and line of every module that the file imports.
  var imports: [Token] {
    tokens.indices.compactMap { index in
      guard tokens[index].text == "import", index + 1 < tokens.count else { return nil }
      let kinds = Self.typeWords.union(["func", "var", "let"])
      let module = kinds.contains(tokens[index + 1].text) ? index + 2 : index + 1
      return module < tokens.count ? tokens[module] : nil
    }
  }

  private func textBefore(_ index: Int) -> String { index > 0 ? tokens[index - 1].text : "" }

  private func openingBrace(after start: Int) -> Int? {
    let isVariable = tokens[start].text == "var"
    var depth = 0
    for index in tokens.indices[(start + 1)...] {
      let token = tokens[index]
      if isVariable && token.line != tokens[start].line { return nil }
      switch token.text {
      case "(", "[": depth += 1
      case ")", "]": depth -= 1
      case "{" where depth == 0: return index
      case "=" where depth == 0 && isVariable: return nil
      case let text where depth == 0 && Self.declarationWords.contains(text): return nil
      default: break
      }
      if depth < 0 { return nil }
    }
    return nil
  }

  private func closingBrace(of open: Int) -> Int? {
    var depth = 0
    for index in tokens.indices[open...] {
      if tokens[index].text == "{" { depth += 1 }
      if tokens[index].text == "}" { depth -= 1 }
      if depth == 0 { return index }
    }
    return nil
  }
}
