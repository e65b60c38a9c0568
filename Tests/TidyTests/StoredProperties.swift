/// The mutable stored properties of types. A reader of any method has to keep all of them in mind.
extension SwiftSource {
  /// A type, and its mutable stored properties.
  struct State: Equatable {
    let name: String
    let line: Int
    let properties: [String]
  }

  /// Every class, struct and actor that the file declares.
  var states: [State] {
    tokens.indices.compactMap { index in
      guard ["class", "struct", "actor"].contains(tokens[index].text), index + 1 < tokens.count,
        tokens[index + 1].text.first?.isUppercase == true,
        let open = tokens[index...].firstIndex(where: { $0.text == "{" })
      else { return nil }
      return State(
        name: tokens[index + 1].text, line: tokens[index].line, properties: properties(after: open))
    }
  }

  /// The mutable stored properties in the body that begins at a brace, and not in those inside it.
  private func properties(after open: Int) -> [String] {
    var found: [String] = []
    var depth = 0
    for index in tokens.indices[open...] {
      switch tokens[index].text {
      case "{", "(", "[": depth += 1
      case "}", ")", "]": depth -= 1
      case "var" where depth == 1 && !isStatic(index) && isStored(index):
        found.append(tokens[index + 1].text)
      default: break
      }
      if depth == 0 { return found }
    }
    return found
  }

  private func isStatic(_ index: Int) -> Bool {
    tokens[..<index].reversed().prefix { $0.line == tokens[index].line }
      .contains { $0.text == "static" || $0.text == "class" }
  }

  /// A Boolean value that indicates whether no body follows the name and its type.
  private func isStored(_ index: Int) -> Bool {
    var depth = 0
    for next in tokens.indices[(index + 1)...] {
      guard tokens[next].line == tokens[index].line else { return true }
      switch tokens[next].text {
      case "(", "[": depth += 1
      case ")", "]": depth -= 1
      case "=" where depth == 0: return true
      case "{" where depth == 0:
        return next + 1 < tokens.count && ["didSet", "willSet"].contains(tokens[next + 1].text)
      default: break
      }
    }
    return true
  }
}
