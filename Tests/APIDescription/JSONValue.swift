/// A value of JSON.
public enum JSONValue: Decodable, Sendable {
  case null
  case boolean(Bool)
  case integer
  case number
  case string(String)
  case list([JSONValue])
  case object([String: JSONValue])

  /// Decodes any value. Throws `DecodingError` if the input isn't JSON.
  public init(from decoder: any Decoder) throws {
    let value = try decoder.singleValueContainer()
    // The kinds are tried one after the other. The error of the last one is thrown.
    if value.decodeNil() {
      self = .null
    } else if let found = try? value.decode(Bool.self) {
      self = .boolean(found)
    } else if (try? value.decode(Int64.self)) != nil || (try? value.decode(UInt64.self)) != nil {
      self = .integer
    } else if (try? value.decode(Double.self)) != nil {
      self = .number
    } else if let found = try? value.decode(String.self) {
      self = .string(found)
    } else if let found = try? value.decode([JSONValue].self) {
      self = .list(found)
    } else {
      self = .object(try value.decode([String: JSONValue].self))
    }
  }

  /// The member with this name; nil without one.
  public subscript(name: String) -> JSONValue? { members[name] }

  /// The members of an object; none for other values.
  public var members: [String: JSONValue] {
    if case .object(let members) = self { members } else { [:] }
  }

  /// The elements of a list; none for other values.
  public var elements: [JSONValue] { if case .list(let elements) = self { elements } else { [] } }

  /// The text of a string; nil for other values.
  public var text: String? { if case .string(let text) = self { text } else { nil } }

  /// Returns the values of all members with this name, at any depth.
  func values(of name: String) -> [JSONValue] {
    members.flatMap { $0 == name ? [$1] : $1.values(of: name) }
      + elements.flatMap { $0.values(of: name) }
  }
}
