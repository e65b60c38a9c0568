import CSQLite

/// An error that SQLite's C API returned.
struct SQLiteError: Error, Hashable, CustomStringConvertible {
  /// The extended result code.
  let code: Int32
  /// The explanation that SQLite gave.
  let message: String

  init(code: Int32, message: String) {
    self.code = code
    self.message = message
  }

  /// The error that the latest call on a connection returned.
  init(code: Int32, of handle: OpaquePointer?) {
    self.init(code: code, message: String(cString: sqlite3_errmsg(handle)))
  }

  /// The result code without its extension, for example `SQLITE_IOERR`.
  var primaryCode: Int32 { code & 0xff }

  /// A sentence for people.
  var description: String { "SQLite error \(code): \(message)" }
}
