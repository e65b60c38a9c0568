/// Compares answers with the page. The page must have each key of an answer with its type, and an
/// answer must have each key that the page promises.
public struct JSONCheck: Sendable {
  private let page: JSONPage
  /// The mistakes, each with its place in the answer.
  public private(set) var mistakes: [String] = []
  /// The objects in the answers so far.
  public private(set) var objects: Set<String> = []
  /// The optional keys in the answers so far, as `Object.key`.
  public private(set) var optional: Set<String> = []
  /// The answers of the commands so far, as `command: Object`.
  public private(set) var answers: Set<String> = []

  /// Creates a check without answers.
  public init(_ page: JSONPage) { self.page = page }

  /// Compares the answer of a command with the page.
  /// - Parameters:
  ///   - answer: The answer.
  ///   - words: The words of the command, without options.
  ///   - what: The name of the command, for the mistakes.
  public mutating func take(_ answer: JSONValue, to words: [String], from what: String) {
    let command = page.command(words)
    let object = take(answer, as: command.flatMap { page.answers[$0] } ?? [], from: what)
    if let command, let object { answers.insert("\(command): \(object)") }
  }

  /// Compares an answer with the objects that it may be. It must be one of them.
  /// - Parameters:
  ///   - answer: The answer.
  ///   - names: The objects, by their names on the page.
  ///   - what: The name of the command, for the mistakes.
  /// - Returns: The name of the object, or nil if it is none of them.
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
