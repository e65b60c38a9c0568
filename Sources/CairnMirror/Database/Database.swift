import CSQLite
import CairnCloud

/// A connection to the program's database. It uses SQLite's C interface, so that a program may use
/// any wrapper, or none. Enforcement of foreign keys is off: the mirror decides about them.
final class Database {
  private let handle: OpaquePointer
  let path: String
  private var statements: [String: OpaquePointer] = [:]
  /// The instruction to copy a bound value, because its bytes may be released after the call.
  private static let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)

  /// Opens an existing database. Its journal mode stays as it is.
  init(_ path: String) throws(CloudError) {
    self.path = path
    var opened: OpaquePointer?
    let code = sqlite3_open_v2(path, &opened, SQLITE_OPEN_READWRITE, nil)
    guard code == SQLITE_OK, let opened else {
      let reason = opened.map { String(cString: sqlite3_errmsg($0)) } ?? "out of memory"
      sqlite3_close_v2(opened)
      throw CloudError(.assetFileNotFound, "the database \(path): \(reason)")
    }
    handle = opened
    sqlite3_extended_result_codes(handle, 1)
    sqlite3_busy_timeout(handle, 10_000)
    for setting in ["foreign_keys", "recursive_triggers", "ignore_check_constraints"] {
      try execute("PRAGMA \(setting) = OFF")
    }
    // What is noted before a commit must survive a power cut after it.
    try execute("PRAGMA synchronous = FULL")
  }

  deinit {
    for statement in statements.values { sqlite3_finalize(statement) }
    sqlite3_close_v2(handle)
  }

  /// The key of the latest inserted row.
  var lastRow: Int64 { sqlite3_last_insert_rowid(handle) }

  /// Runs statements without parameters, which are needed once.
  func execute(_ sql: String) throws(CloudError) {
    let code = sqlite3_exec(handle, sql, nil, nil, nil)
    guard code == SQLITE_OK else { throw failure(code) }
  }

  /// Runs a statement, and returns its rows.
  @discardableResult
  func run(_ sql: String, _ values: [SQLValue] = []) throws(CloudError) -> [[SQLValue]] {
    let statement = try prepared(sql)
    defer {
      sqlite3_reset(statement)
      sqlite3_clear_bindings(statement)
    }
    for (index, value) in values.enumerated() { bind(value, Int32(index + 1), statement) }
    var rows: [[SQLValue]] = []
    while true {
      switch sqlite3_step(statement) {
      case SQLITE_ROW:
        rows.append((0..<sqlite3_column_count(statement)).map { Self.value(statement, $0) })
      case SQLITE_DONE: return rows
      case let code: throw failure(code)
      }
    }
  }

  /// Returns the first value of the first row; nil if there is no row.
  func value(_ sql: String, _ values: [SQLValue] = []) throws(CloudError) -> SQLValue? {
    try run(sql, values).first?.first
  }

  /// Runs `body` in a transaction that writes. Its changes are rolled back if it throws, or if it
  /// isn't to be kept.
  func transaction<Result>(
    isKept: Bool = true, _ body: () throws(CloudError) -> Result
  ) throws(CloudError) -> Result {
    try execute("BEGIN IMMEDIATE")
    do throws(CloudError) {
      let result = try body()
      try execute(isKept ? "COMMIT" : "ROLLBACK")
      return result
    } catch {
      // The first error is reported. SQLite may have rolled back already.
      if sqlite3_get_autocommit(handle) == 0 { sqlite3_exec(handle, "ROLLBACK", nil, nil, nil) }
      throw error
    }
  }

  // MARK: Statements

  private func prepared(_ sql: String) throws(CloudError) -> OpaquePointer {
    if let statement = statements[sql] { return statement }
    var compiled: OpaquePointer?
    let code = sqlite3_prepare_v3(
      handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &compiled, nil)
    guard code == SQLITE_OK, let compiled else { throw failure(code, of: sql) }
    statements[sql] = compiled
    return compiled
  }

  private func bind(_ value: SQLValue, _ index: Int32, _ statement: OpaquePointer) {
    switch value {
    case .null: sqlite3_bind_null(statement, index)
    case .integer(let number): sqlite3_bind_int64(statement, index, number)
    case .real(let number): sqlite3_bind_double(statement, index, number)
    case .text(let bytes):
      // An array without elements may have no address, and then the value would be null.
      bytes.isEmpty
        ? _ = sqlite3_bind_text(statement, index, "", 0, Self.transient)
        : bytes.withUnsafeBytes { buffer in
          _ = sqlite3_bind_text64(
            statement, index, buffer.baseAddress?.assumingMemoryBound(to: CChar.self),
            UInt64(buffer.count), Self.transient, UInt8(SQLITE_UTF8))
        }
    case .blob(let bytes):
      bytes.isEmpty
        ? _ = sqlite3_bind_zeroblob(statement, index, 0)
        : bytes.withUnsafeBytes { buffer in
          _ = sqlite3_bind_blob64(
            statement, index, buffer.baseAddress, UInt64(buffer.count), Self.transient)
        }
    }
  }

  private static func value(_ statement: OpaquePointer, _ column: Int32) -> SQLValue {
    switch sqlite3_column_type(statement, column) {
    case SQLITE_INTEGER: return .integer(sqlite3_column_int64(statement, column))
    case SQLITE_FLOAT: return .real(sqlite3_column_double(statement, column))
    case SQLITE_TEXT:
      let start = sqlite3_column_text(statement, column)
      let count = Int(sqlite3_column_bytes(statement, column))
      return .text(Array(UnsafeBufferPointer(start: start, count: start == nil ? 0 : count)))
    case SQLITE_BLOB:
      let start = sqlite3_column_blob(statement, column)
      let count = Int(sqlite3_column_bytes(statement, column))
      return .blob(Array(UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : count)))
    default: return .null
    }
  }

  private func failure(_ code: Int32, of sql: String? = nil) -> CloudError {
    let place = sql.map { " in \($0)" } ?? ""
    let isRule = code & 0xff == SQLITE_CONSTRAINT
    return CloudError(
      isRule ? .constraintViolation : code & 0xff == SQLITE_BUSY ? .zoneBusy : .internalError,
      "the database \(path): \(String(cString: sqlite3_errmsg(handle)))\(place)")
  }
}

extension String {
  /// The name in quotes, as SQL wants it.
  var quoted: String {
    "\"" + split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"") + "\""
  }
}
