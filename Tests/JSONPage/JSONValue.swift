/// Any value of JSON.
public enum JSONValue: Decodable, Sendable {
  case null
  case boolean(Bool)
  case integer
  case number
  case string(String)
  case list([JSONValue])
  case object([String: JSONValue])

  /// Takes whatever is there; throws `DecodingError` for what is no JSON.
  public init(from decoder: any Decoder) throws {
    let value = try decoder.singleValueContainer()
    // What isn't one thing is tried as the next; the last one's error is told.
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
}
