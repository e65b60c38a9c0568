public import CairnZone

/// A connection to an index file, inside of one read or one transaction. `Query` uses its
/// statements.
public struct IndexConnection {
  let connection: SQLiteConnection

  init(_ connection: SQLiteConnection) { self.connection = connection }

  /// The row id of the latest inserted row.
  public var lastRow: Int64 { connection.lastRow }

  /// Returns the number of the row with a key, which is looked up once for each connection.
  /// - Parameters:
  ///   - key: The key. Its row must never be deleted or get another number.
  ///   - find: A function that looks up the number; nil if there is no row.
  /// - Throws: The error of `find`.
  /// - Returns: The number; nil if there is no row.
  public func rowNumber(of key: Bytes32, _ find: () throws -> Int64?) rethrows -> Int64? {
    try connection.rowNumber(of: key, find)
  }

  /// Runs a statement without parameters.
  /// - Parameter sql: The statement.
  /// - Throws: Any SQLite error.
  public func run(_ sql: String) throws { try Query(self, sql).run() }
}

/// The error for a damaged index file. An index contains only values that this program wrote, so an
/// unreadable value means damage.
public struct IndexDamage: Error, Hashable, CustomStringConvertible {
  /// The unreadable part.
  public let what: String

  /// Creates an error for an unreadable part.
  public init(_ what: String) { self.what = what }

  /// A sentence for people.
  public var description: String { "unreadable \(what) in the index" }
}
