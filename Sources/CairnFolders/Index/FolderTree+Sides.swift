import CairnIndex
import CairnPlan
import CairnZone

/// The sides on which a record may differ from the agreed state.
struct DirtySides: OptionSet {
  let rawValue: Int

  /// The folder may have a change that the zone lacks.
  static let local = DirtySides(rawValue: 1)
  /// The zone may have a change that the folder lacks.
  static let remote = DirtySides(rawValue: 2)
  /// The person confirmed the deletion.
  static let confirmed = DirtySides(rawValue: 4)
  /// The deletion waits for the person's confirmation; any change to the record ends that.
  static let waiting = DirtySides(rawValue: 8)
}

extension FolderTree {
  /// The sides of a dirty record after new ones: any change ends the waiting (8), and a change of
  /// the folder (1) also the confirmation of a deletion (4).
  private static let joined = "((side | excluded.side) & ~8) & ~((excluded.side & 1) << 2)"

  /// Notes that the record must be planned, and on which side it changed.
  func markDirty(_ id: RecordID, _ sides: DirtySides = .local) throws {
    var query = try query(
      """
      INSERT INTO dirty (mount, id, side) VALUES (?, ?, ?)
      ON CONFLICT (mount, id) DO UPDATE SET
        side = \(Self.joined) WHERE side <> \(Self.joined)
      """)
    query.bind(id)
    query.bind(Int64(sides.rawValue))
    try query.run()
  }

  /// Removes the mark of a record that is dirty because of the zone only.
  /// - Returns: A Boolean value that indicates whether it was.
  func takeRemoteMark(_ id: RecordID) throws -> Bool {
    var query = try query("DELETE FROM dirty WHERE mount = ? AND id = ? AND side = 2 RETURNING id")
    query.bind(id)
    return try query.next()
  }

  /// The number of dirty records that wait for the zone, and of those that wait for the folder. A
  /// record that changed on both sides counts in both.
  var dirtyCounts: (local: Int, remote: Int) {
    get throws {
      var query = try query(
        """
        SELECT coalesce(sum(side & 1), 0), coalesce(sum((side >> 1) & 1), 0) FROM dirty
        WHERE mount = ?
        """)
      return try query.next() ? (Int(query.integer(0)), Int(query.integer(1))) : (0, 0)
    }
  }

  /// Returns the sides on which a record is dirty.
  func sides(of id: RecordID) throws -> DirtySides {
    var query = try query("SELECT side FROM dirty WHERE mount = ? AND id = ?")
    query.bind(id)
    return try query.next() ? DirtySides(rawValue: Int(query.integer(0))) : []
  }

  /// Returns the records that differ in the zone.
  func dirtyRemote() throws -> [RecordID] {
    try ids(query("SELECT id FROM dirty WHERE mount = ? AND side & 2"))
  }

  /// The bytes of all files that changed here and were not read yet.
  var unreadBytes: Int64 {
    get throws {
      var query = try query(
        """
        SELECT coalesce(sum(n.size), 0) FROM dirty d
        JOIN node n ON n.mount = d.mount AND n.id = d.id
        WHERE d.mount = ? AND d.side & 1 AND n.kind = 1 AND n.content IS NULL
        """)
      return try query.next() ? query.integer(0) : 0
    }
  }

  /// Returns the content of a file on the disk, if it is known.
  func content(of id: RecordID) throws -> ContentID? {
    var query = try query("SELECT content FROM node WHERE mount = ? AND id = ? AND kind = 1")
    query.bind(id)
    return try query.next() ? query.bytes32(0).map { ContentID($0) } : nil
  }

  /// Returns the symbolic links on the disk.
  func links() throws -> [NodeRow] {
    try rows(query("SELECT * FROM node INDEXED BY node_link WHERE mount = ? AND kind = 3"))
  }
}

/// The steps that are about to be applied to the disk. They are noted first: if the daemon ends
/// before the index has their result, the next start knows that no person did it (`Journal`).
extension FolderTree {
  func noteMeant(_ row: NodeRow) throws {
    var query = try query("INSERT INTO arrival VALUES (\(NodeRow.places))")
    row.bind(to: &query)
    try query.run()
  }

  /// Returns the rows in the order of their notes.
  func meant() throws -> [NodeRow] {
    try rows(query("SELECT * FROM arrival WHERE mount = ? ORDER BY rowid"))
  }

  func forgetMeant() throws { try query("DELETE FROM arrival WHERE mount = ?").run() }
}
