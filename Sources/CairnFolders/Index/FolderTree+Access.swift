import CairnIndex
import CairnPlan
import CairnZone

/// The access rights of files before they left their places. A file that returns there, from the
/// zone or from another device's editor, doesn't get wider rights.
extension FolderTree {
  /// Remembers the access rights of a node that is about to leave its place.
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

  /// Returns the records whose former access rights are remembered.
  func rememberedAccess() throws -> [RecordID] {
    var query = try query("SELECT id FROM access WHERE mount = ?1")
    var ids: [RecordID] = []
    while try query.next() { query.id(0).map { ids.append($0) } }
    return ids
  }

  /// Forgets the former access rights of a record.
  func forgetAccess(of id: RecordID) throws {
    var query = try query("DELETE FROM access WHERE mount = ?1 AND id = ?2")
    query.bind(id)
    try query.run()
  }

  /// Returns the limits for a file that arrives at a place: the rights of its record's former file,
  /// those of the last file at the place, and for a conflict copy those of the original file.
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
