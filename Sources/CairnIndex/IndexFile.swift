import GRDB

/// One index file, or one in memory: connections, settings, transactions. It is a cache, and can be
/// deleted at any time between two starts. It must not know what stands in its tables.
public final class IndexFile: Sendable {
  private let queue: DatabaseQueue
  /// Who reads a file beside the writer; nil where there is one connection.
  private let readers: IndexReaders?
  private let isInnermost: Bool

  /// Opens the file at `path`, making it and its tables if needed.
  /// - Parameters:
  ///   - path: Where it is.
  ///   - schema: Its tables; a file with another form of them is emptied.
  ///   - hasReaders: Whether others read while somebody writes.
  ///   - isInnermost: Whether a thread that has it asks for no other file; see `IndexOrder`.
  /// - Throws: `IndexFailure` if the file can't be opened or written.
  public init(
    path: String, schema: IndexSchema, hasReaders: Bool, isInnermost: Bool = false
  ) throws {
    self.isInnermost = isInnermost
    IndexLibrary.start()
    var settings = Configuration()
    settings.prepareDatabase { db in
      do { try Self.prepare(db) } catch { throw db.judged(error) }
    }
    settings.busyMode = .timeout(5)
    IndexLibrary.close(toOthers: path)
    queue = try IndexFailure.naming(path) {
      try DatabaseQueue(path: path, configuration: settings)
    }
    readers = hasReaders ? IndexReaders(path: path, settings: settings) : nil
    try IndexFailure.naming(path) { [queue] in try schema.prepare(queue) }
  }

  /// What holds for each connection to a file.
  private static func prepare(_ db: GRDB.Database) throws {
    if !db.configuration.readonly { try db.execute(sql: "PRAGMA journal_mode = WAL") }
    // The index may lose its last transactions in a power cut: they are folded, or looked at,
    // again.
    try db.execute(sql: "PRAGMA synchronous = NORMAL")
    try db.execute(sql: "PRAGMA temp_store = MEMORY")
    // A fold changes pages all over the file; who reads, reads what stands together.
    let cache = db.configuration.readonly ? 2_000 : 8_000
    try db.execute(sql: "PRAGMA cache_size = -\(cache)")
    try db.execute(sql: "PRAGMA journal_size_limit = 16777216")
    // Pages that a long fold, or a first mirror, changes again and again are written once.
    try db.execute(sql: "PRAGMA wal_autocheckpoint = 4000")
  }

  /// An empty index in memory.
  /// - Parameters:
  ///   - schema: Its tables.
  ///   - isInnermost: Whether a thread that has it asks for no other; see `IndexOrder`.
  ///   - gate: Asked before each commit; what it throws undoes the transaction.
  /// - Throws: what SQLite says.
  public init(
    inMemory schema: IndexSchema, isInnermost: Bool = false,
    gate: @escaping @Sendable () throws -> Void = {}
  ) throws {
    self.isInnermost = isInnermost
    IndexLibrary.start()
    queue = try DatabaseQueue()
    readers = nil
    try schema.prepare(queue)
    queue.add(transactionObserver: CommitGate(gate), extent: .databaseLifetime)
  }

  /// One consistent look; where there are readers, it waits for nobody who writes.
  /// - Parameter body: Reads; it must not write.
  /// - Throws: `IndexFailure`, and what `body` throws.
  /// - Returns: what `body` returns.
  public func read<Result>(_ body: (IndexConnection) throws -> Result) throws -> Result {
    try IndexOrder.look(isInnermost: isInnermost) {
      try IndexFailure.naming(queue.path) {
        try readers.map { try $0.look(body) } ?? queue.look(body)
      }
    }
  }

  /// One transaction, undone if `body` throws.
  /// - Parameter body: Reads and writes; what it throws undoes all of it.
  /// - Throws: `IndexFailure`, and what `body` throws.
  /// - Returns: what `body` returns.
  public func write<Result>(_ body: (IndexConnection) throws -> Result) throws -> Result {
    try IndexOrder.look(isInnermost: isInnermost) {
      try IndexFailure.naming(queue.path) { try queue.change(body) }
    }
  }

  /// One transaction that is on the disk when this returns.
  /// - Parameter body: Reads and writes; what it throws undoes all of it.
  /// - Throws: `IndexFailure`, and what `body` throws.
  /// - Returns: what `body` returns.
  public func writeDurably<Result>(_ body: (IndexConnection) throws -> Result) throws -> Result {
    try IndexOrder.look(isInnermost: isInnermost) {
      try IndexFailure.naming(queue.path) { try durably(body) }
    }
  }

  private func durably<Result>(_ body: (IndexConnection) throws -> Result) throws -> Result {
    try queue.writeWithoutTransaction { db in
      try db.execute(sql: "PRAGMA synchronous = FULL")
      defer {
        // A setting of the connection: nothing is lost where it stays stricter.
        try? db.execute(sql: "PRAGMA synchronous = NORMAL")
      }
      return try IndexConnection(db).change(body)
    }
  }

  /// Forgets the pages of the file that are in memory.
  /// - Throws: what SQLite says.
  public func releaseMemory() throws {
    try queue.writeWithoutTransaction { try $0.execute(sql: Self.forgetPages) }
    try readers?.releaseMemory()
  }

  static let forgetPages = "PRAGMA shrink_memory"

  /// What this holds now.
  /// - Throws: what SQLite says.
  /// - Returns: the rows of all tables.
  public func rows() throws -> IndexRows { try read { try IndexRows($0) } }

  /// Makes this hold what it, or another one of the same form, held.
  /// - Parameter rows: The rows of all tables.
  /// - Throws: what SQLite says.
  public func replaceAll(by rows: IndexRows) throws { try write { try rows.replaceAll(in: $0) } }
}

extension DatabaseQueue {
  /// One consistent look. `DatabaseQueue.read` sets and takes back `PRAGMA query_only` around it,
  /// after which SQLite compiles every statement again: for us that was most of a turn's time. A
  /// queue lets one in at a time, and no other process writes to an index, so that nothing changes
  /// meanwhile. `IndexReaders` reads on connections that can't write, beside whoever writes.
  func look<Result>(_ body: (IndexConnection) throws -> Result) throws -> Result {
    try unsafeRead { db in
      // In memory there are no locks to be spared, which is what each statement by itself takes.
      if path == ":memory:" { return try body(IndexConnection(db)) }
      // Kept statements: GRDB compiles its own each time.
      try db.cachedStatement(sql: "BEGIN DEFERRED TRANSACTION").execute()
      do {
        let result = try body(IndexConnection(db))
        try db.cachedStatement(sql: "COMMIT TRANSACTION").execute()
        return result
      } catch {
        if db.isInsideTransaction { try db.rollback() }
        throw db.judged(error)
      }
    }
  }

  /// One transaction. `write` is the same and compiles the statements that begin and end it at each
  /// use.
  func change<Result>(_ body: (IndexConnection) throws -> Result) throws -> Result {
    try writeWithoutTransaction { try IndexConnection($0).change(body) }
  }
}

extension IndexConnection {
  /// One transaction, undone if `body` throws.
  fileprivate func change<Result>(_ body: (IndexConnection) throws -> Result) throws -> Result {
    let db = database
    try db.cachedStatement(sql: "BEGIN IMMEDIATE TRANSACTION").execute()
    do {
      let result = try body(self)
      // A failure that made SQLite undo everything isn't followed by a commit of nothing.
      guard db.isInsideTransaction else {
        throw DatabaseError(resultCode: .SQLITE_ABORT, message: "the transaction was undone")
      }
      try db.cachedStatement(sql: "COMMIT TRANSACTION").execute()
      return result
    } catch {
      // What failed first is told; the connection is of no use if this fails too.
      if db.isInsideTransaction { try? db.rollback() }
      throw db.judged(error)
    }
  }
}
