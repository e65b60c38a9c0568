import CairnSQLite
import GRDB
import Glibc

/// Why an index file can't be used now: what SQLite says, and of which file.
public struct IndexFailure: Error, Hashable, CustomStringConvertible {
  /// What kind of failure it is.
  public enum Kind: Hashable, Sendable {
    /// There is no room on the disk.
    case full
    /// The disk doesn't give or take it: an error of its own, or it may only be read.
    case unusable
    /// What stands in the file is no index, or not a whole one.
    case damaged
    /// Anything else, which is our own mistake.
    case other
  }

  /// What kind of failure it is.
  public let kind: Kind
  /// The file's path.
  public let path: String
  /// SQLite's words.
  public let reason: String

  init(_ error: DatabaseError, of path: String) {
    self.path = path
    reason = error.message ?? "\(error.resultCode)"
    switch error.resultCode {
    case .SQLITE_FULL: kind = .full
    case .SQLITE_IOERR, .SQLITE_READONLY, .SQLITE_CANTOPEN, .SQLITE_PERM: kind = .unusable
    case .SQLITE_CORRUPT, .SQLITE_NOTADB: kind = .damaged
    default: kind = .other
    }
  }

  /// A sentence for people.
  public var description: String { "the index \(path): \(reason)" }

  /// Lets what SQLite says of a file name the file.
  static func naming<Result>(_ path: String, _ body: () throws -> Result) throws -> Result {
    do { return try body() } catch let error as DatabaseError {
      throw IndexFailure(error, of: path)
    }
  }
}

extension GRDB.Database {
  /// An error as it is told. What a disk gives no bytes of SQLite calls corrupt, too: that is said
  /// only of a file that can be read.
  func judged(_ error: any Error) -> any Error {
    guard let error = error as? DatabaseError,
      error.resultCode == .SQLITE_CORRUPT || error.resultCode == .SQLITE_NOTADB,
      let connection = sqliteConnection
    else { return error }
    let number = cairn_sqlite_try_to_read(UnsafeMutableRawPointer(connection))
    guard number != 0 else { return error }
    return DatabaseError(
      resultCode: .SQLITE_IOERR, message: "it can't be read: \(String(cString: strerror(number)))")
  }
}
