/// Sessions: while one is open, a transaction stays open between two calls of the same connection.
/// Reads need no transaction of their own then, and changes that can wait are committed together
/// with the next ones. No other connection may write to the file: it would wait for the session.
extension SQLiteConnection {
  /// Runs one consistent read: no other connection's transaction becomes visible in the middle of
  /// it.
  func look<Result>(_ body: (IndexConnection) throws -> Result) throws -> Result {
    try exclusively { db in
      // In memory there is no other connection, and no file lock that a transaction could save.
      if path == Self.memory { return try body(IndexConnection(db)) }
      do {
        guard db.sessions > 0 else {
          return try db.transaction(.deferred) { try body(IndexConnection(db)) }
        }
        return try db.lookInSession(body)
      } catch { throw db.explained(error) }
    }
  }

  private func lookInSession<Result>(
    _ body: (IndexConnection) throws -> Result
  ) throws -> Result {
    if kept == nil {
      try begin(.deferred)
      kept = .deferred
    }
    do { return try body(IndexConnection(self)) } catch {
      // Earlier changes are none of this read, unless SQLite undid them.
      if kept == .deferred || !isInTransaction { drop() }
      throw error
    }
  }

  /// Runs one transaction that writes, and rolls it back if `body` throws.
  func change<Result>(_ body: (IndexConnection) throws -> Result) throws -> Result {
    try exclusively { try $0.changeExclusively(body) }
  }

  /// Runs one transaction that writes, for a caller that has the connection exclusively. Changes
  /// that wait are committed with it, or lost with it. `isSoon` leaves it open in a session.
  func changeExclusively<Result>(
    isSoon: Bool = false, _ body: (IndexConnection) throws -> Result
  ) throws -> Result {
    do {
      if kept == .deferred { try settle() }
      if kept == nil { try begin(.immediate) }
      do {
        let result = try body(IndexConnection(self))
        try checkTransaction()
        if isSoon, sessions > 0 {
          kept = .immediate
        } else {
          try commit()
          kept = nil
        }
        return result
      } catch {
        drop()
        throw error
      }
    } catch { throw explained(error) }
  }

  /// Ends the open transaction: its changes are committed, or lost.
  func settle() throws {
    guard kept != nil else { return }
    do {
      try commit()
      kept = nil
    } catch {
      drop()
      throw error
    }
  }

  private func drop() {
    if kept == .immediate { losses += 1 }
    kept = nil
    rollBack()
  }
}
