/// The tables of an index file, with the version of their schema. An index is a cache, so nothing
/// is migrated: a file with another version is emptied and rebuilt.
public struct IndexSchema: Sendable {
  let version: Int64
  private let statements: [String]

  /// Creates a schema.
  /// - Parameters:
  ///   - version: A number that grows with every change of the statements.
  ///   - statements: The statements that create the tables and their indexes in an empty file.
  public init(version: Int64, _ statements: [String]) {
    self.version = version
    self.statements = statements
  }

  func prepare(_ file: SQLiteConnection) throws {
    let found = try file.look { db in
      var query = try Query(db, "PRAGMA user_version")
      return try query.next() ? query.integer(0) : 0
    }
    if found != version { try file.change { try make($0) } }
    try restoreIndexes(file)
  }

  private func make(_ db: IndexConnection) throws {
    for table in try Self.names("table", db) {
      try db.connection.execute("DROP TABLE \(Self.quoted(table))")
    }
    for statement in statements { try db.connection.execute(statement) }
    try db.connection.execute("PRAGMA user_version = \(version)")
  }

  /// Recreates missing indexes, because queries name them and fail without them. If none is
  /// missing, nothing is written.
  private func restoreIndexes(_ file: SQLiteConnection) throws {
    let present = Set(try file.look { try Self.names("index", $0) })
    let missing = statements.filter { statement in
      let words = statement.split(separator: " ")
      guard let place = words.firstIndex(of: "INDEX") else { return false }
      return !present.contains(String(words[place + 1]))
    }
    guard !missing.isEmpty else { return }
    try file.change { db in
      for statement in missing { try db.connection.execute(statement) }
    }
  }

  /// Returns a name in quotes, so that SQL accepts any name.
  private static func quoted(_ name: String) -> String {
    "\"" + name.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"")
      + "\""
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
