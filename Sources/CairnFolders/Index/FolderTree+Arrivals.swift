import CairnIndex
import CairnPlan
import CairnZone

/// What is about to appear on the disk, noted before it does: if the daemon ends before the index
/// has it, the next start knows that no person made it.
extension FolderTree {
  func noteArrival(_ row: NodeRow) throws {
    var query = try query("INSERT INTO arrival VALUES (\(NodeRow.places))")
    row.bind(to: &query)
    try query.run()
  }

  /// In the order in which they were noted: directories come before what is in them.
  func arrivals() throws -> [NodeRow] {
    try rows(query("SELECT * FROM arrival WHERE mount = ? ORDER BY rowid"))
  }

  func forgetArrivals() throws { try query("DELETE FROM arrival WHERE mount = ?").run() }
}

extension NodeRow {
  /// Where something stands that appeared on the disk so; its person may have put it there, and
  /// nobody agreed on that yet.
  var arrivalPlace: Place? { local?.node.place ?? synced?.place }
}
