import CairnZone
import Foundation
import GRDB

/// What is about to appear on the disk, noted before it does: if the daemon ends before the index
/// has it, the next start knows that no person made it.
extension FolderTree {
  /// The columns of `node`, in their order.
  static let arrivalSchema = [
    "CREATE TABLE arrival AS SELECT * FROM node WHERE 0",
    "CREATE INDEX arrival_mount ON arrival (mount)",
  ]

  func noteArrival(_ row: NodeRow) throws {
    let statement = try db.cachedStatement(
      sql: """
        INSERT INTO arrival VALUES
          (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """)
    try statement.execute(arguments: StatementArguments([mount] + row.columns))
  }

  /// In the order in which they were noted: directories come before what is in them.
  func arrivals() throws -> [NodeRow] {
    let statement = try db.cachedStatement(
      sql: "SELECT * FROM arrival WHERE mount = ? ORDER BY rowid")
    return try Row.fetchAll(statement, arguments: [mount]).map { try NodeRow($0) }
  }

  func forgetArrivals() throws {
    let statement = try db.cachedStatement(sql: "DELETE FROM arrival WHERE mount = ?")
    try statement.execute(arguments: [mount])
  }
}
