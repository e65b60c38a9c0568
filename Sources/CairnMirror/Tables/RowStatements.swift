/// The statements about the rows of one table. They are run for each row, so that their text is
/// made once.
struct RowStatements {
  /// The values of a row, by its number.
  let values: String
  /// The number of a row, by its key.
  let number: String
  /// The key of a row, by its number.
  let key: String
  /// The values before the unsent changes of a row, by its number.
  let base: String
  /// The state of a row's changes, by its number.
  let pending: String
  /// Numbers a row by its key; the state of its changes comes last.
  let enter: String
  /// Sets the key of a row.
  let setKey: String
  /// Sets the state of a row's changes, whether it has values before them, and these values.
  let setBase: String
  /// Sets the state of a row's changes.
  let setPending: String
  /// Inserts the values of a row into the program's table.
  let insert: String

  init(table: String, side: String, columns: [String], key: [String]) {
    func list(_ names: [String], _ prefix: String, _ suffix: String = "") -> String {
      names.map { "\("\(prefix)\($0)".quoted)\(suffix)" }.joined(separator: ", ")
    }
    let match = key.map { "t.\($0.quoted) = s.\("k_\($0)".quoted)" }.joined(separator: " AND ")
    let isKey = key.map { "\("k_\($0)".quoted) = ?" }.joined(separator: " AND ")
    func marks(_ names: [String]) -> String { names.map { _ in "?" }.joined(separator: ", ") }
    values = """
      SELECT \(columns.map { "t.\($0.quoted)" }.joined(separator: ", ")) FROM \(side) AS s
        JOIN \(table.quoted) AS t ON \(match) WHERE s.row = ?
      """
    number = "SELECT row FROM \(side) WHERE \(isKey)"
    self.key = "SELECT \(list(key, "k_")) FROM \(side) WHERE row = ?"
    base = "SELECT \(list(columns, "b_")) FROM \(side) WHERE row = ? AND base = 1"
    pending = "SELECT pending FROM \(side) WHERE row = ?"
    enter = "INSERT INTO \(side)(\(list(key, "k_")), pending) VALUES (\(marks(key)), ?)"
    setKey = "UPDATE \(side) SET \(list(key, "k_", " = ?")) WHERE row = ?"
    let bases = list(columns, "b_", " = ?")
    setBase = "UPDATE \(side) SET pending = ?, base = ?, \(bases) WHERE row = ?"
    setPending = "UPDATE \(side) SET pending = ? WHERE row = ?"
    insert = "INSERT INTO \(table.quoted)(\(list(columns, ""))) VALUES (\(marks(columns)))"
  }
}
