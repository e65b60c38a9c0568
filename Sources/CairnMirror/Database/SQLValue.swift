/// A value of SQLite, unchanged: text may be any bytes, and a number may be infinite.
enum SQLValue: Hashable, Sendable {
  case null
  case integer(Int64)
  case real(Double)
  case text([UInt8])
  case blob([UInt8])

  /// A text.
  static func string(_ text: String) -> SQLValue { .text(Array(text.utf8)) }

  static func == (left: SQLValue, right: SQLValue) -> Bool {
    switch (left, right) {
    case (.null, .null): true
    case (.integer(let one), .integer(let two)): one == two
    // NaN can't be stored. Zeros of both signs are different values here.
    case (.real(let one), .real(let two)): one.bitPattern == two.bitPattern
    case (.text(let one), .text(let two)): one == two
    case (.blob(let one), .blob(let two)): one == two
    default: false
    }
  }

  func hash(into hasher: inout Hasher) {
    switch self {
    case .null: hasher.combine(0)
    case .integer(let number): hasher.combine(number)
    case .real(let number): hasher.combine(number.bitPattern)
    case .text(let bytes), .blob(let bytes): hasher.combine(bytes)
    }
  }

  /// The integer; nil for another kind.
  var int: Int64? { if case .integer(let value) = self { value } else { nil } }

  /// The text; nil for another kind.
  var string: String? {
    if case .text(let bytes) = self { String(decoding: bytes, as: UTF8.self) } else { nil }
  }

  /// The bytes of a blob; nil for another kind.
  var bytes: [UInt8]? { if case .blob(let bytes) = self { bytes } else { nil } }

  /// The number of bytes of a text or blob.
  var count: Int {
    switch self {
    case .text(let bytes), .blob(let bytes): bytes.count
    case .null, .integer, .real: 0
    }
  }
}

/// The values of a row by column.
typealias Values = [String: SQLValue]

extension Values {
  /// A digest of the values of some columns, the same in each process (FNV-1a).
  func digest(of columns: [String]) -> Int64 {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    func add(_ bytes: some Sequence<UInt8>) {
      for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
    }
    func add(_ kind: UInt8, _ number: UInt64) {
      add([kind])
      Swift.withUnsafeBytes(of: number.littleEndian) { add($0) }
    }
    for column in columns {
      add(column.utf8)
      switch self[column] ?? .null {
      case .null: add(0, 0)
      case .integer(let number): add(1, UInt64(bitPattern: number))
      case .real(let number): add(2, number.bitPattern)
      case .text(let bytes):
        add(3, UInt64(bytes.count))
        add(bytes)
      case .blob(let bytes):
        add(4, UInt64(bytes.count))
        add(bytes)
      }
    }
    return Int64(bitPattern: hash)
  }
}
