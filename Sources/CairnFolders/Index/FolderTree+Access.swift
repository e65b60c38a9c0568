import CairnIndex
import CairnPlan
import CairnZone

/// What files gave to whom before they went from their places: what comes back there, from the zone
/// or from another device's editor, isn't wider.
extension FolderTree {
  /// Remembers it for a node that is about to leave its place.
  func rememberAccess(of row: NodeRow) throws {
    guard let local = row.local, let access = local.access, !access.isCommon,
      !local.node.isSameKind(as: .symlink)
    else { return }
    var query = try query("INSERT OR REPLACE INTO access VALUES (?, ?, ?, ?, ?)")
    query.bind(row.id)
    query.bind(local.node.place.parent)
    query.bind(local.node.place.name.bytes)
    query.bind(access.stored)
    try query.run()
  }

  /// The same for a node by its record.
  func rememberAccess(of id: RecordID) throws {
    if let row = try node(id) { try rememberAccess(of: row) }
  }

  /// What limits a file that comes to a place: what its record's file had, what stood there last,
  /// and for a conflict copy the file that it is a version of.
  func accesses(before id: RecordID, at place: Place) throws -> [Access] {
    var query = try query(
      """
      SELECT access FROM access WHERE mount = ?1 AND id = ?2
      UNION SELECT access FROM access WHERE mount = ?1 AND parent = ?3 AND name = ?4
      """)
    query.bind(id)
    query.bind(place.parent)
    query.bind(place.name.bytes)
    var found: [Access] = []
    while try query.next() { found.append(Access(stored: query.integer(0))) }
    if let original = nameBeforeConflict(place.name),
      let local = try child(at: Place(parent: place.parent, name: original))?.local,
      let access = local.access
    {
      found.append(access)
    }
    return found
  }
}
