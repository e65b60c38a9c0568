import CairnCloud

/// The number of a row in the mirror, which stays through changes of its key.
struct RowNumber: Hashable {
  /// The position of its table in the list of mirrored tables.
  let table: Int
  let row: Int64
}

/// A record that a row has in one zone.
struct Place: Hashable {
  /// The state of the record in the zone, compared with the row.
  enum Dirt: Int64 {
    case clean, changed, deleted
  }

  let zone: Int64
  let record: RecordID
  let row: RowNumber
  /// The change tag of the record when it was last read; nil if it was never in the zone.
  var position: Int64?
  var dirt = Dirt.clean
  /// The digest of the values that were sent last.
  var sent: Int64?
  /// The reason why the zone refuses the record, after the name of an error's code.
  var problem: String?

  var id: Item.ID { Item.ID(zone: zone, record: record) }
}

/// The rows of the program's tables, and the mirror's tables beside them.
final class Ledger {
  /// Unsent changes of a row: none, some that no send has collected, or collected ones.
  enum Pending: Int64 {
    case none, new, collected
  }

  let db: Database
  let shapes: [TableShape]
  private let numbers: [String: Int]
  /// All references between tables of the database to mirrored ones, by parent.
  let children: [String: [ForeignKey]]
  private var searches: [Search: String] = [:]

  /// A search for the rows of a table by some of their columns.
  private struct Search: Hashable {
    let table: Int
    let columns: [String]
    let collations: [String]?
  }

  init(_ db: Database, _ shapes: [TableShape]) throws(CloudError) {
    (self.db, self.shapes) = (db, shapes)
    numbers = Dictionary(uniqueKeysWithValues: shapes.enumerated().map { ($1.name, $0) })
    var children: [String: [ForeignKey]] = [:]
    for row in try db.run("SELECT name FROM sqlite_schema WHERE type = 'table'") {
      guard let name = row[0].string, !name.hasPrefix("cairn_") else { continue }
      for key in try TableShape.foreignKeys(of: name, in: db) {
        children[key.parent, default: []].append(key)
      }
    }
    self.children = children
  }

  func table(_ name: String) -> Int? { numbers[name] }

  func shape(_ row: RowNumber) -> TableShape { shapes[row.table] }

  // MARK: Rows

  private static func match(_ shape: TableShape) -> String {
    shape.key.map { "t.\($0.quoted) = s.\("k_\($0)".quoted)" }.joined(separator: " AND ")
  }

  /// The values of a row; nil if it is deleted.
  func values(_ number: RowNumber) throws(CloudError) -> Values? {
    let shape = shape(number)
    return try db.run(shape.statements.values, [.integer(number.row)]).first
      .map { Values(uniqueKeysWithValues: zip(shape.columns, $0)) }
  }

  /// The number of the row with a key; nil if the mirror doesn't know it.
  func row(_ table: Int, key: [SQLValue]) throws(CloudError) -> RowNumber? {
    try db.value(shapes[table].statements.number, key)?.int
      .map { RowNumber(table: table, row: $0) }
  }

  /// Numbers a new row. A deleted row that had its key is another one.
  func enter(_ table: Int, _ values: Values, pending: Pending) throws(CloudError) -> RowNumber {
    let shape = shapes[table]
    let key = shape.key.map { values[$0] ?? .null }
    if let deleted = try row(table, key: key) { try forgetKey(deleted) }
    try db.run(shape.statements.enter, key + [.integer(pending.rawValue)])
    return RowNumber(table: table, row: db.lastRow)
  }

  /// The key of a row; nil if another row has its key now.
  func key(_ number: RowNumber) throws(CloudError) -> [SQLValue]? {
    let key = try db.run(shape(number).statements.key, [.integer(number.row)]).first
    return key.flatMap { $0.contains(.null) ? nil : $0 }
  }

  /// The key of a row, or the one that it had before it was deleted.
  func lastKey(_ number: RowNumber) throws(CloudError) -> [SQLValue]? {
    if let key = try key(number) { return key }
    let base = try base(number)
    let key = shape(number).key.map { base?[$0] ?? .null }
    return key.contains(.null) ? nil : key
  }

  /// The deleted rows that had a key.
  func deletedRows(_ table: Int, key: [SQLValue]) throws(CloudError) -> [RowNumber] {
    let shape = shapes[table]
    let equal = shape.key.map {
      "\("k_\($0)".quoted) IS NULL AND \("b_\($0)".quoted) = ?"
    }.joined(separator: " AND ")
    return try db.run("SELECT row FROM \(shape.side) WHERE base = 1 AND \(equal)", key)
      .compactMap { $0[0].int }.map { RowNumber(table: table, row: $0) }
  }

  /// Gives the key of a deleted row free.
  func forgetKey(_ number: RowNumber) throws(CloudError) {
    let shape = shape(number)
    let none = shape.key.map { "\("k_\($0)".quoted) = NULL" }.joined(separator: ", ")
    try db.run("UPDATE \(shape.side) SET \(none) WHERE row = ?", [.integer(number.row)])
  }

  func setKey(_ number: RowNumber, _ values: Values) throws(CloudError) {
    let shape = shape(number)
    let key = shape.key.map { values[$0] ?? .null }
    if let other = try row(number.table, key: key), other != number { try forgetKey(other) }
    try db.run(shape.statements.setKey, key + [.integer(number.row)])
  }

  /// Forgets a row that is deleted everywhere.
  func forget(_ number: RowNumber) throws(CloudError) {
    try db.run("DELETE FROM \(shape(number).side) WHERE row = ?", [.integer(number.row)])
    try db.run(
      "DELETE FROM cairn_place WHERE tbl = ? AND row = ?",
      [.integer(shape(number).number), .integer(number.row)])
  }

  /// The rows whose columns have these values.
  func rows(
    _ table: Int, _ columns: [String], _ values: [SQLValue], collations: [String]? = nil
  ) throws(CloudError) -> [RowNumber] {
    guard !values.contains(.null) else { return [] }
    let search = Search(table: table, columns: columns, collations: collations)
    return try db.run(statement(of: search), values)
      .compactMap { $0[0].int }.map { RowNumber(table: table, row: $0) }
  }

  /// The statement of a search, whose text is made once.
  private func statement(of search: Search) -> String {
    if let known = searches[search] { return known }
    let shape = shapes[search.table]
    let equal = search.columns.indices.map { index in
      let collation = search.collations.map { " COLLATE \($0[index])" } ?? ""
      return "t.\(search.columns[index].quoted) = ?\(collation)"
    }.joined(separator: " AND ")
    let text = """
      SELECT s.row FROM \(shape.name.quoted) AS t JOIN \(shape.side) AS s
        ON \(Self.match(shape)) WHERE \(equal)
      """
    searches[search] = text
    return text
  }

  // MARK: Unsent changes

  func pending(_ number: RowNumber) throws(CloudError) -> Pending {
    let value = try db.value(shape(number).statements.pending, [.integer(number.row)])
    return value?.int.flatMap { Pending(rawValue: $0) } ?? .none
  }

  /// The rows with changes that no send has collected.
  func newlyPending(_ table: Int) throws(CloudError) -> [RowNumber] {
    try db.run(
      "SELECT row FROM \(shapes[table].side) WHERE pending = 1 AND problem IS NULL ORDER BY row"
    )
    .compactMap { $0[0].int }.map { RowNumber(table: table, row: $0) }
  }

  /// The values of the row before its unsent changes; nil if it is new.
  func base(_ number: RowNumber) throws(CloudError) -> Values? {
    let shape = shape(number)
    return try db.run(shape.statements.base, [.integer(number.row)]).first
      .map { Values(uniqueKeysWithValues: zip(shape.columns, $0)) }
  }

  /// Sets the state of the row's changes. Without unsent ones no base is kept.
  func set(_ number: RowNumber, _ pending: Pending, base: Values? = nil) throws(CloudError) {
    let shape = shape(number)
    try db.run(
      shape.statements.setBase,
      [.integer(pending.rawValue), .integer(base == nil ? 0 : 1)]
        + shape.columns.map { base?[$0] ?? .null } + [.integer(number.row)])
  }

  func setPending(_ number: RowNumber, _ pending: Pending) throws(CloudError) {
    try db.run(
      shape(number).statements.setPending, [.integer(pending.rawValue), .integer(number.row)])
  }

  /// Notes that a row's record must be made anew although the row is as it was.
  func touch(_ number: RowNumber) throws(CloudError) {
    guard try pending(number) == .none else { return try setPending(number, .new) }
    try set(number, .new, base: values(number))
  }

  func problem(_ number: RowNumber) throws(CloudError) -> String? {
    try db.value(
      "SELECT problem FROM \(shape(number).side) WHERE row = ?", [.integer(number.row)])?.string
  }

  func setProblem(_ number: RowNumber, _ problem: String?) throws(CloudError) {
    try db.run(
      "UPDATE \(shape(number).side) SET problem = ? WHERE row = ?",
      [problem.map { .string($0) } ?? .null, .integer(number.row)])
  }
}
