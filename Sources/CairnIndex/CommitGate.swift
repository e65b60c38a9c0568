import GRDB

/// Asked before each transaction of an index in memory is committed; what it throws undoes the
/// transaction. So a simulated crash takes what a real one would.
final class CommitGate: TransactionObserver {
  private let check: @Sendable () throws -> Void

  init(_ check: @escaping @Sendable () throws -> Void) { self.check = check }

  /// None: it is asked about whole transactions.
  func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { false }
  /// Not asked for.
  func databaseDidChange(with event: DatabaseEvent) {}
  /// Asks.
  func databaseWillCommit() throws { try check() }
  /// Nothing is left to do.
  func databaseDidCommit(_ db: GRDB.Database) {}
  /// Nothing is left to do.
  func databaseDidRollback(_ db: GRDB.Database) {}
}
