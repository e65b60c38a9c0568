import CairnZone

extension CloudRecord {
  /// Creates a record that isn't saved yet, with the fields of a value: see `encode(_:)`.
  /// - Parameters:
  ///   - type: The type of the record.
  ///   - id: The id of the record. A value with a property `id` of type `RecordID` has its own.
  ///   - value: The value.
  /// - Throws: The errors of `encode(_:)`.
  public init(
    _ type: String, id: RecordID? = nil, encoding value: some Encodable
  ) throws(CloudError) {
    let encoded = try EncodedFields(of: value)
    if let id, let own = encoded.id, own != id {
      throw CloudError(.invalidArguments, "the value is record \(own), not \(id)")
    }
    self.init(type, id: encoded.id ?? id ?? .random())
    replace(with: encoded)
  }

  /// Sets the fields to the properties of a value. A field that the value doesn't have stays as it
  /// is, so an older program keeps the fields of a newer one. A property that is nil removes its
  /// field.
  ///
  /// A property is a text, a number, a Boolean value, a `Date`, `Data` or `[UInt8]`, a `RecordID`
  /// (a reference), an `Asset`, a `FieldValue`, an enumeration with a raw value of these types, or
  /// an array of them. A property `id` of type `RecordID` is the id of the record, and no field.
  /// - Parameter value: The value.
  /// - Throws: `CloudError` with `.invalidArguments` for a value that isn't a structure with such
  ///   properties, or that has the id of another record.
  public mutating func encode(_ value: some Encodable) throws(CloudError) {
    let encoded = try EncodedFields(of: value)
    if let own = encoded.id, own != id {
      throw CloudError(.invalidArguments, "the value is record \(own), not \(id)")
    }
    replace(with: encoded)
  }

  private mutating func replace(with encoded: EncodedFields) {
    for (name, value) in encoded.fields { self[name] = value }
  }

  /// Returns a value whose properties are the fields. Fields without a property are ignored.
  /// - Parameter type: The type of the value.
  /// - Returns: The value.
  /// - Throws: `CloudError` with `.invalidArguments` if a field is missing, or of another kind than
  ///   its property.
  public func decode<Value: Decodable>(
    _ type: Value.Type = Value.self
  ) throws(CloudError) -> Value {
    do { return try Value(from: RecordDecoder(record: self)) } catch let error as CloudError {
      throw error
    } catch let error as DecodingError {
      throw CloudError(
        .invalidArguments, "record \(id) can't be read as \(type): \(error.fieldProblem)")
    } catch { throw CloudError(error) }
  }
}

extension DecodingError {
  /// The field and its problem, for people.
  fileprivate var fieldProblem: String {
    func name(_ path: [any CodingKey]) -> String { path.first?.stringValue ?? "record" }
    return switch self {
    case .keyNotFound(let key, _): "it has no field \(key.stringValue)"
    case .valueNotFound(_, let context): "the field \(name(context.codingPath)) is missing"
    case .typeMismatch(_, let context), .dataCorrupted(let context):
      "the field \(name(context.codingPath)): \(context.debugDescription)"
    @unknown default: "\(self)"
    }
  }
}

extension RecordID: Codable {
  /// Encodes a reference in a record, and the text of the id elsewhere.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(description)
  }

  /// Decodes the text of an id.
  /// - Throws: `DecodingError` for a text that is no id.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let text = try container.decode(String.self)
    guard let id = RecordID(text) else {
      throw DecodingError.dataCorruptedError(in: container, debugDescription: "\(text) is no id")
    }
    self = id
  }
}

extension FieldValue: Codable {
  /// Refuses: a value of any kind is kept by a record only.
  /// - Throws: `EncodingError` for any other encoder than that of `CloudRecord`.
  public func encode(to encoder: any Encoder) throws {
    throw EncodingError.recordOnly(self, encoder)
  }

  /// Refuses: a value of any kind is kept by a record only.
  /// - Throws: `DecodingError` for any other decoder than that of `CloudRecord`.
  public init(from decoder: any Decoder) throws { throw DecodingError.recordOnly(decoder) }
}

extension Asset: Codable {
  /// Refuses: an asset is kept by a record only.
  /// - Throws: `EncodingError` for any other encoder than that of `CloudRecord`.
  public func encode(to encoder: any Encoder) throws {
    throw EncodingError.recordOnly(self, encoder)
  }

  /// Refuses: an asset is kept by a record only.
  /// - Throws: `DecodingError` for any other decoder than that of `CloudRecord`.
  public init(from decoder: any Decoder) throws { throw DecodingError.recordOnly(decoder) }
}

extension EncodingError {
  fileprivate static func recordOnly(_ value: Any, _ encoder: any Encoder) -> EncodingError {
    .invalidValue(
      value,
      Context(
        codingPath: encoder.codingPath,
        debugDescription: "\(type(of: value)) can be kept in a record only"))
  }
}

extension DecodingError {
  fileprivate static func recordOnly(_ decoder: any Decoder) -> DecodingError {
    .dataCorrupted(
      Context(
        codingPath: decoder.codingPath, debugDescription: "this can be read from a record only"))
  }
}
