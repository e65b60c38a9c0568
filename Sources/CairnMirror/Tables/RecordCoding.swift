import CairnCloud

/// The fields of a row's record. A value is a field by its column's name; null is no field.
///
/// | value | field |
/// | --- | --- |
/// | integer, text, blob | `integer`, `text`, `bytes` |
/// | real | `number`; infinite, or a negative zero: a list with the bits as `integer` |
/// | text that isn't UTF-8 | a list with `bytes` |
/// | blob of more than 16 KiB | `asset` |
/// | text of more than 256 KiB | a list with an `asset` |
/// | foreign key that leads to a row | `reference`, by the columns' names, joined by commas |
struct RecordCoding {
  /// A field as it leaves: ready, or bytes to be stored as an asset first.
  enum Outgoing {
    case field(FieldValue)
    case asset([UInt8], isText: Bool)
  }

  /// A field as it arrives: ready, or bytes to be fetched first.
  static let largestBlob = 16 * 1_024
  static let largestText = 256 * 1_024

  static func outgoing(_ value: SQLValue) -> Outgoing? {
    switch value {
    case .null: return nil
    case .integer(let number): return .field(.integer(number))
    case .real(let number):
      let isPlain = number.isFinite && !(number == 0 && number.sign == .minus)
      return .field(
        isPlain
          ? .number(number) : .list([.integer(Int64(bitPattern: number.bitPattern))]))
    case .blob(let bytes):
      return bytes.count > largestBlob ? .asset(bytes, isText: false) : .field(.bytes(bytes))
    case .text(let bytes):
      if bytes.count > largestText { return .asset(bytes, isText: true) }
      let text = String(decoding: bytes, as: UTF8.self)
      return .field(Array(text.utf8) == bytes ? .text(text) : .list([.bytes(bytes)]))
    }
  }

  /// The asset that a field consists of, and whether it is a text.
  static func asset(_ field: FieldValue) -> (asset: Asset, isText: Bool)? {
    switch field {
    case .asset(let asset): (asset, false)
    case .list(let values):
      if let asset = values.first?.file { (asset, true) } else { nil }
    default: nil
    }
  }

  /// The value of a field without an asset or a reference; nil if no row can have it.
  static func value(_ field: FieldValue) -> SQLValue? {
    switch field {
    case .bytes(let bytes): return .blob(bytes)
    case .text(let text): return .string(text)
    case .integer(let number), .date(let number): return .integer(number)
    case .number(let number): return .real(number)
    case .boolean(let flag): return .integer(flag ? 1 : 0)
    case .list(let values):
      switch values.first {
      case .integer(let bits)?: return .real(Double(bitPattern: UInt64(bitPattern: bits)))
      case .bytes(let bytes)?: return .text(bytes)
      default: return nil
      }
    case .location, .reference, .asset: return nil
    }
  }
}
