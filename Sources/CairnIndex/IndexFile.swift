import CSQLite

/// One index, in a file or in memory: connections, settings, transactions. It is a cache, and can
/// be deleted at any time between two starts. It must not know the contents of its tables.
public final class IndexFile: Sendable {
  private let writer: SQLiteConnection
  /// The readers in parallel with the writer; nil if there is one connection only.
  private let readers: IndexReaders?
  private let isInnermost: Bool
  /// The lock of the file's folder; nil if the folder isn't locked.
  private let lock: IndexFolderLock?

  /// Opens the file at `path`, and creates it and its tables if needed.
  /// - Parameters:
  ///   - path: The path of the file.
  ///   - schema: The tables. A file with another schema is emptied.
  ///   - hasReaders: A Boolean value that indicates whether other connections read while one
  ///     writes.
  ///   - isInnermost: A Boolean value that indicates whether a thread that holds it asks for no
  ///     other file; see `IndexOrder`.
  ///   - lock: The lock of its folder, held as long as the file is open.
  /// - Throws: `IndexFailure` if the file can't be opened or written.
  public init(
    path: String, schema: IndexSchema, hasReaders: Bool, isInnermost: Bool = false,
    lock: IndexFolderLock? = nil
  ) throws {
    self.isInnermost = isInnermost
    self.lock = lock
    IndexFileMode.close(toOthers: path)
    writer = try IndexFailure.naming(path) { try Self.open(path, isReadOnly: false) }
    readers = hasReaders ? IndexReaders(path: path) : nil
    try IndexFailure.naming(path) { [writer] in try schema.prepare(writer) }
  }

  /// Opens a connection to an index file with the settings that all connections have.
  static func open(_ path: String, isReadOnly: Bool) throws -> SQLiteConnection {
    let connection = try SQLiteConnection(path: path, isReadOnly: isReadOnly)
    try connection.exclusively { db in
      do { try prepare(db) } catch { throw db.explained(error) }
    }
    return connection
  }

  private static func prepare(_ db: SQLiteConnection) throws {
    db.setBusyTimeout(milliseconds: 5_000)
    if !db.isReadOnly { try db.execute("PRAGMA journal_mode = WAL") }
    // The index may lose its last transactions in a power cut: they are replayed, or scanned,
    // again.
    try db.execute("PRAGMA synchronous = NORMAL")
    try db.execute("PRAGMA temp_store = MEMORY")
    // A replay changes pages all over the file. Readers read adjacent rows. Pages are allocated
    // only while there is work, and `releaseMemory` gives them back at rest.
    try db.execute("PRAGMA cache_size = -\(db.isReadOnly ? 2_000 : 64_000)")
    try db.execute("PRAGMA journal_size_limit = 16777216")
    // Pages that a long replay, or a first mirror, changes repeatedly are written once. The log
    // has at most 64 MiB then.
    try db.execute("PRAGMA wal_autocheckpoint = 16000")
  }

  /// Creates an empty index in memory.
  /// - Parameters:
  ///   - schema: The tables.
  ///   - isInnermost: A Boolean value that indicates whether a thread that holds it asks for no
  ///     other index; see `IndexOrder`.
  ///   - gate: A check before each commit. If it throws, the transaction is rolled back.
  /// - Throws: Any SQLite error.
  public init(
    inMemory schema: IndexSchema, isInnermost: Bool = false,
    gate: @escaping @Sendable () throws -> Void = {}
  ) throws {
    self.isInnermost = isInnermost
    lock = nil
    writer = try SQLiteConnection(path: SQLiteConnection.memory)
    readers = nil
    try schema.prepare(writer)
    writer.exclusively { $0.checkCommits(gate) }
  }

  /// Runs one consistent read. If there are readers, it doesn't wait for writers.
  /// - Parameter body: A function that reads. It must not write.
  /// - Throws: `IndexFailure`, and any error of `body`.
  /// - Returns: The result of `body`.
  public func read<Result>(_ body: (IndexConnection) throws -> Result) throws -> Result {
    try IndexOrder.look(isInnermost: isInnermost) {
      try IndexFailure.naming(writer.path) {
        try readers.map { try $0.look(body) } ?? writer.look(body)
      }
    }
  }

  /// Runs one transaction.
  /// - Parameter body: A function that reads and writes. If it throws, all its changes are rolled
  ///   back.
  /// - Throws: `IndexFailure`, and any error of `body`.
  /// - Returns: The result of `body`.
  public func write<Result>(_ body: (IndexConnection) throws -> Result) throws -> Result {
    try IndexOrder.look(isInnermost: isInnermost) {
      try IndexFailure.naming(writer.path) { try writer.change(body) }
    }
  }

  /// Runs one transaction that is committed together with the next one, or at the end of the
  /// session; outside of a session at once. Every read sees its changes. They are lost if the
  /// process ends before, or if the next transaction fails; see `losses`.
  /// - Parameter body: A function that reads and writes. If it throws, all its changes are rolled
  ///   back, together with those that wait.
  /// - Throws: `IndexFailure`, and any error of `body`.
  /// - Returns: The result of `body`.
  public func writeSoon<Result>(_ body: (IndexConnection) throws -> Result) throws -> Result {
    try IndexOrder.look(isInnermost: isInnermost) {
      try IndexFailure.naming(writer.path) {
        try writer.exclusively { try $0.changeExclusively(isSoon: true, body) }
      }
    }
  }

  /// Keeps a transaction open between the calls that are made during `body`, on any thread. Only
  /// for a file without readers: they wouldn't see changes that wait.
  /// - Parameter body: A function that calls `read`, `write` and `writeSoon`.
  /// - Throws: Any error of `body`; otherwise `IndexFailure` if waiting changes were lost.
  /// - Returns: The result of `body`.
  public func session<Result>(_ body: () throws -> Result) throws -> Result {
    assert(readers == nil, "a session of a file with readers")
    writer.exclusively { $0.sessions += 1 }
    let result = Swift.Result { try body() }
    let end = Swift.Result {
      try IndexFailure.naming(writer.path) {
        try writer.exclusively { db in
          db.sessions -= 1
          try db.settle()
        }
      }
    }
    let value = try result.get()
    try end.get()
    return value
  }

  /// The number of transactions that were lost after their callers had returned.
  public var losses: Int { writer.exclusively { $0.losses } }

  /// Runs one transaction that is on the disk when this returns.
  /// - Parameter body: A function that reads and writes. If it throws, all its changes are rolled
  ///   back.
  /// - Throws: `IndexFailure`, and any error of `body`.
  /// - Returns: The result of `body`.
  public func writeDurably<Result>(_ body: (IndexConnection) throws -> Result) throws -> Result {
    try IndexOrder.look(isInnermost: isInnermost) {
      try IndexFailure.naming(writer.path) { try durably(body) }
    }
  }

  private func durably<Result>(_ body: (IndexConnection) throws -> Result) throws -> Result {
    try writer.exclusively { db in
      // The setting can't change inside of a transaction.
      try db.settle()
      try db.execute("PRAGMA synchronous = FULL")
      defer {
        // A setting of the connection: if this fails, the stricter setting remains and nothing is
        // lost.
        try? db.execute("PRAGMA synchronous = NORMAL")
      }
      return try db.changeExclusively(body)
    }
  }

  /// Drops the pages of the file from memory, and moves the changes in its log into the file, as
  /// far as no reader needs the log.
  /// - Throws: Any SQLite error.
  public func releaseMemory() throws {
    try writer.exclusively { db in
      try db.settle()
      // It waits for nobody, and it is no error if a reader needs the log.
      if db.path != SQLiteConnection.memory { try db.execute("PRAGMA wal_checkpoint(PASSIVE)") }
      try db.execute(Self.forgetPages)
    }
    try readers?.releaseMemory()
  }

  static let forgetPages = "PRAGMA shrink_memory"

  /// The bytes of pages that the writing connection has in memory.
  var memory: Int { writer.exclusively { $0.status(SQLITE_DBSTATUS_CACHE_USED) } }

  /// The work of all connections so far.
  public var work: IndexWork {
    var work = IndexWork()
    writer.exclusively { work.add($0) }
    readers?.count(&work)
    return work
  }

  /// Returns the present contents.
  /// - Throws: SQLite's error.
  /// - Returns: The rows of all tables.
  public func rows() throws -> IndexRows { try read { try IndexRows($0) } }

  /// Replaces the contents by earlier ones of this index, or of another one with the same schema.
  /// - Parameter rows: The rows of all tables.
  /// - Throws: Any SQLite error.
  public func replaceAll(by rows: IndexRows) throws {
    try write { try rows.replaceAll(in: $0) }
    readers?.forgetRowNumbers()
  }

  /// Calls `body` after each transaction that was rolled back, before another one begins.
  /// - Parameter body: A function that uses no index.
  public func onRollback(_ body: @escaping @Sendable () -> Void) {
    writer.exclusively { $0.onRollback(body) }
  }
}
