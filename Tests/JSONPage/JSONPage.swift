import Foundation

/// The description of all answers in cairn-json(7), read from the page itself. All of its items
/// have one form, so that a program can compare it with the output of commands.
public struct JSONPage: Sendable {
  /// A key of an object.
  public struct Member: Sendable, Hashable {
    /// The type of its value, or of each value in its list: `string`, another plain type, an object
    /// or words.
    public var type: String
    /// A Boolean value that indicates whether it is a list.
    public var isList: Bool
    /// A Boolean value that indicates whether it may be missing.
    public var isOptional: Bool
    /// The description on the page.
    public var text: String
  }

  /// The types that are neither objects nor words.
  public static let plain: Set<String> = [
    "string", "integer", "number", "boolean", "path", "time",
  ]

  /// The objects that each command may answer, by the words of the command.
  public private(set) var answers: [String: [String]] = [:]
  /// The keys of each object.
  public private(set) var objects: [String: [String: Member]] = [:]
  /// The commands that the page names in the first words of an object, by the object.
  public private(set) var tellers: [String: Set<String>] = [:]
  /// The values that are words, by the names of their types.
  public private(set) var words: [String: Set<String>] = [:]
  /// Items with an unknown form.
  public private(set) var strangers: [String] = []

  /// Reads the page of this repository. Throws the system's error about its file.
  public init() throws {
    let manual = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appending(path: "man")
    self.init(
      try String(contentsOf: manual.appending(path: "cairn-json.7"), encoding: .utf8),
      errors: try String(contentsOf: manual.appending(path: "cairn-errors.7"), encoding: .utf8))
  }

  /// Reads a page, and the names of errors from another one.
  public init(_ page: String, errors: String) {
    var (section, title) = ("", "")
    var item: String?
    for line in page.split(separator: "\n").map(String.init) {
      if line.hasPrefix(".Sh ") {
        (section, title, item) = (String(line.dropFirst(4)), "", nil)
      } else if line.hasPrefix(".Ss ") {
        (title, item) = (String(line.dropFirst(4)), nil)
        if section == "OBJECTS" { objects[title] = [:] }
      } else if line.hasPrefix(".El") {
        item = nil
      } else if line.hasPrefix(".It ") {
        item = take(String(line.dropFirst(4)), section, title)
      } else if section == "OBJECTS", let item {
        objects[title]?[item]?.text += " " + line
      } else if section == "OBJECTS", objects[title]?.isEmpty ?? false,
        let match = line.wholeMatch(of: /\.Li "?([a-z -]+?)(?: --[a-z-]+)?"?(?: [,.:])?/)
      {
        tellers[title, default: []].insert(String(match.output.1))
      }
    }
    words["ErrorCode"] = Set(
      errors.matches(of: /(?m)^\.It \d+ Pq Li (\w+)$/).map { String($0.output.1) })
  }

  /// Takes an item.
  /// - Returns: The key that the lines after it describe.
  private mutating func take(_ item: String, _ section: String, _ title: String) -> String? {
    switch section {
    case "ANSWERS":
      if let match = item.wholeMatch(of: /Cm ([a-z -]+) No : ((?:Em \w+(?: No or )?)+)/) {
        let names = match.output.2.matches(of: /Em (\w+)/).map { String($0.output.1) }
        answers[String(match.output.1)] = names
        return nil
      }
    case "OBJECTS":
      if let match = item.wholeMatch(
        of: /Va (\w+) No : (No list of )?Em (\w+)( No \(optional\))?/)
      {
        let key = String(match.output.1)
        objects[title]?[key] = Member(
          type: String(match.output.3), isList: match.output.2 != nil,
          isOptional: match.output.4 != nil, text: "")
        return key
      }
    case "WORDS":
      if let match = item.wholeMatch(of: /Li "?([a-z -]+)"?/) {
        words[title, default: []].insert(String(match.output.1))
        return nil
      }
    default: return nil
    }
    strangers.append(item)
    return nil
  }

  /// The longest command that the words begin with, or nil if there is none.
  public func command(_ words: [String]) -> String? {
    for count in stride(from: min(2, words.count), to: 0, by: -1) {
      let command = words.prefix(count).joined(separator: " ")
      if answers[command] != nil { return command }
    }
    // Most groups of commands list by default.
    return words.first.map { $0 + " list" }.flatMap { answers[$0] == nil ? nil : $0 }
  }

  /// All promises of the page: each object of each command, as `command: Object`.
  public var promises: Set<String> {
    Set(answers.flatMap { command, names in names.map { "\(command): \($0)" } })
  }

  /// All optional keys, as `Object.key`.
  public var optional: Set<String> {
    Set(
      objects.flatMap { type, members in
        members.filter(\.value.isOptional).map { "\(type).\($0.key)" }
      })
  }
}
