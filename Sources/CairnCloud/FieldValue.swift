import CairnZone

/// A value in a field of a record (CKRecordValue).
public enum FieldValue: Hashable, Sendable {
  /// Raw bytes, stored with the record.
  case bytes([UInt8])
  /// Text.
  case text(String)
  /// A signed number.
  case integer(Int64)
  /// A floating-point number; neither infinite nor NaN.
  case number(Double)
  /// Yes or no.
  case boolean(Bool)
  /// Nanoseconds since 1970.
  case date(Int64)
  /// Degrees north, and degrees east.
  case location(latitude: Double, longitude: Double)
  /// Values of one kind, none of them a list.
  case list([FieldValue])
  /// Another record of the zone, which may be missing.
  case reference(RecordID)
  /// The bytes of a file.
  case asset(Asset)

  init(_ value: CairnZone.FieldValue) {
    switch value {
    case .bytes(let bytes): self = .bytes(bytes)
    case .text(let text): self = .text(text)
    case .integer(let number): self = .integer(number)
    case .number(let number): self = .number(number)
    case .boolean(let flag): self = .boolean(flag)
    case .date(let time): self = .date(time)
    case .location(let latitude, let longitude):
      self = .location(latitude: latitude, longitude: longitude)
    case .list(let values): self = .list(values.map { FieldValue($0) })
    case .reference(let id): self = .reference(RecordID(id))
    case .asset(let content): self = .asset(Asset(content))
    }
  }

  var inner: CairnZone.FieldValue {
    switch self {
    case .bytes(let bytes): .bytes(bytes)
    case .text(let text): .text(text)
    case .integer(let number): .integer(number)
    case .number(let number): .number(number)
    case .boolean(let flag): .boolean(flag)
    case .date(let time): .date(time)
    case .location(let latitude, let longitude):
      .location(latitude: latitude, longitude: longitude)
    case .list(let values): .list(values.map(\.inner))
    case .reference(let id): .reference(id.inner)
    case .asset(let asset): .asset(asset.content)
    }
  }

  /// The text; nil for another kind.
  public var string: String? { if case .text(let value) = self { value } else { nil } }

  /// The integer; nil for another kind.
  public var int: Int64? { if case .integer(let value) = self { value } else { nil } }

  /// The yes or no; nil for another kind.
  public var bool: Bool? { if case .boolean(let value) = self { value } else { nil } }

  /// The bytes of a file; nil for another kind.
  public var file: Asset? { if case .asset(let value) = self { value } else { nil } }

  /// The values of a list; nil for another kind.
  public var values: [FieldValue]? { if case .list(let values) = self { values } else { nil } }

  /// The record that a reference leads to; nil for another kind.
  public var record: RecordID? { if case .reference(let id) = self { id } else { nil } }
}

extension FieldValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral,
  ExpressibleByBooleanLiteral, ExpressibleByFloatLiteral
{
  /// Creates a text.
  public init(stringLiteral value: String) { self = .text(value) }

  /// Creates an integer.
  public init(integerLiteral value: Int64) { self = .integer(value) }

  /// Creates a yes or no.
  public init(booleanLiteral value: Bool) { self = .boolean(value) }

  /// Creates a floating-point number.
  public init(floatLiteral value: Double) { self = .number(value) }
}

/// The bytes of a file in a field (CKAsset). A zone stores equal bytes once. `CloudZone.upload`
/// creates an asset, and a record keeps it.
public struct Asset: Hashable, Sendable {
  let content: Content

  init(_ content: Content) { self.content = content }

  /// The number of bytes.
  public var size: Int64 { Int64(clamping: content.size) }

  /// A digest of the bytes, in hexadecimal digits: equal for equal bytes.
  public var digest: String { content.id.description }
}
