import CairnCloud

/// A reference of one table's rows to those of another one.
struct ForeignKey: Hashable {
  /// The effect of a deletion on the rows that refer to the deleted one.
  enum Action: Hashable {
    case cascade, setNull, refuse
  }

  let child: String
  let columns: [String]
  let parent: String
  let parentColumns: [String]
  let onDelete: Action

  /// The field of a record that has the reference.
  var field: String { columns.joined(separator: ",") }
}

/// The columns and rules of one table, as SQLite reports them.
struct TableShape {
  /// A rule that no two rows are equal in some columns.
  struct Unique: Hashable {
    let columns: [String]
    let collations: [String]
  }

  let name: String
  /// The number of the table in the mirror's tables.
  var number: Int64 = 0
  /// The columns with values of their own, in their order.
  let columns: [String]
  /// The columns of the primary key, in its order.
  let key: [String]
  /// The declared types of the key's columns.
  let keyTypes: [String]
  /// The columns that refuse null, with the values that SQLite gives them by itself.
  let defaults: [String: SQLValue]
  /// The references to mirrored tables. The first one that isn't null leads to the parent of a row.
  var foreignKeys: [ForeignKey]
  /// The rules for equal rows, the primary key first.
  let uniques: [Unique]
  /// A Boolean value that indicates whether there are rules that a trigger can't look up.
  let hasOtherUniques: Bool
  /// A Boolean value that indicates whether SQLite chooses keys (INTEGER PRIMARY KEY).
  let hasRowKey: Bool
  /// The statements about its rows.
  let statements: RowStatements

  /// The column of a number that only this device uses as the key; nil if keys are data.
  var localKey: String? {
    guard let only = key.first, key.count == 1, keyTypes[0].uppercased() == "INTEGER",
      !foreignKeys.contains(where: { $0.columns.contains(only) })
    else { return nil }
    return only
  }

  /// The columns whose values are the same on each device.
  var shared: [String] { columns.filter { $0 != localKey } }

  /// The table with the mirror's data about each row.
  var side: String { "cairn_row_\(name)".quoted }

  /// Reads the shape of a table.
  init(_ name: String, in db: Database) throws(CloudError) {
    self.name = name
    let info = try db.run(
      "SELECT name, type, \"notnull\", pk, hidden, dflt_value FROM pragma_table_xinfo(?)",
      [.string(name)])
    guard !info.isEmpty else {
      throw CloudError(.invalidArguments, "the database has no table \(name)")
    }
    let plain = info.filter { $0[4].int == 0 }
    columns = plain.compactMap { $0[0].string }
    let keyed = plain.filter { ($0[3].int ?? 0) > 0 }.sorted { ($0[3].int ?? 0) < ($1[3].int ?? 0) }
    key = keyed.compactMap { $0[0].string }
    keyTypes = keyed.map { $0[1].string ?? "" }
    var defaults: [String: SQLValue] = [:]
    for column in plain where column[2].int == 1 {
      guard let name = column[0].string else { continue }
      defaults[name] =
        try column[5].string.flatMap { text throws(CloudError) in
          try db.value("SELECT \(text)")
        } ?? .null
    }
    self.defaults = defaults
    guard !key.isEmpty else {
      throw CloudError(.invalidArguments, "the table \(name) has no primary key")
    }
    foreignKeys = try Self.foreignKeys(of: name, in: db)
    var (uniques, other, hasIndex) = ([Unique](), false, false)
    for index in try db.run(
      "SELECT name, origin, partial FROM pragma_index_list(?) WHERE \"unique\" = 1", [.string(name)]
    ) {
      let parts = try db.run(
        "SELECT name, coll FROM pragma_index_xinfo(?) WHERE key = 1", [index[0]])
      let names = parts.compactMap { $0[0].string }
      if index[1].string == "pk" { hasIndex = true }
      if index[2].int == 1 || names.count < parts.count || !Set(names).isSubset(of: columns) {
        other = true
      } else {
        let rule = Unique(columns: names, collations: parts.map { $0[1].string ?? "BINARY" })
        uniques.insert(rule, at: index[1].string == "pk" ? 0 : uniques.count)
      }
    }
    if !hasIndex {
      uniques.insert(Unique(columns: key, collations: key.map { _ in "BINARY" }), at: 0)
    }
    (self.uniques, hasOtherUniques, hasRowKey) = (uniques, other, !hasIndex)
    statements = RowStatements(
      table: name, side: "cairn_row_\(name)".quoted, columns: columns, key: key)
  }

  /// Reads all references of a table, in the order of their declaration.
  static func foreignKeys(
    of name: String, in db: Database
  ) throws(CloudError) -> [ForeignKey] {
    var found: [Int64: [[SQLValue]]] = [:]
    for row in try db.run(
      """
      SELECT id, "table", "from", "to", on_delete FROM pragma_foreign_key_list(?) ORDER BY id, seq
      """, [.string(name)])
    {
      found[row[0].int ?? 0, default: []].append(row)
    }
    var keys: [ForeignKey] = []
    // SQLite numbers them from the last one.
    for (_, rows) in found.sorted(by: { $0.key > $1.key }) {
      let parent = rows[0][1].string ?? ""
      var columns = rows.compactMap { $0[3].string }
      if columns.count < rows.count {
        columns = try db.run(
          "SELECT name FROM pragma_table_xinfo(?) WHERE pk > 0 ORDER BY pk", [.string(parent)]
        ).compactMap { $0[0].string }
      }
      guard columns.count == rows.count else { continue }
      let action: ForeignKey.Action =
        switch rows[0][4].string {
        case "CASCADE": .cascade
        case "SET NULL": .setNull
        default: .refuse
        }
      keys.append(
        ForeignKey(
          child: name, columns: rows.compactMap { $0[2].string }, parent: parent,
          parentColumns: columns, onDelete: action))
    }
    return keys
  }
}
