import CairnIndex
import CairnPlan
import CairnZone

/// What is about to be done on the disk, noted before it is: if the daemon ends before the index
/// has it, the next start knows that no person did it (`Journal`).
extension FolderTree {
  func noteMeant(_ row: NodeRow) throws {
    var query = try query("INSERT INTO arrival VALUES (\(NodeRow.places))")
    row.bind(to: &query)
    try query.run()
  }

  /// In the order in which they were noted.
  func meant() throws -> [NodeRow] {
    try rows(query("SELECT * FROM arrival WHERE mount = ? ORDER BY rowid"))
  }

  func forgetMeant() throws { try query("DELETE FROM arrival WHERE mount = ?").run() }
}
