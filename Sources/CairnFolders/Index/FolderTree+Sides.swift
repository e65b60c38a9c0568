import CairnCloud
import CairnZone
import GRDB

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

extension FolderIndex {
  /// What came after the first schema: which side made a record dirty, whether a mount's files are
  /// shown read-only (null: unknown), and the way to the symlinks alone.
  static let sides = [
    "ALTER TABLE dirty ADD COLUMN side INTEGER NOT NULL DEFAULT 1",
    "ALTER TABLE mount ADD COLUMN read_only INTEGER",
    "CREATE INDEX node_link ON node (mount) WHERE kind = 3",
  ]
}

extension FolderTree {
  /// Notes that the record has to be planned, and which side it is about.
  func markDirty(_ id: RecordID, _ sides: DirtySides = .local) throws {
    var query = try query(
      """
      INSERT INTO dirty (mount, id, side) VALUES (?, ?, ?)
      ON CONFLICT (mount, id) DO UPDATE SET
        side = ((side | excluded.side) & ~8) & ~((excluded.side & 1) << 2)
      WHERE side <> ((side | excluded.side) & ~8) & ~((excluded.side & 1) << 2)
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

  /// Whether the mount's files were made to show that nobody may write them; nil if that isn't
  /// known, as after the index was lost.
  var isShownReadOnly: Bool? {
    get throws {
      var query = try query("SELECT read_only FROM mount WHERE number = ?")
      return try query.next() ? query.number(0).map { $0 != 0 } : nil
    }
  }

  /// The symlinks that are on the disk.
  func links() throws -> [NodeRow] {
    try rows(query("SELECT * FROM node INDEXED BY node_link WHERE mount = ? AND kind = 3"))
  }

  func setShownReadOnly(_ isReadOnly: Bool) throws {
    let statement = try db.cachedStatement(sql: "UPDATE mount SET read_only = ? WHERE number = ?")
    try statement.execute(arguments: [isReadOnly, mount])
  }
}
