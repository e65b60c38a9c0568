/// A connection to an index file, inside of one read or one transaction. `Query` uses its
/// statements.
public struct IndexConnection {
  let connection: SQLiteConnection

  init(_ connection: SQLiteConnection) { self.connection = connection }

  /// The row id of the latest inserted row.
  public var lastRow: Int64 { connection.lastRow }

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
