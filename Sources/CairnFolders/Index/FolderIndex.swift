import CairnZone
import Foundation
import GRDB

/// `folders.sqlite`: what the last look at each mounted folder found, and what both sides last
/// agreed on. A cache (DESIGN.md §2.6): delete it, and the next start compares the folder with the
/// zone again. It must not know the zone's own tree; that is in the person's other index files.
public final class FolderIndex: Sendable {
  let queue: DatabaseQueue

  /// Opens the file at `path`, making it and its schema if needed.
  /// - Throws: what SQLite says if the file can't be opened or written.
  public init(path: String) throws {
    var settings = Configuration()
    settings.prepareDatabase { db in
      try db.execute(sql: "PRAGMA journal_mode = WAL")
      // What a power cut takes from here is found again by looking at the disk.
      try db.execute(sql: "PRAGMA synchronous = NORMAL")
      try db.execute(sql: "PRAGMA temp_store = MEMORY")
      try db.execute(sql: "PRAGMA cache_size = -4000")
      try db.execute(sql: "PRAGMA journal_size_limit = 16777216")
    }
    settings.busyMode = .timeout(5)
    queue = try DatabaseQueue(path: path, configuration: settings)
    var migrator = DatabaseMigrator()
    migrator.registerMigration("1") { db in
      for statement in Self.schema { try db.execute(sql: statement) }
    }
    try migrator.migrate(queue)
  }

  /// One transaction on a mount's nodes, reading only.
  func read<Result>(_ mount: Int64, _ body: (FolderTree) throws -> Result) throws -> Result {
    try queue.read { try body(FolderTree(db: $0, mount: mount)) }
  }

  /// One transaction on a mount's nodes.
  func write<Result>(_ mount: Int64, _ body: (FolderTree) throws -> Result) throws -> Result {
    try queue.write { try body(FolderTree(db: $0, mount: mount)) }
  }

  /// The number of the mount of that zone, made if it's new.
  func register(_ zone: ZoneID, _ root: FileStat) throws -> Int64 {
    try queue.write { db in
      let key = Data(zone.bytes)
      if let number = try Int64.fetchOne(
        db, sql: "SELECT number FROM mount WHERE zone = ?", arguments: [key])
      {
        return number
      }
      try db.execute(
        sql: "INSERT INTO mount (zone, device, inode, birth, seen) VALUES (?, ?, ?, ?, 0)",
        arguments: [
          key, Int64(bitPattern: root.device), Int64(bitPattern: root.inode), root.birth,
        ])
      return db.lastInsertedRowID
    }
  }

  /// The number of the mount of that zone, if there is one.
  func number(of zone: ZoneID) throws -> Int64? {
    try queue.read { db in
      try Int64.fetchOne(
        db, sql: "SELECT number FROM mount WHERE zone = ?", arguments: [Data(zone.bytes)])
    }
  }

  /// Drops everything about a mount.
  func forget(_ mount: Int64) throws {
    try queue.write { db in
      for table in ["node", "dirty"] {
        try db.execute(sql: "DELETE FROM \(table) WHERE mount = ?", arguments: [mount])
      }
      try db.execute(sql: "DELETE FROM mount WHERE number = ?", arguments: [mount])
    }
  }

  private static let schema = [
    """
    CREATE TABLE mount (
      number INTEGER PRIMARY KEY, zone BLOB NOT NULL UNIQUE, device INTEGER NOT NULL,
      inode INTEGER NOT NULL, birth INTEGER NOT NULL, seen INTEGER NOT NULL)
    """,
    """
    CREATE TABLE node (
      mount INTEGER NOT NULL, id BLOB NOT NULL,
      parent BLOB, name BLOB, kind INTEGER, content BLOB, target BLOB, executable INTEGER,
      modified INTEGER, inode INTEGER, birth INTEGER, size INTEGER, changed INTEGER,
      synced_parent BLOB, synced_name BLOB, synced_kind INTEGER, synced_content BLOB,
      synced_target BLOB, synced_executable INTEGER, synced_modified INTEGER,
      PRIMARY KEY (mount, id)) WITHOUT ROWID
    """,
    "CREATE INDEX node_place ON node (mount, parent, name)",
    "CREATE INDEX node_inode ON node (mount, inode)",
    """
    CREATE TABLE dirty (
      number INTEGER PRIMARY KEY, mount INTEGER NOT NULL, id BLOB NOT NULL, UNIQUE (mount, id))
    """,
    "CREATE INDEX dirty_order ON dirty (mount)",
  ]
}
