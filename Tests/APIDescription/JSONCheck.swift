import Foundation

/// Compares answers with the description. It must name each member of an answer, and an answer must
/// have each member that it requires. The check knows the keywords of JSON Schema that the
/// description uses.
public struct JSONCheck: Sendable {
  private let api: OpenAPI
  /// The mistakes, each with its place in the answer.
  public private(set) var mistakes: [String] = []
  /// The objects in the answers so far.
  public private(set) var objects: Set<String> = []
  /// The optional members in the answers so far, as `Object.member`.
  public private(set) var optional: Set<String> = []
  /// The answers of the commands so far, as `command: Object`.
  public private(set) var answers: Set<String> = []

  /// Creates a check without answers.
  public init(_ api: OpenAPI) { self.api = api }

  /// Compares the answer of a command with the description.
  /// - Parameters:
  ///   - answer: The answer.
  ///   - words: The words of the command, without options.
  ///   - what: The name of the command, for the mistakes.
  public mutating func take(_ answer: JSONValue, to words: [String], from what: String) {
    let command = api.command(words)
    let object = take(answer, as: command.flatMap { api.answers[$0] } ?? [], from: what)
    if let command, let object { answers.insert("\(command): \(object)") }
  }

  /// Compares an answer with the objects that it may be. It must be one of them.
  /// - Parameters:
  ///   - answer: The answer.
  ///   - names: The names of the objects.
  ///   - what: The name of the command, for the mistakes.
  /// - Returns: The name of the object, or nil if it is none of them.
  @discardableResult
  public mutating func take(
    _ answer: JSONValue, as names: [String], from what: String
  ) -> String? {
    let schemas = names.map { JSONValue.object(["$ref": .string("/" + $0)]) }
    guard let index = takeFirst(of: schemas, answer, at: what) else {
      if names.isEmpty { mistakes.append("\(what): openapi.yaml doesn't say what it answers") }
      return nil
    }
    return names[index]
  }

  /// Compares a value with alternatives, and takes the first that fits. If none does, the mistakes
  /// of the first are kept.
  private mutating func takeFirst(
    of schemas: [JSONValue], _ value: JSONValue, at place: String
  ) -> Int? {
    var first: [String]?
    for (index, schema) in schemas.enumerated() {
      var trial = JSONCheck(api)
      trial.check(value, schema, at: place)
      guard trial.mistakes.isEmpty else {
        first = first ?? trial.mistakes
        continue
      }
      objects.formUnion(trial.objects)
      optional.formUnion(trial.optional)
      return index
    }
    mistakes += first ?? []
    return nil
  }

  private mutating func check(_ value: JSONValue, _ reference: JSONValue, at place: String) {
    let (name, found) = api.resolved(reference)
    guard let schema = found else {
      return mistakes.append("\(place): openapi.yaml has no schema \(name ?? "")")
    }
    if let type = schema["type"]?.text, !isValue(value, of: type) {
      return mistakes.append("\(place) is no \(type)")
    }
    if let pattern = schema["pattern"]?.text, !matches(value, pattern) {
      mistakes.append("\(place) doesn't match \(pattern)")
    }
    if let word = schema["const"]?.text, value.text != word {
      mistakes.append("\(place) isn't \(word), but \(value.text ?? "")")
    }
    if let alternatives = schema["oneOf"]?.elements {
      _ = takeFirst(of: alternatives, value, at: place)
    }
    if let items = schema["items"] {
      for element in value.elements { check(element, items, at: "\(place)[]") }
    }
    if let members = schema["properties"]?.members {
      check(value.members, name, schema, members, at: place)
    }
  }

  private mutating func check(
    _ found: [String: JSONValue], _ name: String?, _ schema: JSONValue,
    _ members: [String: JSONValue], at place: String
  ) {
    let required = Set(schema["required"]?.elements.compactMap(\.text) ?? [])
    if let name { objects.insert(name) }
    for (key, value) in found {
      guard let member = members[key] else {
        mistakes.append("\(place).\(key): openapi.yaml doesn't name it in \(name ?? "the object")")
        continue
      }
      if let name, !required.contains(key) { optional.insert("\(name).\(key)") }
      check(value, member, at: "\(place).\(key)")
    }
    for key in required where found[key] == nil {
      mistakes.append("\(place).\(key) is missing, which \(name ?? "the object") requires")
    }
  }

  private func isValue(_ value: JSONValue, of type: String) -> Bool {
    switch (type, value) {
    case ("string", .string), ("integer", .integer), ("number", .integer), ("number", .number),
      ("boolean", .boolean), ("array", .list), ("object", .object):
      true
    default: false
    }
  }

  private func matches(_ value: JSONValue, _ pattern: String) -> Bool {
    guard let text = value.text, let expression = api.patterns[pattern] else { return false }
    let all = NSRange(text.startIndex..., in: text)
    return expression.firstMatch(in: text, range: all) != nil
  }
}
