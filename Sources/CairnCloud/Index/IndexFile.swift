import GRDB

/// One of a person's index files: `private.sqlite`, `shared.sqlite` or `public.sqlite`, all with
/// one schema: change tokens, share metadata and the remote trees. It is a cache: delete it, and it
/// is rebuilt from the container.
public final class IndexFile: Sendable {
  let queue: DatabaseQueue
  /// Who reads a file beside the writer; nil in memory, where there is one connection.
  private let readers: IndexReaders?

  /// Opens the file at `path`, making it and its schema if needed. An index of another format is
  /// thrown away, since everything in it can be had from the container again.
  /// - Throws: what SQLite says if the file can't be opened or written.
  public init(path: String) throws {
    IndexLibrary.start()
    var settings = Configuration()
    settings.prepareDatabase { db in
      if !db.configuration.readonly { try db.execute(sql: "PRAGMA journal_mode = WAL") }
      // The index may lose its last transactions in a power cut: they are folded again.
      try db.execute(sql: "PRAGMA synchronous = NORMAL")
      try db.execute(sql: "PRAGMA temp_store = MEMORY")
      // A fold changes pages all over the file; who reads, reads what stands together.
      let cache = db.configuration.readonly ? 2_000 : 8_000
      try db.execute(sql: "PRAGMA cache_size = -\(cache)")
      try db.execute(sql: "PRAGMA journal_size_limit = 16777216")
      // Pages that a long fold changes again and again are written to the file once.
      try db.execute(sql: "PRAGMA wal_autocheckpoint = 4000")
    }
    settings.busyMode = .timeout(5)
    IndexLibrary.close(toOthers: path)
    queue = try DatabaseQueue(path: path, configuration: settings)
    readers = IndexReaders(path: path, settings: settings)
    try IndexSchema.prepare(queue)
  }

  /// An empty index in memory, whose commits `gate` may refuse.
  init(inMemory gate: @escaping @Sendable () throws -> Void) throws {
    IndexLibrary.start()
    queue = try DatabaseQueue()
    readers = nil
    try IndexSchema.prepare(queue)
    queue.add(transactionObserver: CommitGate(gate), extent: .databaseLifetime)
  }

  /// One consistent look, which waits for nobody who writes to a file.
  func read<Result>(_ body: (IndexConnection) throws -> Result) throws -> Result {
    try readers.map { try $0.look(body) } ?? queue.look(body)
  }

  /// One transaction.
  func write<Result>(_ body: (IndexConnection) throws -> Result) throws -> Result {
    try queue.change(body)
  }

  /// Forgets the pages of the file that are in memory.
  func releaseMemory() throws {
    try queue.writeWithoutTransaction { try $0.execute(sql: Self.forgetPages) }
    try readers?.releaseMemory()
  }

  static let forgetPages = "PRAGMA shrink_memory"

  /// What this holds now.
  func rows() throws -> IndexRows { try read { try IndexRows($0) } }

  /// Makes this hold what another one held.
  func replaceAll(by rows: IndexRows) throws { try write { try rows.replaceAll(in: $0) } }
}

/// The schema of an index file, the same for all three scopes. An index of another version is
/// dropped and made again: all of it can be had from the container.
enum IndexSchema {
  /// Counted up with every change of what stands below.
  static let version: Int64 = 3

  static func prepare(_ queue: any DatabaseWriter) throws {
    let found = try queue.look { db in try Int64.fetchOne(db, sql: "PRAGMA user_version") }
    if found != version { try queue.write { try make($0) } }
    try restoreIndexes(queue)
  }

  private static func make(_ db: IndexConnection) throws {
    let old = try String.fetchAll(
      db, sql: "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
    for table in old { try db.execute(sql: "DROP TABLE \(table.quotedDatabaseIdentifier)") }
    for statement in statements { try db.execute(sql: statement) }
    try db.execute(sql: "PRAGMA user_version = \(version)")
  }

  /// Makes indexes again that are gone, since queries name them and fail without. Where none is
  /// missing, nothing is written.
  private static func restoreIndexes(_ queue: any DatabaseWriter) throws {
    let present = try queue.look { db in
      try String.fetchSet(db, sql: "SELECT name FROM sqlite_schema WHERE type = 'index'")
    }
    let missing = statements.filter { statement in
      let words = statement.split(separator: " ")
      guard let place = words.firstIndex(of: "INDEX") else { return false }
      return !present.contains(String(words[place + 1]))
    }
    guard !missing.isEmpty else { return }
    try queue.write { db in for statement in missing { try db.execute(sql: statement) } }
  }

  private static let statements = [
    """
    CREATE TABLE zone (
      number INTEGER PRIMARY KEY, zone BLOB NOT NULL UNIQUE, sequence INTEGER NOT NULL,
      head BLOB NOT NULL, header BLOB NOT NULL)
    """,
    """
    CREATE TABLE zone_key (
      zone INTEGER NOT NULL, epoch INTEGER NOT NULL, key BLOB NOT NULL,
      PRIMARY KEY (zone, epoch)) WITHOUT ROWID
    """,
    "CREATE TABLE author (number INTEGER PRIMARY KEY, user BLOB NOT NULL, device BLOB NOT NULL)",
    "CREATE UNIQUE INDEX author_key ON author (user, device)",
    """
    CREATE TABLE record (
      zone INTEGER NOT NULL, id BLOB NOT NULL, type TEXT NOT NULL, parent BLOB, name BLOB,
      content BLOB, size INTEGER, chunks BLOB, target BLOB,
      executable INTEGER NOT NULL, modified INTEGER NOT NULL, fields BLOB,
      created INTEGER NOT NULL, created_by INTEGER NOT NULL, created_time INTEGER NOT NULL,
      changed INTEGER NOT NULL, changed_by INTEGER NOT NULL, changed_time INTEGER NOT NULL,
      attributes BLOB, PRIMARY KEY (zone, id)) WITHOUT ROWID
    """,
    "CREATE INDEX record_child ON record (zone, parent, name)",
    "CREATE INDEX record_parent ON record (zone, parent, id)",
    "CREATE INDEX record_changed ON record (zone, changed)",
    "CREATE INDEX record_reference ON record (zone) WHERE type = 'reference'",
    """
    CREATE TABLE tombstone (
      zone INTEGER NOT NULL, id BLOB NOT NULL, sequence INTEGER NOT NULL,
      PRIMARY KEY (zone, id)) WITHOUT ROWID
    """,
    "CREATE INDEX tombstone_sequence ON tombstone (zone, sequence)",
    """
    CREATE TABLE version (
      zone INTEGER NOT NULL, id BLOB NOT NULL, sequence INTEGER NOT NULL, content BLOB NOT NULL,
      modified INTEGER, PRIMARY KEY (zone, id, sequence)) WITHOUT ROWID
    """,
    "CREATE INDEX version_content ON version (zone, content)",
    """
    CREATE TABLE chunk (
      zone INTEGER NOT NULL, name BLOB NOT NULL, size INTEGER NOT NULL, place BLOB NOT NULL,
      pack BLOB, generation INTEGER, PRIMARY KEY (zone, name)) WITHOUT ROWID
    """,
    """
    CREATE TABLE kept_pack (
      zone INTEGER NOT NULL, pack BLOB NOT NULL, PRIMARY KEY (zone, pack)) WITHOUT ROWID
    """,
    """
    CREATE TABLE checkpoint (
      zone INTEGER NOT NULL, sequence INTEGER NOT NULL, digest BLOB NOT NULL,
      PRIMARY KEY (zone, sequence)) WITHOUT ROWID
    """,
    // `epoch` is the one that the entry is sealed under, and its place named by.
    """
    CREATE TABLE entry (
      zone INTEGER NOT NULL, sequence INTEGER NOT NULL, digest BLOB NOT NULL,
      epoch INTEGER NOT NULL, author INTEGER, copied INTEGER NOT NULL DEFAULT 0, problem TEXT,
      PRIMARY KEY (zone, sequence)) WITHOUT ROWID
    """,
    // What was read, as it was stored: so that it can be put back where it is gone.
    """
    CREATE TABLE kept_entry (
      zone INTEGER NOT NULL, sequence INTEGER NOT NULL, total INTEGER NOT NULL,
      bytes BLOB NOT NULL, UNIQUE (zone, sequence))
    """,
    """
    CREATE TABLE kept_identity (
      user BLOB NOT NULL, place INTEGER NOT NULL, name TEXT NOT NULL, bytes BLOB NOT NULL,
      UNIQUE (user, place))
    """,
    """
    CREATE TABLE disputed_chain (
      user BLOB PRIMARY KEY, length INTEGER NOT NULL, head BLOB NOT NULL) WITHOUT ROWID
    """,
  ]
}
