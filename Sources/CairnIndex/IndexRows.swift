/// The contents of all tables of an index at a point in time, to be restored later. Simulations use
/// this to return an index to its durable state.
public struct IndexRows: Sendable {
  private let tables: [(name: String, rows: [[Query.Value]])]

  init(_ db: IndexConnection) throws {
    var names: [String] = []
    var query = try Query(
      db,
      """
      SELECT name FROM sqlite_schema
      WHERE type = 'table' AND name NOT LIKE 'sqlite_%'
      ORDER BY name
      """)
    while try query.next() { if let name = query.text(0) { names.append(name) } }
    tables = try names.map { ($0, try Self.rows(of: $0, db)) }
  }

  private static func rows(of table: String, _ db: IndexConnection) throws -> [[Query.Value]] {
    var query = try Query(db, "SELECT * FROM \(table)")
    var rows: [[Query.Value]] = []
    while try query.next() { rows.append((0..<query.columnCount).map { query.value($0) }) }
    return rows
  }

  /// Replaces the contents of the tables by these rows.
  func replaceAll(in db: IndexConnection) throws {
    db.connection.forgetRowNumbers()
    for (name, rows) in tables {
      try db.run("DELETE FROM \(name)")
      guard let count = rows.first?.count else { continue }
      let places = Array(repeating: "?", count: count).joined(separator: ", ")
      for row in rows {
        var insert = try Query(db, "INSERT INTO \(name) VALUES (\(places))")
        for value in row { insert.bind(value) }
        try insert.run()
      }
    }
  }
}
