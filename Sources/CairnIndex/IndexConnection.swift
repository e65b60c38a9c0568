/// A connection to an index file, inside of one look or one transaction. Statements are used by
/// `Query`.
public struct IndexConnection {
  let connection: SQLiteConnection

  init(_ connection: SQLiteConnection) { self.connection = connection }

  /// The number of the row that was inserted last.
  public var lastRow: Int64 { connection.lastRow }

  /// Runs a statement without parameters.
  /// - Parameter sql: The statement.
  /// - Throws: what SQLite says.
  public func run(_ sql: String) throws { try Query(self, sql).run() }
}

/// An index holds only what this program wrote: a value in it that can't be read means a damaged
/// file.
public struct IndexDamage: Error, Hashable, CustomStringConvertible {
  /// The unreadable part.
  public let what: String

  /// A damage of that.
  public init(_ what: String) { self.what = what }

  /// A sentence for people.
  public var description: String { "unreadable \(what) in the index" }
}
