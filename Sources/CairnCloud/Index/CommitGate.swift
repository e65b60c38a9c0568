public import GRDB

/// Asked before each transaction of an index in memory is committed; what it throws undoes the
/// transaction. So a simulated crash takes what a real one would.
public final class CommitGate: TransactionObserver {
  private let check: @Sendable () throws -> Void

  /// A gate that asks `check`.
  public init(_ check: @escaping @Sendable () throws -> Void) { self.check = check }

  /// None: it is asked about whole transactions.
  public func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { false }
  /// Not asked for.
  public func databaseDidChange(with event: DatabaseEvent) {}
  /// Asks.
  public func databaseWillCommit() throws { try check() }
  /// Nothing is left to do.
  public func databaseDidCommit(_ db: GRDB.Database) {}
  /// Nothing is left to do.
  public func databaseDidRollback(_ db: GRDB.Database) {}
}
