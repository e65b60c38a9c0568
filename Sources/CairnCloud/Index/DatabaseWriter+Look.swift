public import GRDB

extension DatabaseWriter {
  /// One consistent look. `DatabaseQueue.read` sets and takes back `PRAGMA query_only` around it,
  /// after which SQLite compiles every statement again: for us that was most of a turn's time. A
  /// queue lets one in at a time, and no other process writes to an index, so that nothing changes
  /// meanwhile. A pool reads on connections that can't write, beside whoever writes.
  /// - Parameter body: Reads; it must not write.
  /// - Throws: what SQLite says, and what `body` throws.
  /// - Returns: what `body` returns.
  public func look<Result>(_ body: (GRDB.Database) throws -> Result) throws -> Result {
    try unsafeRead { db in
      // In memory there are no locks to be spared, which is what each statement by itself takes.
      if let queue = self as? DatabaseQueue, queue.path == ":memory:" { return try body(db) }
      // Kept statements: GRDB compiles its own each time.
      try db.cachedStatement(sql: "BEGIN DEFERRED TRANSACTION").execute()
      do {
        let result = try body(db)
        try db.cachedStatement(sql: "COMMIT TRANSACTION").execute()
        return result
      } catch {
        if db.isInsideTransaction { try db.rollback() }
        throw error
      }
    }
  }
}
