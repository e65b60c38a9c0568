import CSQLite
import CairnZone

/// A table with the rows of an index, in a file of the same kind, used through SQLite's C API.
final class BareIndex {
  private var handle: OpaquePointer?

  init(path: String) throws {
    try check(sqlite3_open(path, &handle))
    try execute("PRAGMA journal_mode = WAL")
    try execute("PRAGMA synchronous = NORMAL")
    try execute(
      """
      CREATE TABLE record (
        id BLOB PRIMARY KEY, parent BLOB, name BLOB, content BLOB, size INTEGER,
        modified INTEGER) WITHOUT ROWID
      """)
    try execute("CREATE INDEX record_child ON record (parent, name)")
  }

  deinit { sqlite3_close_v2(handle) }

  /// Empties the table and writes that many rows, in one transaction.
  func write(_ count: Int) throws {
    try execute("BEGIN IMMEDIATE")
    try execute("DELETE FROM record")
    try with("INSERT INTO record VALUES (?, ?, ?, ?, ?, ?)") { insert in
      for number in 1...count {
        bind(RecordID(number: number).bytes, 1, insert)
        bind(RecordID.root.bytes, 2, insert)
        bind(FileName.numbered(number).bytes, 3, insert)
        bind(FoldPart.empty.bytes, 4, insert)
        sqlite3_bind_int64(insert, 5, 0)
        sqlite3_bind_int64(insert, 6, Int64(number))
        try check(sqlite3_step(insert), is: SQLITE_DONE)
        sqlite3_reset(insert)
      }
    }
    try execute("COMMIT")
  }

  /// Finds each row's id by its name, and the row by its id.
  func find(_ count: Int) throws {
    try execute("BEGIN")
    try with("SELECT id FROM record WHERE parent = ? AND name = ?") { child in
      try with("SELECT * FROM record WHERE id = ?") { record in
        for number in 1...count {
          bind(RecordID.root.bytes, 1, child)
          bind(FileName.numbered(number).bytes, 2, child)
          try check(sqlite3_step(child), is: SQLITE_ROW)
          let start = sqlite3_column_blob(child, 0)
          let length = Int(sqlite3_column_bytes(child, 0))
          bind(Array(UnsafeRawBufferPointer(start: start, count: length)), 1, record)
          try check(sqlite3_step(record), is: SQLITE_ROW)
          sqlite3_reset(record)
          sqlite3_reset(child)
        }
      }
    }
    try execute("COMMIT")
  }

  private func bind(_ bytes: [UInt8], _ place: Int32, _ statement: OpaquePointer?) {
    let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
    sqlite3_bind_blob(statement, place, bytes, Int32(bytes.count), transient)
  }

  private func with(_ text: String, _ body: (OpaquePointer?) throws -> Void) throws {
    var statement: OpaquePointer?
    try check(sqlite3_prepare_v2(handle, text, -1, &statement, nil))
    defer { sqlite3_finalize(statement) }
    try body(statement)
  }

  private func execute(_ text: String) throws {
    try check(sqlite3_exec(handle, text, nil, nil, nil))
  }

  private func check(_ code: Int32, is expected: Int32 = SQLITE_OK) throws {
    guard code == expected else {
      throw Child.Trouble(description: "the bare table: \(String(cString: sqlite3_errmsg(handle)))")
    }
  }
}
