import CairnCloud
import CairnPlan
import CairnZone
import GRDB
import Synchronization

/// Under which start of the machine a mount was mirrored last, and how that ended.
extension FolderTree {
  /// The last run that was noted.
  var lastRun: (boot: String?, isClean: Bool) {
    get throws {
      let statement = try db.cachedStatement(sql: "SELECT boot, clean FROM mount WHERE number = ?")
      guard let row = try Row.fetchOne(statement, arguments: [mount]) else { return (nil, false) }
      return (row[0], row[1])
    }
  }

  func setRun(_ boot: String?, isClean: Bool) throws {
    let statement = try db.cachedStatement(
      sql: "UPDATE mount SET boot = ?, clean = ? WHERE number = ?")
    try statement.execute(arguments: [boot, isClean, mount])
  }

  /// Whether the folder was ever all compared with the zone since the index began, or began anew,
  /// or a copy took its place.
  var isCompared: Bool {
    get throws {
      let statement = try db.cachedStatement(sql: "SELECT compared FROM mount WHERE number = ?")
      return try Bool.fetchOne(statement, arguments: [mount]) ?? false
    }
  }

  func setCompared(_ isCompared: Bool) throws {
    let statement = try db.cachedStatement(sql: "UPDATE mount SET compared = ? WHERE number = ?")
    try statement.execute(arguments: [isCompared, mount])
  }

  /// Has the files read again that were changed shortly before the machine stopped: their bytes may
  /// not have been on the disk, though their sizes and times are those of the last look. Linux
  /// writes out what is dirty after half a minute; ten minutes are for those who set that higher.
  func forgetRecentContents() throws {
    let recent = """
      mount = ?1 AND kind = 1 AND changed >=
        (SELECT max(changed) FROM node WHERE mount = ?1 AND kind = 1) - 600 * 1000000000
      """
    for id in try ids(query("SELECT id FROM node WHERE \(recent)")) { try markDirty(id) }
    try query("UPDATE node SET content = NULL WHERE \(recent)").run()
  }

  /// The place in the zone's log at which the folder began to mirror it; 0 if nobody knows any
  /// more, nil if nobody knows yet.
  var began: UInt64? {
    get throws {
      let statement = try db.cachedStatement(sql: "SELECT began FROM mount WHERE number = ?")
      let sequence = try Int64.fetchOne(statement, arguments: [mount]) ?? 0
      return sequence < 0 ? nil : UInt64(sequence)
    }
  }

  func setBegan(_ sequence: UInt64?) throws {
    let statement = try db.cachedStatement(sql: "UPDATE mount SET began = ? WHERE number = ?")
    try statement.execute(arguments: [sequence.map { Int64($0) } ?? -1, mount])
  }

  /// The files that differ from what was agreed on by a look at them, and weren't read yet.
  func unreadFiles() throws -> [NodeRow] {
    try rows(
      query(
        """
        SELECT n.* FROM dirty d JOIN node n ON n.mount = d.mount AND n.id = d.id
        WHERE d.mount = ? AND n.kind = 1 AND n.content IS NULL AND n.synced_content IS NOT NULL
        """))
  }
}

extension FolderIndex {
  /// One transaction on a mount's nodes that is on the disk when this returns.
  func writeDurably(_ mount: Int64, _ body: (FolderTree) throws -> Void) throws {
    try queue.writeWithoutTransaction { db in
      try db.execute(sql: "PRAGMA synchronous = FULL")
      defer {
        // A setting of the connection: nothing is lost where it stays stricter.
        try? db.execute(sql: "PRAGMA synchronous = NORMAL")
      }
      try db.inTransaction {
        try body(FolderTree(db: db, mount: mount))
        return .commit
      }
      durableWrites.add(1, ordering: .relaxed)
    }
  }
}
