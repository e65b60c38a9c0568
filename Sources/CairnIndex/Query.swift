import CSQLite
public import CairnZone

/// One use of a statement of an index file: its parameters in order, its rows, the columns of a row
/// by number. It must not know the meaning of the columns.
///
/// A statement is reset when its query ends, so a text can be used again. Another query of the same
/// text on the same connection must not exist at the same time.
public struct Query: ~Copyable {
  let pointer: OpaquePointer
  var bound: Int32 = 0
  /// The instruction to copy a bound value, because its bytes may be released after the call.
  private static let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)

  /// Begins to use a statement, which is compiled at its first use on the connection.
  /// - Parameters:
  ///   - db: The connection.
  ///   - sql: The statement.
  /// - Throws: Any SQLite error for the text.
  public init(_ db: IndexConnection, _ sql: String) throws {
    pointer = try db.connection.statement(sql)
    assert(sqlite3_stmt_busy(pointer) == 0, "a query of this text lives: \(sql)")
  }

  deinit { sqlite3_reset(pointer) }

  // MARK: Parameters

  /// Binds the next parameter: a number, or null.
  public mutating func bind(_ number: Int64?) {
    bound += 1
    if let number {
      sqlite3_bind_int64(pointer, bound, number)
    } else {
      sqlite3_bind_null(pointer, bound)
    }
  }

  /// Binds the next parameter: a record's id.
  public mutating func bind(_ id: RecordID) { id.value.withBytes { bind(bytes: $0) } }

  /// Binds the next parameter: thirty-two bytes, or null.
  public mutating func bind(_ value: Bytes32?) {
    guard let value else { return bind(nil as Int64?) }
    value.withBytes { bind(bytes: $0) }
  }

  /// Binds the next parameter: bytes, or null.
  public mutating func bind(_ bytes: [UInt8]?) {
    guard let bytes else { return bind(nil as Int64?) }
    bytes.withUnsafeBytes { bind(bytes: $0) }
  }

  /// Binds the next parameter: text, or null. For SQLite a text would end at a NUL, so a text with
  /// one is stored as bytes.
  public mutating func bind(_ text: String?) {
    guard let text else { return bind(nil as Int64?) }
    if text.utf8.contains(0) { return bind(Array(text.utf8)) }
    bound += 1
    text.withCString {
      _ = sqlite3_bind_text(pointer, bound, $0, Int32(text.utf8.count), Self.transient)
    }
  }

  private mutating func bind(bytes: UnsafeRawBufferPointer) {
    bound += 1
    if let start = bytes.baseAddress, !bytes.isEmpty {
      sqlite3_bind_blob(pointer, bound, start, Int32(bytes.count), Self.transient)
    } else {
      // Without an address SQLite would store null instead of empty bytes.
      sqlite3_bind_zeroblob(pointer, bound, 0)
    }
  }

  // MARK: Rows

  /// Moves to the next row; returns false if there is none.
  /// - Throws: Any SQLite error.
  public mutating func next() throws -> Bool {
    switch sqlite3_step(pointer) {
    case SQLITE_ROW: return true
    case SQLITE_DONE: return false
    case let code:
      throw SQLiteError(code: code, of: sqlite3_db_handle(pointer))
    }
  }

  /// Runs a statement that returns no rows.
  /// - Throws: Any SQLite error.
  public consuming func run() throws { while try next() {} }

  // MARK: Columns of the row

  /// Returns the number in a column; nil for null.
  public func number(_ column: Int) -> Int64? { isNull(column) ? nil : integer(column) }

  /// Returns the number in a column that is never null.
  public func integer(_ column: Int) -> Int64 { sqlite3_column_int64(pointer, Int32(column)) }

  /// Returns whether a column is null.
  public func isNull(_ column: Int) -> Bool {
    sqlite3_column_type(pointer, Int32(column)) == SQLITE_NULL
  }

  /// Returns the bytes in a column; nil for null.
  public func bytes(_ column: Int) -> [UInt8]? {
    isNull(column) ? nil : lend(column) { [UInt8]($0) }
  }

  /// Returns the text in a column, also if it is stored as bytes; nil for null.
  public func text(_ column: Int) -> String? {
    isNull(column) ? nil : lend(column) { String(decoding: $0, as: UTF8.self) }
  }

  /// Returns the record's id in a column; nil for null and for anything else.
  public func id(_ column: Int) -> RecordID? { lend(column) { RecordID(bytes: $0) } }

  /// Returns the thirty-two bytes in a column; nil for null and for anything else.
  public func bytes32(_ column: Int) -> Bytes32? { lend(column) { Bytes32($0) } }

  /// Passes on the bytes in a column, none for null.
  private func lend<Result>(
    _ column: Int, _ body: (UnsafeRawBufferPointer) -> Result
  ) -> Result {
    let start = sqlite3_column_blob(pointer, Int32(column))
    let count = sqlite3_column_bytes(pointer, Int32(column))
    return body(UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : Int(count)))
  }
}
