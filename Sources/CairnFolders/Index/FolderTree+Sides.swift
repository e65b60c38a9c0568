import CairnCloud
import CairnIndex
import CairnPlan
import CairnZone

/// On which sides a record may differ from what both last agreed on.
struct DirtySides: OptionSet {
  let rawValue: Int

  /// The folder shows something that the zone may not have.
  static let local = DirtySides(rawValue: 1)
  /// The zone has something that the folder may not show.
  static let remote = DirtySides(rawValue: 2)
  /// The person said that the deletion is meant.
  static let confirmed = DirtySides(rawValue: 4)
  /// The deletion waits for a word of the person; any news about the record ends that.
  static let waiting = DirtySides(rawValue: 8)
}

extension FolderTree {
  /// What the sides of a dirty record become by more of them: any news end the waiting (8), and
  /// news of the folder (1) also what the person said about a deletion (4).
  private static let joined = "((side | excluded.side) & ~8) & ~((excluded.side & 1) << 2)"

  /// Notes that the record has to be planned, and which side it is about.
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

  /// How many dirty records wait to go to the zone, and how many to come to the folder. A record
  /// that changed on both sides counts in both.
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

  /// On which sides a record is dirty.
  func sides(of id: RecordID) throws -> DirtySides {
    var query = try query("SELECT side FROM dirty WHERE mount = ? AND id = ?")
    query.bind(id)
    return try query.next() ? DirtySides(rawValue: Int(query.integer(0))) : []
  }

  /// The records that the zone has otherwise.
  func dirtyRemote() throws -> [RecordID] {
    try ids(query("SELECT id FROM dirty WHERE mount = ? AND side & 2"))
  }

  /// The bytes of all files that changed here and weren't read yet.
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

  /// What a file on the disk has for bytes, as far as that is known.
  func content(of id: RecordID) throws -> ContentID? {
    var query = try query("SELECT content FROM node WHERE mount = ? AND id = ? AND kind = 1")
    query.bind(id)
    return try query.next() ? query.bytes32(0).map { ContentID($0) } : nil
  }

  /// The symlinks that are on the disk.
  func links() throws -> [NodeRow] {
    try rows(query("SELECT * FROM node INDEXED BY node_link WHERE mount = ? AND kind = 3"))
  }
}

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
