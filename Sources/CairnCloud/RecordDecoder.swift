import FoundationEssentials

/// Decodes a structure from the fields of a record.
struct RecordDecoder: Decoder {
  let record: CloudRecord
  let codingPath: [any CodingKey] = []
  let userInfo: [CodingUserInfoKey: Any] = [:]

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedDecodingContainer<Key> {
    KeyedDecodingContainer(Fields<Key>(record: record))
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer { throw refusal }

  func singleValueContainer() throws -> any SingleValueDecodingContainer { throw refusal }

  private var refusal: CloudError {
    CloudError(.invalidArguments, "a record is read as a structure with properties")
  }
}

private struct Fields<Key: CodingKey>: KeyedDecodingContainerProtocol {
  let record: CloudRecord
  let codingPath: [any CodingKey] = []

  var allKeys: [Key] { (record.fields.keys.sorted() + ["id"]).compactMap { Key(stringValue: $0) } }

  func contains(_ key: Key) -> Bool { value(key) != nil }

  private func value(_ key: Key) -> FieldValue? {
    record[key.stringValue] ?? (key.stringValue == "id" ? .reference(record.id) : nil)
  }

  func decodeNil(forKey key: Key) -> Bool { value(key) == nil }

  func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
    guard let value = value(key) else {
      throw DecodingError.keyNotFound(key, .init(codingPath: [], debugDescription: ""))
    }
    return try value.decode(type, [key])
  }

  func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type, forKey key: Key
  ) throws -> KeyedDecodingContainer<Nested> {
    throw FieldValue.mismatch(type, [key])
  }

  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
    try superDecoder(forKey: key).unkeyedContainer()
  }

  func superDecoder() throws -> any Decoder { RecordDecoder(record: record) }

  func superDecoder(forKey key: Key) throws -> any Decoder {
    guard let value = value(key) else {
      throw DecodingError.keyNotFound(key, .init(codingPath: [], debugDescription: ""))
    }
    return ValueDecoder(value: value, codingPath: [key])
  }
}

extension FieldValue {
  fileprivate static func mismatch(_ type: Any.Type, _ path: [any CodingKey]) -> DecodingError {
    .typeMismatch(type, .init(codingPath: path, debugDescription: "it isn't a value of \(type)"))
  }

  /// The property of a field value.
  fileprivate func decode<Value: Decodable>(
    _ type: Value.Type, _ path: [any CodingKey]
  ) throws -> Value {
    if let value = known(as: type) {
      guard let value = value as? Value else { throw Self.mismatch(type, path) }
      return value
    }
    return try Value(from: ValueDecoder(value: self, codingPath: path))
  }

  /// The value for a type that fields have a kind for; an inner nil if it is of another kind, an
  /// outer one for other types.
  private func known(as type: Any.Type) -> Any?? {
    if type == FieldValue.self { return .some(self) }
    if type == String.self { return .some(string) }
    if type == Bool.self { return .some(bool) }
    if type == RecordID.self { return .some(record) }
    if type == Asset.self { return .some(file) }
    if type == Double.self || type == Float.self {
      guard case .number(let number) = self else { return .some(nil) }
      return .some(type == Float.self ? Float(number) : number)
    }
    if type == [UInt8].self || type == Data.self {
      guard case .bytes(let bytes) = self else { return .some(nil) }
      return .some(type == Data.self ? Data(bytes) : bytes)
    }
    if type == Date.self {
      guard case .date(let time) = self else { return .some(nil) }
      return .some(Date(nanoseconds: time))
    }
    if let integer = type as? any FixedWidthInteger.Type { return .some(number(as: integer)) }
    return nil
  }

  private func number<Number: FixedWidthInteger>(as type: Number.Type) -> Any? {
    int.flatMap { Number(exactly: $0) }
  }
}

/// Decodes one property that isn't of a known type: an enumeration, or an array.
private struct ValueDecoder: Decoder {
  let value: FieldValue
  let codingPath: [any CodingKey]
  let userInfo: [CodingUserInfoKey: Any] = [:]

  func container<Key: CodingKey>(
    keyedBy type: Key.Type
  ) throws -> KeyedDecodingContainer<Key> {
    throw FieldValue.mismatch(type, codingPath)
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    guard let values = value.values else { throw FieldValue.mismatch([Any].self, codingPath) }
    return Values(values: values, codingPath: codingPath)
  }

  func singleValueContainer() -> any SingleValueDecodingContainer {
    Single(value: value, codingPath: codingPath)
  }
}

private struct Single: SingleValueDecodingContainer {
  let value: FieldValue
  let codingPath: [any CodingKey]

  func decodeNil() -> Bool { false }

  func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
    try value.decode(type, codingPath)
  }
}

private struct Values: UnkeyedDecodingContainer {
  let values: [FieldValue]
  let codingPath: [any CodingKey]
  var currentIndex = 0

  var count: Int? { values.count }
  var isAtEnd: Bool { currentIndex == values.count }

  private mutating func next(_ type: Any.Type) throws -> FieldValue {
    guard !isAtEnd else { throw FieldValue.mismatch(type, codingPath) }
    defer { currentIndex += 1 }
    return values[currentIndex]
  }

  mutating func decodeNil() -> Bool { false }

  mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
    try next(type).decode(type, codingPath)
  }

  mutating func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type
  ) throws -> KeyedDecodingContainer<Nested> {
    throw FieldValue.mismatch(type, codingPath)
  }

  mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
    throw FieldValue.mismatch([Any].self, codingPath)
  }

  mutating func superDecoder() throws -> any Decoder {
    ValueDecoder(value: try next(Any.self), codingPath: codingPath)
  }
}
