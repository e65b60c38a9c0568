/// Holds answers against the page: each key that comes must stand there with its type, and each
/// that the page promises must come.
public struct JSONCheck: Sendable {
  private let page: JSONPage
  /// What is wrong, each with its place in the answer.
  public private(set) var mistakes: [String] = []
  /// The objects that came.
  public private(set) var objects: Set<String> = []
  /// The optional keys that came, as `Object.key`.
  public private(set) var optional: Set<String> = []
  /// What commands answered, as `command: Object`.
  public private(set) var answers: Set<String> = []

  /// Begins with nothing seen.
  public init(_ page: JSONPage) { self.page = page }

  /// Holds a command's answer against what the page says of it.
  /// - Parameters:
  ///   - answer: What came.
  ///   - words: What the command was given with, without options.
  ///   - what: Who answered, for the mistakes.
  public mutating func take(_ answer: JSONValue, to words: [String], from what: String) {
    let command = page.command(words)
    let object = take(answer, as: command.flatMap { page.answers[$0] } ?? [], from: what)
    if let command, let object { answers.insert("\(command): \(object)") }
  }

  /// Holds an answer against the objects that it may be; it must be one of them.
  /// - Parameters:
  ///   - answer: What came.
  ///   - names: The objects, by their names on the page.
  ///   - what: Who answered, for the mistakes.
  /// - Returns: which of them it is; nil: none.
  @discardableResult
  public mutating func take(
    _ answer: JSONValue, as names: [String], from what: String
  ) -> String? {
    var first: [String]?
    for name in names {
      var trial = JSONCheck(page)
      trial.check(answer, name, at: what)
      guard trial.mistakes.isEmpty else {
        first = first ?? trial.mistakes
        continue
      }
      objects.formUnion(trial.objects)
      optional.formUnion(trial.optional)
      return name
    }
    mistakes += first ?? ["\(what): the page doesn't say what it answers"]
    return nil
  }

  private mutating func check(_ value: JSONValue, _ type: String, at place: String) {
    if JSONPage.plain.contains(type) {
      if !Self.isPlain(value, type) { mistakes.append("\(place) is no \(type)") }
    } else if let words = page.words[type] {
      guard case .string(let word) = value, words.contains(word) else {
        return mistakes.append("\(place) is no word of \(type): \(value)")
      }
    } else if let members = page.objects[type] {
      check(value, type, members, at: place)
    } else {
      mistakes.append("\(place): the page doesn't say what \(type) is")
    }
  }

  private mutating func check(
    _ value: JSONValue, _ type: String, _ members: [String: JSONPage.Member], at place: String
  ) {
    guard case .object(let found) = value else {
      return mistakes.append("\(place) is no object")
    }
    objects.insert(type)
    for (key, value) in found {
      guard let member = members[key] else {
        mistakes.append("\(place).\(key): the page doesn't name it in \(type)")
        continue
      }
      if member.isOptional { optional.insert("\(type).\(key)") }
      guard member.isList else {
        check(value, member.type, at: "\(place).\(key)")
        continue
      }
      guard case .list(let values) = value else {
        mistakes.append("\(place).\(key) is no list")
        continue
      }
      for value in values { check(value, member.type, at: "\(place).\(key)[]") }
    }
    for (key, member) in members where !member.isOptional && found[key] == nil {
      mistakes.append("\(place).\(key) is missing, which the page promises in \(type)")
    }
  }

  private static func isPlain(_ value: JSONValue, _ type: String) -> Bool {
    switch (type, value) {
    case ("string", .string), ("integer", .integer), ("number", .integer), ("number", .number),
      ("boolean", .boolean), ("path", .string):
      return true
    case ("path", .object(let forms)):
      return Set(forms.keys) == ["base64", "text"]
        && forms.values.allSatisfy { if case .string = $0 { true } else { false } }
    case ("time", .string(let text)):
      return text.wholeMatch(of: /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{9}Z/) != nil
    default: return false
    }
  }
}
