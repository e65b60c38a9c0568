import FoundationEssentials

/// The fields that the properties of a value become.
struct EncodedFields {
  /// The fields; nil for those that the value doesn't have any more.
  private(set) var fields: [String: FieldValue?] = [:]
  /// The value's own id; nil if it has none.
  private(set) var id: RecordID?

  /// Encodes a value.
  /// - Throws: `CloudError` with `.invalidArguments` if it isn't a structure of field values.
  init(of value: some Encodable) throws(CloudError) {
    let box = Box()
    do {
      try value.encode(to: RecordEncoder(box: box))
      guard box.isStructure else {
        throw CloudError(.invalidArguments, "\(type(of: value)) isn't a structure with properties")
      }
    } catch let error as CloudError { throw error } catch {
      throw CloudError(.invalidArguments, "\(type(of: value)): \(error)")
    }
    (fields, id) = (box.fields, box.id)
  }

  /// The fields so far.
  final class Box {
    var fields: [String: FieldValue?] = [:]
    var id: RecordID?
    var isStructure = false

    func set(_ value: FieldValue?, for key: any CodingKey) {
      if key.stringValue == "id", case .reference(let own)? = value {
        id = own
      } else {
        fields.updateValue(value, forKey: key.stringValue)
      }
    }
  }
}

extension FieldValue {
  /// Creates the field value of a property.
  init<Value: Encodable>(encoding value: Value, _ path: [any CodingKey]) throws {
    // An empty array of any type can be cast to one of bytes, so the type itself is compared.
    if Value.self == [UInt8].self, let bytes = value as? [UInt8] {
      self = .bytes(bytes)
      return
    }
    switch value {
    case let value as FieldValue: self = value
    case let value as String: self = .text(value)
    case let value as Bool: self = .boolean(value)
    case let value as Double: self = .number(value)
    case let value as Float: self = .number(Double(value))
    case let value as RecordID: self = .reference(value)
    case let value as Asset: self = .asset(value)
    case let value as Data: self = .bytes([UInt8](value))
    case let value as Date:
      guard let time = value.nanoseconds else {
        throw Self.refusal(path, "the date is before 1678 or after 2262")
      }
      self = .date(time)
    case let value as any BinaryInteger:
      guard let number = Int64(exactly: value) else {
        throw Self.refusal(path, "the number is larger than 64 bits with a sign")
      }
      self = .integer(number)
    default:
      let box = ValueBox()
      try value.encode(to: ValueEncoder(box: box, codingPath: path))
      guard let found = box.value else {
        throw Self.refusal(path, "a field can't hold a structure")
      }
      self = found
    }
  }

  private static func refusal(_ path: [any CodingKey], _ text: String) -> CloudError {
    CloudError(.invalidArguments, "the property \(path.first?.stringValue ?? ""): \(text)")
  }
}

extension Date {
  /// The nanoseconds since 1970; nil if they don't fit into 64 bits.
  var nanoseconds: Int64? {
    // The whole seconds are taken apart, because all of them together with the fraction have more
    // digits than a floating-point number.
    let whole = timeIntervalSinceReferenceDate.rounded(.down)
    let fraction = ((timeIntervalSinceReferenceDate - whole) * 1e9).rounded()
    guard let seconds = Int64(exactly: whole + Self.timeIntervalBetween1970AndReferenceDate) else {
      return nil
    }
    let (product, hasOverflown) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    let (sum, isTooLarge) = product.addingReportingOverflow(Int64(fraction))
    return hasOverflown || isTooLarge ? nil : sum
  }

  /// Creates a date from the nanoseconds since 1970.
  init(nanoseconds: Int64) {
    let (seconds, rest) = nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
    let whole = Double(seconds) - Self.timeIntervalBetween1970AndReferenceDate
    self.init(timeIntervalSinceReferenceDate: whole + Double(rest) / 1e9)
  }
}

/// Encodes a structure into fields.
private struct RecordEncoder: Encoder {
  let box: EncodedFields.Box
  let codingPath: [any CodingKey] = []
  let userInfo: [CodingUserInfoKey: Any] = [:]

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    box.isStructure = true
    return KeyedEncodingContainer(FieldsContainer<Key>(box: box))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    ListContainer(box: ValueBox(), codingPath: [])
  }

  func singleValueContainer() -> any SingleValueEncodingContainer {
    SingleContainer(box: ValueBox(), codingPath: [])
  }
}

private struct FieldsContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
  let box: EncodedFields.Box
  let codingPath: [any CodingKey] = []

  mutating func encodeNil(forKey key: Key) { box.set(nil, for: key) }

  mutating func encode(_ value: some Encodable, forKey key: Key) throws {
    box.set(try FieldValue(encoding: value, [key]), for: key)
  }

  // A synthesised conformance encodes optional properties this way. The default of each type would
  // leave out a property that is nil.
  mutating func encodeIfPresent(_ value: (some Encodable)?, forKey key: Key) throws {
    try put(value, key)
  }

  mutating func encodeIfPresent(_ value: Bool?, forKey key: Key) throws { try put(value, key) }
  mutating func encodeIfPresent(_ value: String?, forKey key: Key) throws { try put(value, key) }
  mutating func encodeIfPresent(_ value: Double?, forKey key: Key) throws { try put(value, key) }
  mutating func encodeIfPresent(_ value: Float?, forKey key: Key) throws { try put(value, key) }
  mutating func encodeIfPresent(_ value: Int?, forKey key: Key) throws { try put(value, key) }
  mutating func encodeIfPresent(_ value: Int8?, forKey key: Key) throws { try put(value, key) }
  mutating func encodeIfPresent(_ value: Int16?, forKey key: Key) throws { try put(value, key) }
  mutating func encodeIfPresent(_ value: Int32?, forKey key: Key) throws { try put(value, key) }
  mutating func encodeIfPresent(_ value: Int64?, forKey key: Key) throws { try put(value, key) }
  mutating func encodeIfPresent(_ value: UInt?, forKey key: Key) throws { try put(value, key) }
  mutating func encodeIfPresent(_ value: UInt8?, forKey key: Key) throws { try put(value, key) }
  mutating func encodeIfPresent(_ value: UInt16?, forKey key: Key) throws { try put(value, key) }
  mutating func encodeIfPresent(_ value: UInt32?, forKey key: Key) throws { try put(value, key) }
  mutating func encodeIfPresent(_ value: UInt64?, forKey key: Key) throws { try put(value, key) }

  private mutating func put(_ value: (some Encodable)?, _ key: Key) throws {
    if let value { try encode(value, forKey: key) } else { encodeNil(forKey: key) }
  }

  mutating func nestedContainer<Nested: CodingKey>(
    keyedBy keyType: Nested.Type, forKey key: Key
  ) -> KeyedEncodingContainer<Nested> {
    KeyedEncodingContainer(NoFields<Nested>(codingPath: [key]))
  }

  mutating func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
    ListContainer(box: ValueBox { [box] in box.set($0, for: key) }, codingPath: [key])
  }

  mutating func superEncoder() -> any Encoder { ValueEncoder(box: ValueBox(), codingPath: []) }

  mutating func superEncoder(forKey key: Key) -> any Encoder {
    ValueEncoder(box: ValueBox { [box] in box.set($0, for: key) }, codingPath: [key])
  }
}

/// The place of one value while it is encoded.
private final class ValueBox {
  private let onChange: (FieldValue) -> Void
  var value: FieldValue? { didSet { if let value { onChange(value) } } }

  init(_ onChange: @escaping (FieldValue) -> Void = { _ in }) { self.onChange = onChange }
}

/// Encodes one property that isn't of a known type: an enumeration, or an array.
private struct ValueEncoder: Encoder {
  let box: ValueBox
  let codingPath: [any CodingKey]
  let userInfo: [CodingUserInfoKey: Any] = [:]

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    KeyedEncodingContainer(NoFields<Key>(codingPath: codingPath))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    box.value = .list([])
    return ListContainer(box: box, codingPath: codingPath)
  }

  func singleValueContainer() -> any SingleValueEncodingContainer {
    SingleContainer(box: box, codingPath: codingPath)
  }
}

private struct SingleContainer: SingleValueEncodingContainer {
  let box: ValueBox
  let codingPath: [any CodingKey]

  mutating func encodeNil() {}

  mutating func encode(_ value: some Encodable) throws {
    box.value = try FieldValue(encoding: value, codingPath)
  }
}

private struct ListContainer: UnkeyedEncodingContainer {
  let box: ValueBox
  let codingPath: [any CodingKey]
  var count: Int { box.value?.values?.count ?? 0 }

  mutating func encodeNil() throws {
    throw CloudError(
      .invalidArguments, "the property \(codingPath.first?.stringValue ?? ""): a list has no nil")
  }

  mutating func encode(_ value: some Encodable) throws {
    box.value = .list((box.value?.values ?? []) + [try FieldValue(encoding: value, codingPath)])
  }

  mutating func nestedContainer<Nested: CodingKey>(
    keyedBy keyType: Nested.Type
  ) -> KeyedEncodingContainer<Nested> {
    KeyedEncodingContainer(NoFields<Nested>(codingPath: codingPath))
  }

  mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
    ListContainer(box: ValueBox(), codingPath: codingPath)
  }

  mutating func superEncoder() -> any Encoder {
    ValueEncoder(box: ValueBox(), codingPath: codingPath)
  }
}

/// Refuses each property of a structure that stands where a field value is expected.
private struct NoFields<Key: CodingKey>: KeyedEncodingContainerProtocol {
  let codingPath: [any CodingKey]

  private var refusal: CloudError {
    CloudError(
      .invalidArguments,
      "the property \(codingPath.first?.stringValue ?? ""): a field can't hold a structure")
  }

  mutating func encodeNil(forKey key: Key) throws { throw refusal }

  mutating func encode(_ value: some Encodable, forKey key: Key) throws { throw refusal }

  mutating func nestedContainer<Nested: CodingKey>(
    keyedBy keyType: Nested.Type, forKey key: Key
  ) -> KeyedEncodingContainer<Nested> {
    KeyedEncodingContainer(NoFields<Nested>(codingPath: codingPath))
  }

  mutating func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
    ListContainer(box: ValueBox(), codingPath: codingPath)
  }

  mutating func superEncoder() -> any Encoder {
    ValueEncoder(box: ValueBox(), codingPath: codingPath)
  }

  mutating func superEncoder(forKey key: Key) -> any Encoder { superEncoder() }
}
