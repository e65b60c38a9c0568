import GRDB

/// Asked before each transaction of an index in memory is committed; what it throws undoes the
/// transaction. So a simulated crash takes what a real one would (DESIGN.md §3).
final class CommitGate: TransactionObserver {
  private let check: @Sendable () throws -> Void

  init(_ check: @escaping @Sendable () throws -> Void) { self.check = check }

  func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { false }
  func databaseDidChange(with event: DatabaseEvent) {}
  func databaseWillCommit() throws { try check() }
  func databaseDidCommit(_ db: GRDB.Database) {}
  func databaseDidRollback(_ db: GRDB.Database) {}
}
