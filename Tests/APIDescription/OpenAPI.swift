import Foundation

/// The description of the daemon's API in Sources/CairnControl/openapi.yaml.
public struct OpenAPI: Sendable {
  /// The objects that each command may print, by the words of the command.
  public let answers: [String: [String]]
  /// The schema of each operation's request, by the operation's name in the address. Without one,
  /// the request is an empty object.
  public let requests: [String: JSONValue]
  /// The requests of the daemon program, which reads them from its input, by the argument.
  public let programs: [String: JSONValue]
  /// The named schemas.
  public let schemas: [String: JSONValue]
  /// The patterns of all strings, by their text.
  let patterns: [String: NSRegularExpression]

  private static let generator = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: "Sources/CairnControl/generate")

  /// Reads the description of this repository. Throws if it can't be read.
  public init() throws {
    let (status, output) = try Self.generate("--json")
    guard status == 0 else { throw CocoaError(.fileReadCorruptFile) }
    try self.init(JSONDecoder().decode(JSONValue.self, from: output))
  }

  /// Reads a description. Throws if a pattern is no regular expression.
  init(_ document: JSONValue) throws {
    answers = (document["x-commands"]?.members ?? [:]).mapValues { $0.elements.compactMap(\.text) }
    requests = Self.requests(document["paths"], after: "/v1/")
    programs = Self.requests(document["x-programs"], after: "cairnd ")
    schemas = document["components"]?["schemas"]?.members ?? [:]
    var patterns: [String: NSRegularExpression] = [:]
    for pattern in document.values(of: "pattern").compactMap(\.text) {
      patterns[pattern] = try NSRegularExpression(pattern: pattern)
    }
    self.patterns = patterns
  }

  private static func requests(_ paths: JSONValue?, after prefix: String) -> [String: JSONValue] {
    var found: [String: JSONValue] = [:]
    for (path, item) in paths?.members ?? [:] where path.hasPrefix(prefix) {
      let body = item["post"]?["requestBody"]?["content"]?["application/json"]?["schema"]
      found[String(path.dropFirst(prefix.count))] = body ?? .object([:])
    }
    return found
  }

  /// Runs the generator with an argument.
  /// - Returns: Its exit status and its output.
  public static func generate(_ argument: String) throws -> (Int32, Data) {
    let process = Process()
    process.executableURL = generator
    process.arguments = [argument]
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let text = try output.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    return (process.terminationStatus, text)
  }

  /// Returns the schema itself, or the named one that it refers to, with the name.
  func resolved(_ schema: JSONValue) -> (name: String?, schema: JSONValue?) {
    guard let name = schema["$ref"]?.text?.split(separator: "/").last.map(String.init) else {
      return (nil, schema)
    }
    return (name, schemas[name])
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

  /// All promises to commands: each object of each command, as `command: Object`.
  public var promises: Set<String> {
    Set(answers.flatMap { command, names in names.map { "\(command): \($0)" } })
  }

  /// The members of each object that commands print, by the object.
  public var objects: [String: [String: JSONValue]] {
    var found: [String: [String: JSONValue]] = [:]
    var rest = Array(Set(answers.values.joined()).union(["ControlError", "Progress"]))
    while let name = rest.popLast() {
      guard found[name] == nil, let schema = schemas[name],
        let members = schema["properties"]?.members
      else { continue }
      found[name] = members
      rest += schema.values(of: "$ref").compactMap { resolved(.object(["$ref": $0])).name }
    }
    return found
  }

  /// Returns whether an object has a member only sometimes.
  public func isOptional(_ member: String, in object: String) -> Bool {
    let required = schemas[object]?["required"]?.elements.compactMap(\.text) ?? []
    return !required.contains(member)
  }

  /// All optional members that commands print, as `Object.member`.
  public var optional: Set<String> {
    Set(
      objects.flatMap { object, members in
        members.keys.filter { isOptional($0, in: object) }.map { "\(object).\($0)" }
      })
  }
}
