/// Requests with one relative path in place of a local one. All other members are valid.
public struct RelativePaths {
  private let api: OpenAPI
  /// An absolute path, for required members.
  private let valid: String
  /// The relative path.
  private let relative: String

  /// Creates requests from the description. Both paths must need no escape in JSON.
  public init(_ api: OpenAPI, valid: String, relative: String) {
    self.api = api
    self.valid = valid
    self.relative = relative
  }

  /// Returns the JSON of each request for a schema: one for each member, at any depth, that names a
  /// local file or a container.
  public func requests(of reference: JSONValue) -> [String] { requests(of: reference, within: []) }

  /// Returns the requests for a schema in other ones. A schema that contains itself, such as that
  /// of a filter, is entered once.
  private func requests(of reference: JSONValue, within outer: Set<String>) -> [String] {
    let (name, schema) = api.resolved(reference)
    guard let schema, name.map({ !outer.contains($0) }) ?? true else { return [] }
    let outer = name.map { outer.union([$0]) } ?? outer
    if isLocal(schema) { return ["\"\(relative)\""] }
    if let items = schema["items"] {
      return requests(of: items, within: outer).map { "[\($0)]" }
    }
    var found = (schema["oneOf"]?.elements ?? []).flatMap { requests(of: $0, within: outer) }
    for (name, member) in schema["properties"]?.members ?? [:] {
      for part in requests(of: member, within: outer) { found.append(object(schema, [name: part])) }
    }
    return found
  }

  /// Returns whether a string must begin with a slash, or may also be the address of a container.
  private func isLocal(_ schema: JSONValue) -> Bool {
    let strings = [schema] + (schema["oneOf"]?.elements ?? [])
    return strings.contains { isLocal(pattern: $0["pattern"]?.text ?? "") }
  }

  private func isLocal(pattern: String) -> Bool {
    pattern.hasPrefix("^/") || pattern.hasPrefix("^(/")
  }

  /// Returns the JSON of a valid value.
  private func value(of reference: JSONValue) -> String {
    guard let schema = api.resolved(reference).schema else { return "null" }
    if isLocal(schema) { return "\"\(valid)\"" }
    if let word = schema["const"]?.text { return "\"\(word)\"" }
    if let first = schema["oneOf"]?.elements.first { return value(of: first) }
    return switch schema["type"]?.text {
    case "string": "\"x\""
    case "integer", "number": "1"
    case "boolean": "false"
    case "array": "[]"
    default: object(schema, [:])
    }
  }

  private func object(_ schema: JSONValue, _ given: [String: String]) -> String {
    var members = given
    for name in schema["required"]?.elements.compactMap(\.text) ?? [] where given[name] == nil {
      members[name] = (schema["properties"]?[name]).map { value(of: $0) }
    }
    return "{" + members.map { "\"\($0)\":\($1)" }.joined(separator: ",") + "}"
  }
}
