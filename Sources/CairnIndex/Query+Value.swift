import CSQLite

extension Query {
  /// The value of a column in SQLite's type, to be restored unchanged.
  enum Value: Hashable, Sendable {
    case null
    case integer(Int64)
    case real(Double)
    case text([UInt8])
    case blob([UInt8])
  }

  /// The number of columns of a row.
  var columnCount: Int { Int(sqlite3_column_count(pointer)) }

  /// Returns the value in a column.
  func value(_ column: Int) -> Value {
    switch sqlite3_column_type(pointer, Int32(column)) {
    case SQLITE_INTEGER: .integer(integer(column))
    case SQLITE_FLOAT: .real(sqlite3_column_double(pointer, Int32(column)))
    case SQLITE_TEXT: .text(bytes(column) ?? [])
    case SQLITE_BLOB: .blob(bytes(column) ?? [])
    default: .null
    }
  }

  /// Binds the next parameter: a value with the type that it had.
  mutating func bind(_ value: Value) {
    switch value {
    case .null: bind(nil as Int64?)
    case .integer(let number): bind(number)
    case .real(let number):
      bound += 1
      sqlite3_bind_double(pointer, bound, number)
    case .text(let bytes): bind(String(decoding: bytes, as: UTF8.self))
    case .blob(let bytes): bind(bytes)
    }
  }
}
