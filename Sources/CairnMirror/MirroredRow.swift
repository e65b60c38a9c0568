import CairnCloud

/// A row of a mirrored table, by its primary key.
public struct MirroredRow: Hashable, Sendable, CustomStringConvertible {
  /// The name of the table.
  public let table: String
  /// The values of the primary key, in its order: integers, numbers, texts or bytes.
  public let key: [FieldValue]

  /// Creates a row by the values of its primary key.
  public init(_ table: String, _ key: FieldValue...) { (self.table, self.key) = (table, key) }

  init(_ table: String, values: [SQLValue]) {
    self.table = table
    key = values.map { value in
      switch value {
      case .null: .bytes([])
      case .integer(let number): .integer(number)
      case .real(let number): .number(number)
      case .text(let bytes): .text(String(decoding: bytes, as: UTF8.self))
      case .blob(let bytes): .bytes(bytes)
      }
    }
  }

  /// The values as SQLite has them.
  var values: [SQLValue] { key.map { RecordCoding.value($0) ?? .null } }

  /// The table and the key.
  public var description: String {
    let parts = key.map { value in
      switch value {
      case .integer(let number), .date(let number): "\(number)"
      case .text(let text): text
      case .number(let number): "\(number)"
      default: "…"
      }
    }
    return "\(table) \(parts.joined(separator: ", "))"
  }

  // MARK: The text in the history

  var code: [UInt8] {
    let parts = values.map { value in
      switch value {
      case .null: "n"
      case .integer(let number): "i\(number)"
      case .real(let number): "r\(number.bitPattern)"
      case .text(let bytes): "t" + bytes.map { "\($0)" }.joined(separator: ".")
      case .blob(let bytes): "b" + bytes.map { "\($0)" }.joined(separator: ".")
      }
    }
    return Array(parts.joined(separator: ",").utf8)
  }

  init(_ table: String, code: [UInt8]) {
    let parts = String(decoding: code, as: UTF8.self)
      .split(separator: ",", omittingEmptySubsequences: false)
    self.init(
      table,
      values: parts.map { part -> SQLValue in
        let text = part.dropFirst()
        let bytes = text.split(separator: ".").compactMap { UInt8($0) }
        return switch part.first {
        case "i": .integer(Int64(text) ?? 0)
        case "r": .real(Double(bitPattern: UInt64(text) ?? 0))
        case "t": .text(bytes)
        case "b": .blob(bytes)
        default: .null
        }
      })
  }
}
