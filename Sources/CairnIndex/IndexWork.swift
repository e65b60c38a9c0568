import CSQLite

/// The work of an index file's connections since they were opened, as SQLite counts it. Tests hold
/// it against limits, because it doesn't depend on the machine.
public struct IndexWork: Hashable, Sendable {
  /// The number of transactions that only read.
  public var reads = 0
  /// The number of transactions that may write.
  public var writes = 0
  /// The number of statements that ran, without those that begin and end transactions.
  public var statements = 0
  /// The number of instructions of SQLite's virtual machine. It grows with the rows that were
  /// visited.
  public var steps = 0
  /// The number of pages that were read from the file, because memory didn't have them.
  public var pagesRead = 0
  /// The number of pages that were written, to the file or its log.
  public var pagesWritten = 0

  init() {}

  /// Returns the work between two counts.
  public static func - (end: IndexWork, start: IndexWork) -> IndexWork {
    var work = end
    work.reads -= start.reads
    work.writes -= start.writes
    work.statements -= start.statements
    work.steps -= start.steps
    work.pagesRead -= start.pagesRead
    work.pagesWritten -= start.pagesWritten
    return work
  }

  /// Adds the work of one connection.
  mutating func add(_ connection: SQLiteConnection) {
    pagesRead += connection.status(SQLITE_DBSTATUS_CACHE_MISS)
    pagesWritten += connection.status(SQLITE_DBSTATUS_CACHE_WRITE)
    for (text, statement) in connection.statements {
      let runs = Int(sqlite3_stmt_status(statement, SQLITE_STMTSTATUS_RUN, 0))
      steps += Int(sqlite3_stmt_status(statement, SQLITE_STMTSTATUS_VM_STEP, 0))
      switch SQLiteConnection.Transaction(rawValue: text) {
      case .deferred: reads += runs
      case .immediate: writes += runs
      case nil: statements += text.hasSuffix(" TRANSACTION") ? 0 : runs
      }
    }
  }
}
