public import GRDB

extension DatabaseWriter {
  /// One consistent look. `DatabaseQueue.read` sets and takes back `PRAGMA query_only` around it,
  /// after which SQLite compiles every statement again: for us that was most of a turn's time. A
  /// queue lets one in at a time, and no other process writes to an index, so that nothing changes
  /// meanwhile. `IndexReaders` reads on connections that can't write, beside whoever writes.
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

  /// One transaction, undone if `body` throws. `write` is the same and compiles the statements that
  /// begin and end it at each use.
  /// - Parameter body: Reads and writes; what it throws undoes all of it.
  /// - Throws: what SQLite says, and what `body` throws.
  /// - Returns: what `body` returns.
  public func change<Result>(_ body: (GRDB.Database) throws -> Result) throws -> Result {
    try writeWithoutTransaction { db in
      try db.cachedStatement(sql: "BEGIN IMMEDIATE TRANSACTION").execute()
      do {
        let result = try body(db)
        // A failure that made SQLite undo everything isn't followed by a commit of nothing.
        guard db.isInsideTransaction else {
          throw DatabaseError(resultCode: .SQLITE_ABORT, message: "the transaction was undone")
        }
        try db.cachedStatement(sql: "COMMIT TRANSACTION").execute()
        return result
      } catch {
        // What failed first is told; the connection is of no use if this fails too.
        if db.isInsideTransaction { try? db.rollback() }
        throw error
      }
    }
  }
}
