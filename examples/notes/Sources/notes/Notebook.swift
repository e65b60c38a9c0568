import Foundation
import SQLite

/// The notes of one person: a plain SQLite database, which knows nothing of sharing. A note has its
/// text in paragraphs, one row each, so that two people can write in one note.
final class Notebook {
  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  static let schema = """
    CREATE TABLE IF NOT EXISTS note(id INTEGER PRIMARY KEY, title TEXT NOT NULL);
    CREATE TABLE IF NOT EXISTS paragraph(
      id INTEGER PRIMARY KEY, note INTEGER NOT NULL REFERENCES note(id) ON DELETE CASCADE,
      place REAL NOT NULL, body TEXT NOT NULL);
    """

  private let handle: OpaquePointer

  init(_ path: String) throws {
    var opened: OpaquePointer?
    guard sqlite3_open(path, &opened) == SQLITE_OK, let opened else {
      throw Failure(description: "\(path) can't be opened")
    }
    handle = opened
    sqlite3_busy_timeout(handle, 10_000)
    for sql in ["PRAGMA journal_mode = WAL", "PRAGMA foreign_keys = ON"] { try run(sql) }
    guard sqlite3_exec(handle, Self.schema, nil, nil, nil) == SQLITE_OK else { throw failure }
  }

  deinit { sqlite3_close_v2(handle) }

  private var failure: Failure { Failure(description: String(cString: sqlite3_errmsg(handle))) }

  /// Runs one statement with texts for its parameters, and returns its rows.
  @discardableResult
  func run(_ sql: String, _ texts: String...) throws -> [[String]] {
    var statement: OpaquePointer?
    guard sqlite3_prepare_v2(handle, sql, -1, &statement, nil) == SQLITE_OK else { throw failure }
    defer { sqlite3_finalize(statement) }
    let copied = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
    for (index, text) in texts.enumerated() {
      sqlite3_bind_text(statement, Int32(index + 1), text, -1, copied)
    }
    var rows: [[String]] = []
    while true {
      switch sqlite3_step(statement) {
      case SQLITE_ROW:
        rows.append(
          (0..<sqlite3_column_count(statement)).map { column in
            sqlite3_column_text(statement, column).map { String(cString: $0) } ?? ""
          })
      case SQLITE_DONE: return rows
      default: throw failure
      }
    }
  }

  // MARK: Notes

  func id(of title: String) throws -> Int64 {
    guard let row = try run("SELECT id FROM note WHERE title = ?", title).first,
      let id = Int64(row[0])
    else { throw Failure(description: "there is no note “\(title)”: see `notes show`") }
    return id
  }

  func write(_ text: String, in title: String) throws {
    let note = "\(try id(of: title))"
    try run(
      """
      INSERT INTO paragraph(note, place, body)
        SELECT ?1, coalesce(max(place), 0) + 1, ?2 FROM paragraph WHERE note = ?1
      """, note, text)
  }

  func edit(_ number: Int, of title: String, to text: String) throws {
    let rows = try run(
      "SELECT id FROM paragraph WHERE note = ? ORDER BY place, id", "\(try id(of: title))")
    guard rows.indices.contains(number - 1) else {
      throw Failure(description: "“\(title)” has \(rows.count) paragraphs")
    }
    try run("UPDATE paragraph SET body = ? WHERE id = ?", text, rows[number - 1][0])
  }

  func lines(of title: String) throws -> [String] {
    try run("SELECT body FROM paragraph WHERE note = ? ORDER BY place, id", "\(try id(of: title))")
      .map { $0[0] }
  }
}
