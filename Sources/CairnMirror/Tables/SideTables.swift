import CairnCloud

/// The mirror's own tables in the program's database, and the triggers on the program's tables.
/// They stay in the file, so that rows of every writer are noticed. The triggers are plain SQL.
///
/// `cairn_row_NAME` has a row for each row of the table NAME: its key in the columns `k_…`, and,
/// while it has unsent changes (`pending`), its last sent values in the columns `b_…` (`base`).
/// `cairn_place` has the records of each row: one for each zone that has the row.
struct SideTables {
  private let db: Database

  init(_ db: Database) { self.db = db }

  private static let common = """
    CREATE TABLE IF NOT EXISTS cairn_state(
      applying INTEGER NOT NULL, shapes TEXT NOT NULL DEFAULT '');
    INSERT INTO cairn_state(applying) SELECT 0 WHERE NOT EXISTS (SELECT 1 FROM cairn_state);
    CREATE TABLE IF NOT EXISTS cairn_table(number INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
    CREATE TABLE IF NOT EXISTS cairn_zone(
      number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, token TEXT, trouble TEXT);
    CREATE TABLE IF NOT EXISTS cairn_place(
      zone INTEGER NOT NULL, record BLOB NOT NULL, tbl INTEGER NOT NULL, row INTEGER NOT NULL,
      position INTEGER, dirty INTEGER NOT NULL DEFAULT 0, sent INTEGER, problem TEXT,
      PRIMARY KEY(zone, record)) WITHOUT ROWID;
    CREATE INDEX IF NOT EXISTS cairn_place_row ON cairn_place(tbl, row);
    CREATE INDEX IF NOT EXISTS cairn_place_record ON cairn_place(record);
    CREATE INDEX IF NOT EXISTS cairn_place_dirty ON cairn_place(zone) WHERE dirty > 0;
    CREATE TABLE IF NOT EXISTS cairn_waiting(
      zone INTEGER NOT NULL, record BLOB NOT NULL, PRIMARY KEY(zone, record)) WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS cairn_history(
      token INTEGER PRIMARY KEY AUTOINCREMENT, tbl INTEGER NOT NULL, key BLOB NOT NULL,
      kind TEXT NOT NULL, person TEXT, time INTEGER NOT NULL);
    """

  /// Creates what is missing, also for columns that the program added.
  /// - Returns: The shapes with their numbers, and whether all zones must be read again because the
  ///   tables have more columns than before.
  func prepare(_ names: [String]) throws(CloudError) -> (shapes: [TableShape], isWider: Bool) {
    try db.execute(Self.common)
    var shapes: [TableShape] = []
    for name in names {
      var shape = try TableShape(name, in: db)
      shape.foreignKeys = shape.foreignKeys.filter { names.contains($0.parent) }
      try db.run("INSERT OR IGNORE INTO cairn_table(name) VALUES (?)", [.string(name)])
      shape.number =
        try db.value("SELECT number FROM cairn_table WHERE name = ?", [.string(name)])?.int ?? 0
      shapes.append(shape)
    }
    for shape in shapes {
      try makeSideTable(shape)
      try makeTriggers(shape)
      try enter(shape)
    }
    let columns = shapes.flatMap { shape in shape.columns.map { "\(shape.name).\($0)" } }.sorted()
    let text = columns.joined(separator: "\n")
    let before = try db.value("SELECT shapes FROM cairn_state")?.string ?? ""
    try db.run("UPDATE cairn_state SET shapes = ?", [.string(text)])
    return (shapes, !Set(columns).isSubset(of: before.split(separator: "\n").map(String.init)))
  }

  private func makeSideTable(_ shape: TableShape) throws(CloudError) {
    let keys = zip(shape.key, shape.keyTypes).map { "\("k_\($0)".quoted) \($1)" }
    let names = shape.key.map { "k_\($0)".quoted }.joined(separator: ", ")
    let bases = shape.columns.map { "b_\($0)" }
    try db.execute(
      """
      CREATE TABLE IF NOT EXISTS \(shape.side)(
        row INTEGER PRIMARY KEY, pending INTEGER NOT NULL DEFAULT 0,
        base INTEGER NOT NULL DEFAULT 0, problem TEXT,
        \((keys + bases.map(\.quoted)).joined(separator: ", ")), UNIQUE(\(names)));
      CREATE INDEX IF NOT EXISTS \("cairn_pending_\(shape.name)".quoted)
        ON \(shape.side)(pending) WHERE pending > 0;
      """)
    let present = try db.run(
      "SELECT name FROM pragma_table_xinfo(?)", [.string("cairn_row_\(shape.name)")]
    ).compactMap { $0[0].string }
    for name in bases where !present.contains(name) {
      try db.execute("ALTER TABLE \(shape.side) ADD COLUMN \(name.quoted)")
    }
  }

  /// Enters rows that were written before the triggers existed, and notes keys that are gone.
  private func enter(_ shape: TableShape) throws(CloudError) {
    let keys = shape.key.map(\.quoted).joined(separator: ", ")
    let sides = shape.key.map { "k_\($0)".quoted }.joined(separator: ", ")
    let same = shape.key.map { "s.\("k_\($0)".quoted) = t.\($0.quoted)" }.joined(separator: " AND ")
    try db.execute(
      """
      INSERT INTO \(shape.side)(\(sides), pending) SELECT \(keys), 1 FROM \(shape.name.quoted) AS t
        WHERE NOT EXISTS (SELECT 1 FROM \(shape.side) AS s WHERE \(same))
          AND \(shape.key.map { "t.\($0.quoted) IS NOT NULL" }.joined(separator: " AND "));
      """)
    try sweep(shape)
  }

  /// Notes deletions that no trigger saw.
  func sweep(_ shape: TableShape) throws(CloudError) {
    let same = shape.key.map { "t.\($0.quoted) = \(shape.side).\("k_\($0)".quoted)" }
      .joined(separator: " AND ")
    try db.execute(
      """
      UPDATE \(shape.side) SET pending = 1 WHERE pending = 0 AND problem IS NULL
        AND NOT EXISTS (SELECT 1 FROM \(shape.name.quoted) AS t WHERE \(same));
      """)
  }

  // MARK: Triggers

  private func makeTriggers(_ shape: TableShape) throws(CloudError) {
    for (name, text) in triggers(of: shape) {
      let present = try db.value(
        "SELECT sql FROM sqlite_schema WHERE type = 'trigger' AND name = ?", [.string(name)])
      guard present?.string != text else { continue }
      try db.execute("DROP TRIGGER IF EXISTS \(name.quoted)")
      try db.execute(text)
    }
  }

  private func triggers(of shape: TableShape) -> [(name: String, text: String)] {
    let (side, table) = (shape.side, shape.name.quoted)
    let isKeyed = shape.key.map { "NEW.\($0.quoted) IS NOT NULL" }.joined(separator: " AND ")
    let isNew = Self.key(shape, "NEW")
    let isOld = Self.key(shape, "OLD")
    let keeps = shape.columns.map { column in
      let base = "b_\(column)".quoted
      return "\(base) = CASE pending WHEN 0 THEN OLD.\(column.quoted) ELSE \(base) END"
    }
    let kept = (keeps + ["base = CASE pending WHEN 0 THEN 1 ELSE base END", "pending = 1"])
      .joined(separator: ", ")
    let newKey = shape.key.map { "\("k_\($0)".quoted) = NEW.\($0.quoted)" }.joined(separator: ", ")
    let noKey = shape.key.map { "\("k_\($0)".quoted) = NULL" }.joined(separator: ", ")
    let enter = """
      INSERT INTO \(side)(\(shape.key.map { "k_\($0)".quoted }.joined(separator: ", ")), pending)
        SELECT \(shape.key.map { "NEW.\($0.quoted)" }.joined(separator: ", ")), 1
        WHERE \(isKeyed) AND NOT EXISTS (SELECT 1 FROM \(side) WHERE \(isNew));
      """
    return [
      // INSERT OR REPLACE deletes rows without a call of the trigger for deletions.
      trigger(shape, "replaces", "BEFORE INSERT", replaced(shape, butOld: false)),
      trigger(shape, "displaces", "BEFORE UPDATE", replaced(shape, butOld: true)),
      trigger(
        shape, "insert", "AFTER INSERT", "UPDATE \(side) SET pending = 1 WHERE \(isNew); \(enter)"),
      trigger(
        shape, "update", "AFTER UPDATE",
        """
        UPDATE \(side) SET \(noKey) WHERE \(isNew) AND NOT (\(isOld));
        UPDATE \(side) SET \(kept), \(newKey) WHERE \(isOld);
        \(enter)
        """),
      // SQLite may give the number of a deleted row to another one.
      trigger(
        shape, "delete", "AFTER DELETE",
        "UPDATE \(side) SET \(kept)\(shape.localKey == nil ? "" : ", " + noKey) WHERE \(isOld);"),
    ].map { ($0.name, $0.text.replacing("{table}", with: table)) }
  }

  private func trigger(
    _ shape: TableShape, _ suffix: String, _ event: String, _ body: String
  ) -> (name: String, text: String) {
    let name = "cairn_\(shape.name)_\(suffix)"
    return (
      name,
      """
      CREATE TRIGGER \(name.quoted) \(event) ON {table}
      WHEN (SELECT applying FROM cairn_state) = 0 BEGIN
      \(body)
      END
      """
    )
  }

  /// Returns the statements that note the rows that a new row would replace.
  private func replaced(_ shape: TableShape, butOld: Bool) -> String {
    let bases = shape.columns.map { "\("b_\($0)".quoted) = x.\($0.quoted)" }.joined(separator: ", ")
    let same = shape.key.map { "\(shape.side).\("k_\($0)".quoted) = x.\($0.quoted)" }
      .joined(separator: " AND ")
    let other = butOld ? " AND NOT (\(Self.key(shape, "OLD")))" : ""
    return shape.uniques.map { rule in
      let equal = zip(rule.columns, rule.collations)
        .map { "\($0.quoted) = NEW.\($0.quoted) COLLATE \($1)" }.joined(separator: " AND ")
      return """
        UPDATE \(shape.side) SET \(bases), base = 1, pending = 1
          FROM (SELECT * FROM {table} WHERE \(equal)) AS x
          WHERE \(same) AND pending = 0\(other);
        """
    }.joined(separator: "\n")
  }

  private static func key(_ shape: TableShape, _ row: String) -> String {
    shape.key.map { "\("k_\($0)".quoted) = \(row).\($0.quoted)" }.joined(separator: " AND ")
  }
}
