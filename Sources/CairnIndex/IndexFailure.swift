import CSQLite

/// The reason that an index file cannot be used now: SQLite's error, and the file.
public struct IndexFailure: Error, Hashable, CustomStringConvertible {
  /// The kind of failure.
  public enum Kind: Hashable, Sendable {
    /// There is no room on the disk.
    case full
    /// The disk doesn't give or take it: an error of its own, or it may only be read.
    case unusable
    /// The file isn't an index, or isn't a complete one.
    case damaged
    /// Anything else, which is our own mistake.
    case other
  }

  /// The kind of failure.
  public let kind: Kind
  /// The file's path.
  public let path: String
  /// SQLite's words.
  public let reason: String

  init(_ error: SQLiteError, of path: String) {
    self.path = path
    reason = error.message
    switch error.primaryCode {
    case SQLITE_FULL: kind = .full
    case SQLITE_IOERR, SQLITE_READONLY, SQLITE_CANTOPEN, SQLITE_PERM: kind = .unusable
    case SQLITE_CORRUPT, SQLITE_NOTADB: kind = .damaged
    default: kind = .other
    }
  }

  /// A sentence for people.
  public var description: String { "the index \(path): \(reason)" }

  /// Lets what SQLite says of a file name the file.
  static func naming<Result>(_ path: String, _ body: () throws -> Result) throws -> Result {
    do { return try body() } catch let error as SQLiteError {
      throw IndexFailure(error, of: path)
    }
  }
}
