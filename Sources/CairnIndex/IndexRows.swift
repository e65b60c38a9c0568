import GRDB

/// What stands in all tables of an index at a moment, to be put back later: for simulations, in
/// which an index goes back to what was durable.
public struct IndexRows: Sendable {
  private let tables: [(name: String, rows: [[DatabaseValue]])]

  init(_ connection: IndexConnection) throws {
    let db = connection.database
    let names = try String.fetchAll(
      db.cachedStatement(
        sql: """
          SELECT name FROM sqlite_schema
          WHERE type = 'table' AND name NOT LIKE 'sqlite_%'
          ORDER BY name
          """))
    tables = try names.map { name in
      let rows = try Row.fetchAll(db.cachedStatement(sql: "SELECT * FROM \(name)"))
      return (name, rows.map { Array($0.databaseValues) })
    }
  }

  /// Makes them what the tables hold.
  func replaceAll(in connection: IndexConnection) throws {
    let db = connection.database
    for (name, rows) in tables {
      try db.cachedStatement(sql: "DELETE FROM \(name)").execute()
      guard let count = rows.first?.count else { continue }
      let places = Array(repeating: "?", count: count).joined(separator: ", ")
      let insert = try db.cachedStatement(sql: "INSERT INTO \(name) VALUES (\(places))")
      for row in rows { try insert.execute(arguments: StatementArguments(row)) }
    }
  }
}
