public import CairnCloud
public import CairnZone
import Foundation
import GRDB
import Synchronization

/// `folders.sqlite`: what the last look at each mounted folder found, and what both sides last
/// agreed on. A cache: delete it, and the next start compares the folder with the zone again. It
/// must not know the zone's own tree; that is in the person's other index files.
public final class FolderIndex: Sendable {
  let queue: DatabaseQueue
  /// The folder that the file is in, absolute; nil for one in memory.
  let folder: [UInt8]?
  /// What the mounts know of each other.
  let neighbours = Neighbours()
  let durableWrites = Atomic(0)
  /// How many transactions were on the disk at their end; for simulations, in which an index goes
  /// back to an earlier moment, though not to one before the last of these.
  public var durableWriteCount: Int { durableWrites.load(ordering: .relaxed) }

  /// Opens the file at `path`, making it and its schema if needed.
  /// - Throws: what SQLite says if the file can't be opened or written.
  public init(path: String) throws {
    IndexLibrary.start()
    var settings = Configuration()
    settings.prepareDatabase { db in
      try db.execute(sql: "PRAGMA journal_mode = WAL")
      // What a power cut takes from here is found again by looking at the disk.
      try db.execute(sql: "PRAGMA synchronous = NORMAL")
      try db.execute(sql: "PRAGMA temp_store = MEMORY")
      try db.execute(sql: "PRAGMA cache_size = -8000")
      try db.execute(sql: "PRAGMA journal_size_limit = 16777216")
      // Pages that a first mirror changes again and again are written to the file once.
      try db.execute(sql: "PRAGMA wal_autocheckpoint = 4000")
    }
    settings.busyMode = .timeout(5)
    let slash = path.lastIndex(of: "/")
    folder = slash.map { Array(path[..<$0].utf8) }
    IndexLibrary.close(toOthers: path)
    queue = try DatabaseQueue(path: path, configuration: settings)
    try Self.migrate(queue)
  }

  /// An empty index in memory, for simulations. `gate` is asked before each commit, and what it
  /// throws undoes the transaction.
  public init(inMemory gate: @escaping @Sendable () throws -> Void) throws {
    IndexLibrary.start()
    folder = nil
    queue = try DatabaseQueue()
    try Self.migrate(queue)
    queue.add(transactionObserver: CommitGate(gate), extent: .databaseLifetime)
  }

  /// What this holds now.
  public func rows() throws -> IndexRows { try queue.look { try IndexRows($0) } }

  /// Makes this hold what it, or another one, held. No mount of it may be attached.
  public func replaceAll(by rows: IndexRows) throws {
    try queue.change { try rows.replaceAll(in: $0) }
  }

  private static func migrate(_ queue: DatabaseQueue) throws {
    var migrator = DatabaseMigrator()
    migrator.registerMigration("1") { db in
      for statement in schema { try db.execute(sql: statement) }
    }
    migrator.registerMigration("parts") { db in
      for statement in parts { try db.execute(sql: statement) }
    }
    migrator.registerMigration("sides") { db in
      for statement in sides { try db.execute(sql: statement) }
    }
    migrator.registerMigration("references") { db in
      try db.execute(sql: FolderTree.referenceSchema)
    }
    migrator.registerMigration("guards") { db in
      for statement in FolderTree.guardSchema { try db.execute(sql: statement) }
    }
    migrator.registerMigration("arrivals") { db in
      for statement in FolderTree.arrivalSchema { try db.execute(sql: statement) }
    }
    migrator.registerMigration("token") { db in
      try db.execute(sql: "ALTER TABLE mount ADD COLUMN seen_head BLOB")
    }
    migrator.registerMigration("directories") { db in
      try db.execute(
        sql: "CREATE INDEX node_directory ON node (mount, parent, name) WHERE kind = 2")
    }
    migrator.registerMigration("one order") { db in
      // `dirty_ready` is asked instead.
      try db.execute(sql: "DROP INDEX dirty_order")
    }
    migrator.registerMigration("compared") { db in
      // What an index knows that is older than this column, it got by comparing.
      try db.execute(sql: "ALTER TABLE mount ADD COLUMN compared INTEGER NOT NULL DEFAULT 1")
    }
    migrator.registerMigration("began") { db in
      try db.execute(sql: "ALTER TABLE mount ADD COLUMN began INTEGER NOT NULL DEFAULT 0")
    }
    try migrator.migrate(queue)
  }

  /// Forgets the pages of the file that are in memory.
  func releaseMemory() { queue.releaseMemory() }

  /// One transaction on a mount's nodes, reading only.
  func read<Result>(_ mount: Int64, _ body: (FolderTree) throws -> Result) throws -> Result {
    try queue.look { try body(FolderTree(db: $0, mount: mount)) }
  }

  /// One transaction on a mount's nodes.
  func write<Result>(_ mount: Int64, _ body: (FolderTree) throws -> Result) throws -> Result {
    try queue.change { try body(FolderTree(db: $0, mount: mount)) }
  }

  /// The number of the mount of that part of a zone, made if it's new.
  func register(_ part: ZonePart, _ root: FileStat) throws -> Int64 {
    try queue.change { db in
      let place: StatementArguments = [
        Int64(bitPattern: root.device), Int64(bitPattern: root.inode), root.birth,
      ]
      if let number = try Self.number(of: part, db) {
        try db.cachedStatement(
          sql: "UPDATE mount SET device = ?, inode = ?, birth = ? WHERE number = ?"
        ).execute(arguments: place + [number])
        return number
      }
      try db.execute(
        sql: """
          INSERT INTO mount (device, inode, birth, zone, base, seen, compared)
          VALUES (?, ?, ?, ?, ?, 0, 0)
          """,
        arguments: place + [Data(part.zone.bytes), Data(part.base.bytes)])
      return db.lastInsertedRowID
    }
  }

  /// The number of the mount of that part of a zone, if there is one.
  func number(of part: ZonePart) throws -> Int64? {
    try queue.look { try Self.number(of: part, $0) }
  }

  /// Whether this is the folder that was last seen to mirror that part of a zone.
  func isRoot(of part: ZonePart, _ stat: FileStat) throws -> Bool {
    try queue.look { db in
      try Row.fetchOne(
        db.cachedStatement(
          sql: """
            SELECT 1 FROM mount
            WHERE zone = ? AND base = ? AND device = ? AND inode = ? AND birth = ?
            """),
        arguments: [
          Data(part.zone.bytes), Data(part.base.bytes), Int64(bitPattern: stat.device),
          Int64(bitPattern: stat.inode), stat.birth,
        ]) != nil
    }
  }

  /// The root of the mount of that part of a zone, as it was attached last.
  func root(of part: ZonePart) throws -> (inode: UInt64, birth: Int64)? {
    try queue.look { db in
      try Row.fetchOne(
        db.cachedStatement(sql: "SELECT inode, birth FROM mount WHERE zone = ? AND base = ?"),
        arguments: [Data(part.zone.bytes), Data(part.base.bytes)]
      ).map { row in
        let inode: Int64 = row[0]
        return (UInt64(bitPattern: inode), row[1])
      }
    }
  }

  private static func number(of part: ZonePart, _ db: GRDB.Database) throws -> Int64? {
    var query = try Query(db, "SELECT number FROM mount WHERE zone = ? AND base = ?")
    query.bind(part.zone.bytes)
    query.bind(part.base)
    return try query.next() ? query.integer(0) : nil
  }

  /// Whether a mount for that part of a zone stands inside of another one's folder, by a reference.
  public func holdsReference(to part: ZonePart) throws -> Bool {
    try queue.look { db in
      try Row.fetchOne(
        db, sql: "SELECT 1 FROM reference WHERE part = ?", arguments: [Data(part.bytes)]) != nil
    }
  }

  /// Drops everything about a mount.
  func forget(_ mount: Int64) throws {
    try queue.change { db in
      for table in ["node", "dirty", "reference", "arrival"] {
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

  /// A zone has several mounts, each of one part of it.
  private static let parts = [
    """
    CREATE TABLE part (
      number INTEGER PRIMARY KEY, zone BLOB NOT NULL, base BLOB NOT NULL, device INTEGER NOT NULL,
      inode INTEGER NOT NULL, birth INTEGER NOT NULL, seen INTEGER NOT NULL, UNIQUE (zone, base))
    """,
    """
    INSERT INTO part SELECT number, zone, zeroblob(16), device, inode, birth, seen FROM mount
    """,
    "DROP TABLE mount",
    "ALTER TABLE part RENAME TO mount",
  ]
}
