import GRDB

/// The tables of an index file, and which form of them it is. An index is a cache, so nothing is
/// carried over: a file with another form is emptied, and made again.
public struct IndexSchema: Sendable {
  let version: Int64
  private let statements: [String]

  /// A form of the tables.
  /// - Parameters:
  ///   - version: Counted up with every change of the statements.
  ///   - statements: What makes the tables and their indexes in an empty file.
  public init(version: Int64, _ statements: [String]) {
    self.version = version
    self.statements = statements
  }

  func prepare(_ queue: DatabaseQueue) throws {
    let found = try queue.look { db in
      var query = try Query(db, "PRAGMA user_version")
      return try query.next() ? query.integer(0) : 0
    }
    if found != version { try queue.change { try make($0) } }
    try restoreIndexes(queue)
  }

  private func make(_ db: IndexConnection) throws {
    for table in try Self.names("table", db) {
      try db.database.execute(sql: "DROP TABLE \(table.quotedDatabaseIdentifier)")
    }
    for statement in statements { try db.database.execute(sql: statement) }
    try db.database.execute(sql: "PRAGMA user_version = \(version)")
  }

  /// Makes indexes again that are gone, since queries name them and fail without. Where none is
  /// missing, nothing is written.
  private func restoreIndexes(_ queue: DatabaseQueue) throws {
    let present = Set(try queue.look { try Self.names("index", $0) })
    let missing = statements.filter { statement in
      let words = statement.split(separator: " ")
      guard let place = words.firstIndex(of: "INDEX") else { return false }
      return !present.contains(String(words[place + 1]))
    }
    guard !missing.isEmpty else { return }
    try queue.change { db in
      for statement in missing { try db.database.execute(sql: statement) }
    }
  }

  private static func names(_ type: String, _ db: IndexConnection) throws -> [String] {
    var query = try Query(
      db, "SELECT name FROM sqlite_schema WHERE type = ? AND name NOT LIKE 'sqlite_%'")
    query.bind(type)
    var names: [String] = []
    while try query.next() { if let name = query.text(0) { names.append(name) } }
    return names
  }
}
