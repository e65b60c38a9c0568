import CSQLite
import CairnSQLite
import CairnZone
import Glibc
import Synchronization

/// A connection to a SQLite database, which one thread uses at a time: open, prepared statements,
/// transactions, errors. It must not know the tables.
///
/// `@unchecked Sendable`: the handle and the statements are used only inside `exclusively`, which
/// holds the lock, and in `deinit`, when no other reference exists.
final class SQLiteConnection: @unchecked Sendable {
  /// The path of the file; `:memory:` for a database in memory.
  let path: String
  /// A Boolean value that indicates whether the connection rejects every change.
  let isReadOnly: Bool
  /// The prepared statements by their texts. A statement stays until the connection closes.
  private(set) var statements: [String: OpaquePointer] = [:]
  private let handle: OpaquePointer
  private let lock = Mutex(())
  private var gate: CommitGate?
  /// The row numbers that were looked up before; see `IndexConnection.rowNumber`.
  private var rowNumbers: [Bytes32: Int64] = [:]
  private var afterRollback: @Sendable () -> Void = {}
  /// The transaction that a session keeps open; see `SQLiteConnection+Session.swift`.
  var kept: Transaction?
  /// The number of sessions that are open now.
  var sessions = 0
  /// The number of rolled back transactions that had changes of earlier calls.
  var losses = 0

  private static let libraryIsReady: Void = cairn_sqlite_keep_no_account()
  static let memory = ":memory:"

  /// Opens a database, and creates the file if it is missing and the connection may write.
  /// - Throws: `SQLiteError`. Most errors of a file appear at its first use instead.
  init(path: String, isReadOnly: Bool = false) throws {
    _ = Self.libraryIsReady
    self.path = path
    self.isReadOnly = isReadOnly
    // The lock of this class replaces the one that SQLite would take in each call.
    let access = isReadOnly ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
    var opened: OpaquePointer?
    let code = sqlite3_open_v2(path, &opened, access | SQLITE_OPEN_NOMUTEX, nil)
    guard code == SQLITE_OK, let opened else {
      let error = SQLiteError(code: code, of: opened)
      sqlite3_close_v2(opened)
      throw error
    }
    handle = opened
    sqlite3_extended_result_codes(opened, 1)
    cairn_sqlite_refuse_quoted_strings(UnsafeMutableRawPointer(opened))
  }

  deinit {
    for statement in statements.values { sqlite3_finalize(statement) }
    sqlite3_close_v2(handle)
  }

  /// Runs `body` while no other thread uses the connection. A call inside of `body` traps.
  func exclusively<Result>(_ body: (SQLiteConnection) throws -> Result) rethrows -> Result {
    try lock.withLock { _ in try body(self) }
  }

  // MARK: Settings

  /// Sets how long a statement waits for a lock of another connection before it fails.
  func setBusyTimeout(milliseconds: Int32) { sqlite3_busy_timeout(handle, milliseconds) }

  /// Asks `check` before each commit. An error that it throws rolls the transaction back, and
  /// `transaction` throws that error.
  func checkCommits(_ check: @escaping @Sendable () throws -> Void) {
    let gate = CommitGate(check)
    gate.install(on: handle)
    self.gate = gate
  }

  /// Calls `body` after each transaction that was rolled back, before another thread can use the
  /// connection.
  func onRollback(_ body: @escaping @Sendable () -> Void) { afterRollback = body }

  // MARK: Row numbers

  /// Returns a known row number, or looks it up.
  func rowNumber(of key: Bytes32, _ find: () throws -> Int64?) rethrows -> Int64? {
    if let known = rowNumbers[key] { return known }
    let found = try find()
    rowNumbers[key] = found
    return found
  }

  /// Forgets all row numbers, because rows were replaced.
  func forgetRowNumbers() { rowNumbers = [:] }

  // MARK: Statements

  /// Runs statements that are needed once, without keeping them.
  /// - Parameter sql: One or more statements without parameters, whose rows are ignored.
  /// - Throws: `SQLiteError` for the first statement that fails; the later ones are not run.
  func execute(_ sql: String) throws {
    let code = sqlite3_exec(handle, sql, nil, nil, nil)
    guard code == SQLITE_OK else { throw SQLiteError(code: code, of: handle) }
  }

  /// Returns the prepared statement with a text, which is compiled at its first use.
  func statement(_ sql: String) throws -> OpaquePointer {
    if let statement = statements[sql] { return statement }
    var compiled: OpaquePointer?
    let code = sqlite3_prepare_v3(
      handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &compiled, nil)
    guard code == SQLITE_OK else { throw SQLiteError(code: code, of: handle) }
    guard let compiled else {
      throw SQLiteError(code: SQLITE_MISUSE, message: "the statement is empty: \(sql)")
    }
    statements[sql] = compiled
    return compiled
  }

  /// The row id of the latest inserted row.
  var lastRow: Int64 { sqlite3_last_insert_rowid(handle) }

  /// Returns one of SQLite's counters of this connection.
  func status(_ counter: Int32) -> Int {
    var (now, highest): (Int32, Int32) = (0, 0)
    sqlite3_db_status(handle, counter, &now, &highest, 0)
    return Int(now)
  }

  // MARK: Transactions

  /// The kinds of transaction, by the lock that they take at their beginning.
  enum Transaction: String {
    /// Takes no lock at first. The first read fixes the snapshot that the transaction sees.
    case deferred = "BEGIN DEFERRED TRANSACTION"
    /// Takes the write lock at once.
    case immediate = "BEGIN IMMEDIATE TRANSACTION"
  }

  /// A Boolean value that indicates whether a transaction is open.
  var isInTransaction: Bool { sqlite3_get_autocommit(handle) == 0 }

  /// Runs `body` in a transaction, which is rolled back if `body` or the commit throws.
  func transaction<Result>(_ kind: Transaction, _ body: () throws -> Result) throws -> Result {
    try begin(kind)
    do {
      let result = try body()
      try checkTransaction()
      try commit()
      return result
    } catch {
      rollBack()
      throw error
    }
  }

  func begin(_ kind: Transaction) throws { try step(kind.rawValue) }

  /// Throws if SQLite rolled the transaction back by itself, as it does after some errors, which a
  /// caller may have ignored.
  func checkTransaction() throws {
    guard isInTransaction else {
      throw SQLiteError(code: SQLITE_ABORT, message: "the transaction was undone")
    }
  }

  func commit() throws {
    do { try step("COMMIT TRANSACTION") } catch { throw gate?.takeRefusal() ?? error }
  }

  /// Undoes the transaction, unless SQLite did so already.
  func rollBack() {
    // The first error is reported. If this fails too, the connection is of no use.
    if isInTransaction { try? step("ROLLBACK TRANSACTION") }
    // A row that was created in the transaction doesn't exist.
    forgetRowNumbers()
    afterRollback()
  }

  /// Runs a kept statement that has no parameters and gives no rows.
  private func step(_ sql: String) throws {
    let statement = try statement(sql)
    defer { sqlite3_reset(statement) }
    let code = sqlite3_step(statement)
    guard code == SQLITE_DONE else { throw SQLiteError(code: code, of: handle) }
  }

  // MARK: Errors

  /// Returns the error that fits the state of the disk. SQLite reports a file as corrupt also if
  /// the disk fails to return its bytes; this reads the file again to tell the two apart.
  func explained(_ error: any Error) -> any Error {
    guard let error = error as? SQLiteError,
      error.primaryCode == SQLITE_CORRUPT || error.primaryCode == SQLITE_NOTADB
    else { return error }
    let number = cairn_sqlite_try_to_read(UnsafeMutableRawPointer(handle))
    guard number != 0 else { return error }
    return SQLiteError(
      code: SQLITE_IOERR, message: "it can't be read: \(String(cString: strerror(number)))")
  }
}
