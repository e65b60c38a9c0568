import CairnIndex
import CairnZone

/// The attributes that the rows of a mount have beside the executable bit and the time: the column
/// `carried` of the table `mount`, and the columns of these attributes in the table `node`.
struct CarriedColumns {
  let tree: FolderTree

  init(_ tree: FolderTree) { self.tree = tree }

  /// The attributes that the rows have.
  var carried: CarriedAttributes {
    get throws {
      try tree.column("carried") { CarriedAttributes(rawValue: UInt32($0.integer(0))) } ?? []
    }
  }

  /// Notes the attributes that the rows have from now on. Those that they no longer have are
  /// forgotten, so that nobody takes them for changes later.
  func set(_ carried: CarriedAttributes) throws {
    if !carried.contains(.mode) { try update("mode = NULL, synced_mode = NULL") }
    if !carried.contains(.extended) {
      try update("extended = NULL, synced_extended = NULL, shown_extended = NULL")
    }
    try tree.set("carried = ?2") { $0.bind(Int64(carried.rawValue)) }
  }

  /// Has the next look at each entry read its extended attributes.
  func forgetExtended() throws {
    try update("changed = CASE WHEN kind IN (1, 2) THEN 0 ELSE changed END")
  }

  private func update(_ columns: String) throws {
    try tree.query("UPDATE node SET \(columns) WHERE mount = ?").run()
    tree.cache.forgetAll()
  }
}
