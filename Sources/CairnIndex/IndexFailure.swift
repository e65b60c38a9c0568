import CSQLite
import Glibc

/// The reason that an index file cannot be used now: SQLite's error, and the file.
public struct IndexFailure: Error, Hashable, CustomStringConvertible {
  /// The kind of failure.
  public enum Kind: Hashable, Sendable {
    /// The disk is full.
    case full
    /// The disk can't be read or written: it has an error of its own, or is read-only.
    case unusable
    /// The file isn't an index, or isn't a complete one.
    case damaged
    /// Anything else, which is a programming error in Cairn.
    case other
  }

  /// The kind of failure.
  public let kind: Kind
  /// The file's path.
  public let path: String
  /// The explanation that SQLite gave.
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

  init(_ kind: Kind, path: String, errno number: CInt) {
    (self.kind, self.path) = (kind, path)
    reason = String(cString: strerror(number))
  }

  /// A sentence for people.
  public var description: String { "the index \(path): \(reason)" }

  /// Adds the file's path to SQLite errors of `body`.
  static func naming<Result>(_ path: String, _ body: () throws -> Result) throws -> Result {
    do { return try body() } catch let error as SQLiteError {
      throw IndexFailure(error, of: path)
    }
  }
}
