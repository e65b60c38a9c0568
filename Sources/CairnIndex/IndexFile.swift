/// One index file, or one in memory: connections, settings, transactions. It is a cache, and can be
/// deleted at any time between two starts. It must not know what stands in its tables.
public final class IndexFile: Sendable {
  private let writer: SQLiteConnection
  /// The readers beside the writer; nil for one connection only.
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
    IndexFileMode.close(toOthers: path)
    writer = try IndexFailure.naming(path) { try Self.open(path, isReadOnly: false) }
    readers = hasReaders ? IndexReaders(path: path) : nil
    try IndexFailure.naming(path) { [writer] in try schema.prepare(writer) }
  }

  /// Opens a connection to an index file with the settings that hold for each of them.
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
    // The index may lose its last transactions in a power cut: they are folded, or looked at,
    // again.
    try db.execute("PRAGMA synchronous = NORMAL")
    try db.execute("PRAGMA temp_store = MEMORY")
    // A fold changes pages all over the file; who reads, reads what stands together.
    try db.execute("PRAGMA cache_size = -\(db.isReadOnly ? 2_000 : 8_000)")
    try db.execute("PRAGMA journal_size_limit = 16777216")
    // Pages that a long fold, or a first mirror, changes again and again are written once.
    try db.execute("PRAGMA wal_autocheckpoint = 4000")
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
    writer = try SQLiteConnection(path: SQLiteConnection.memory)
    readers = nil
    try schema.prepare(writer)
    writer.exclusively { $0.checkCommits(gate) }
  }

  /// One consistent look; where there are readers, it waits for nobody who writes.
  /// - Parameter body: Reads; it must not write.
  /// - Throws: `IndexFailure`, and what `body` throws.
  /// - Returns: what `body` returns.
  public func read<Result>(_ body: (IndexConnection) throws -> Result) throws -> Result {
    try IndexOrder.look(isInnermost: isInnermost) {
      try IndexFailure.naming(writer.path) {
        try readers.map { try $0.look(body) } ?? writer.look(body)
      }
    }
  }

  /// One transaction, undone if `body` throws.
  /// - Parameter body: Reads and writes; what it throws undoes all of it.
  /// - Throws: `IndexFailure`, and what `body` throws.
  /// - Returns: what `body` returns.
  public func write<Result>(_ body: (IndexConnection) throws -> Result) throws -> Result {
    try IndexOrder.look(isInnermost: isInnermost) {
      try IndexFailure.naming(writer.path) { try writer.change(body) }
    }
  }

  /// One transaction that is on the disk when this returns.
  /// - Parameter body: Reads and writes; what it throws undoes all of it.
  /// - Throws: `IndexFailure`, and what `body` throws.
  /// - Returns: what `body` returns.
  public func writeDurably<Result>(_ body: (IndexConnection) throws -> Result) throws -> Result {
    try IndexOrder.look(isInnermost: isInnermost) {
      try IndexFailure.naming(writer.path) { try durably(body) }
    }
  }

  private func durably<Result>(_ body: (IndexConnection) throws -> Result) throws -> Result {
    try writer.exclusively { db in
      try db.execute("PRAGMA synchronous = FULL")
      defer {
        // A setting of the connection: nothing is lost where it stays stricter.
        try? db.execute("PRAGMA synchronous = NORMAL")
      }
      return try db.changeExclusively(body)
    }
  }

  /// Forgets the pages of the file that are in memory.
  /// - Throws: what SQLite says.
  public func releaseMemory() throws {
    try writer.exclusively { try $0.execute(Self.forgetPages) }
    try readers?.releaseMemory()
  }

  static let forgetPages = "PRAGMA shrink_memory"

  /// Returns the present contents.
  /// - Throws: SQLite's error.
  /// - Returns: The rows of all tables.
  public func rows() throws -> IndexRows { try read { try IndexRows($0) } }

  /// Makes this hold what it, or another one of the same form, held.
  /// - Parameter rows: The rows of all tables.
  /// - Throws: what SQLite says.
  public func replaceAll(by rows: IndexRows) throws { try write { try rows.replaceAll(in: $0) } }
}

extension SQLiteConnection {
  /// One consistent look: no other connection's transaction becomes visible in the middle of it.
  func look<Result>(_ body: (IndexConnection) throws -> Result) throws -> Result {
    try exclusively { db in
      // In memory no other connection exists, and no lock of a file is spared by a transaction.
      if path == Self.memory { return try body(IndexConnection(db)) }
      do {
        return try db.transaction(.deferred) { try body(IndexConnection(db)) }
      } catch { throw db.explained(error) }
    }
  }

  /// One transaction that writes, undone if `body` throws.
  func change<Result>(_ body: (IndexConnection) throws -> Result) throws -> Result {
    try exclusively { try $0.changeExclusively(body) }
  }

  /// One transaction that writes, for a caller that has the connection exclusively.
  func changeExclusively<Result>(_ body: (IndexConnection) throws -> Result) throws -> Result {
    do {
      return try transaction(.immediate) { try body(IndexConnection(self)) }
    } catch { throw explained(error) }
  }
}
