import CSQLite
import CairnZone
import Foundation
import Synchronization
import Testing

@testable import CairnIndex

/// The connection type over SQLite's C API, on files and in memory.
@Suite struct SQLiteConnectionTests {
  private struct Unwanted: Error {}

  private func withFile(_ body: (String) throws -> Void) throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "cairn-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try body(folder.path + "/index.sqlite")
  }

  private func number(_ sql: String, _ db: SQLiteConnection) throws -> Int64? {
    var query = try Query(IndexConnection(db), sql)
    return try query.next() ? query.number(0) : nil
  }

  private func text(_ sql: String, _ db: SQLiteConnection) throws -> String? {
    var query = try Query(IndexConnection(db), sql)
    return try query.next() ? query.text(0) : nil
  }

  /// A database in memory with an empty table.
  private func memory() throws -> SQLiteConnection {
    let db = try SQLiteConnection(path: SQLiteConnection.memory)
    try db.execute("CREATE TABLE t (number INTEGER PRIMARY KEY, value); PRAGMA user_version = 7")
    return db
  }

  // MARK: Settings

  @Test(arguments: [false, true])
  func `each connection to an index file has the settings of the house`(isReadOnly: Bool) throws {
    try withFile { path in
      IndexFileMode.close(toOthers: path)
      let writer = try IndexFile.open(path, isReadOnly: false)
      try writer.execute("CREATE TABLE t (number INTEGER)")
      let db = isReadOnly ? try IndexFile.open(path, isReadOnly: true) : writer
      let expected: [(String, Int64)] = [
        ("synchronous", 1), ("temp_store", 2), ("cache_size", isReadOnly ? -2_000 : -64_000),
        ("journal_size_limit", 16_777_216), ("wal_autocheckpoint", 16_000), ("busy_timeout", 5_000),
        ("fullfsync", 0), ("checkpoint_fullfsync", 0), ("query_only", 0), ("foreign_keys", 0),
      ]
      for (name, value) in expected {
        #expect(try number("PRAGMA \(name)", db) == value, "\(name)")
      }
      #expect(try text("PRAGMA journal_mode", db) == "wal")
      if isReadOnly {
        let error = #expect(throws: SQLiteError.self) { try db.execute("DELETE FROM t") }
        #expect(error?.primaryCode == SQLITE_READONLY)
      }
      var status = stat()
      for file in [path, path + "-wal", path + "-shm"] {
        #expect(stat(file, &status) == 0 && status.st_mode & 0o777 == 0o600, "\(file)")
      }
    }
  }

  @Test func `a durable write syncs the log, and the setting goes back`() throws {
    try withFile { path in
      let schema = IndexSchema(version: 1, ["CREATE TABLE t (number INTEGER)"])
      let file = try IndexFile(path: path, schema: schema, hasReaders: false)
      let inside = try file.writeDurably { try number("PRAGMA synchronous", $0.connection) }
      #expect(inside == 2)
      #expect(throws: Unwanted.self) { try file.writeDurably { _ in throw Unwanted() } }
      #expect(try file.write { try number("PRAGMA synchronous", $0.connection) } == 1)
    }
  }

  @Test func `the pages of much work stay in memory until rest`() throws {
    try withFile { path in
      let schema = IndexSchema(
        version: 1, ["CREATE TABLE t (key BLOB PRIMARY KEY, value BLOB) WITHOUT ROWID"])
      let file = try IndexFile(path: path, schema: schema, hasReaders: false)
      let value = [UInt8](repeating: 7, count: 1_000)
      var key: UInt64 = 1
      // Random places all over 20 MB, a hundred in each transaction.
      for _ in 0..<200 {
        try file.write { db in
          for _ in 0..<100 {
            key = key &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            var insert = try Query(db, "INSERT INTO t VALUES (?, ?)")
            insert.bind(Int64(bitPattern: key))
            insert.bind(value)
            try insert.run()
          }
        }
      }
      let pages = try file.read { try number("PRAGMA page_count", $0.connection) ?? 0 }
      // A new page counts as one that was read.
      #expect(file.work.pagesRead < Int(pages) + 100, "\(file.work)")
      try file.releaseMemory()
      #expect(file.memory < 100_000)
      // Everything is in the file, so that the next start reads no long log.
      #expect(try Data(contentsOf: URL(filePath: path)).count > 20_000_000)
    }
  }

  @Test func `a row number is looked up once, and again after a rollback`() throws {
    let schema = IndexSchema(
      version: 1, ["CREATE TABLE t (number INTEGER PRIMARY KEY, key BLOB UNIQUE)"])
    let file = try IndexFile(inMemory: schema)
    let keys = [Bytes32.zero, Bytes32([UInt8](repeating: 1, count: 32)) ?? .zero]
    func number(_ key: Bytes32, _ db: IndexConnection) throws -> Int64? {
      try db.rowNumber(of: key) {
        var query = try Query(db, "SELECT number FROM t WHERE key = ?")
        query.bind(key)
        return try query.next() ? query.number(0) : nil
      }
    }
    func insert(_ key: Bytes32, _ db: IndexConnection) throws {
      var query = try Query(db, "INSERT INTO t (key) VALUES (?)")
      query.bind(key)
      try query.run()
    }
    let empty = try file.rows()
    #expect(try file.read { try number(keys[0], $0) } == nil)
    #expect(throws: Unwanted.self) {
      try file.write { db in
        try insert(keys[0], db)
        #expect(try number(keys[0], db) == 1)
        throw Unwanted()
      }
    }
    try file.write { try insert(keys[1], $0) }
    try file.write { try insert(keys[0], $0) }
    let start = file.work
    for _ in 0..<3 { #expect(try file.read { try number(keys[0], $0) } == 2) }
    #expect((file.work - start).statements == 1)
    try file.replaceAll(by: empty)
    #expect(try file.read { try number(keys[0], $0) } == nil)
  }

  @Test func `a string in double quotes isn't taken for a column`() throws {
    let db = try memory()
    #expect(throws: SQLiteError.self) { try db.execute("SELECT \"nothing\" FROM t") }
    #expect(throws: SQLiteError.self) { try db.execute("CREATE INDEX i ON t (\"nothing\")") }
  }

  // MARK: Errors and statements

  @Test func `an error has SQLite's extended code and its words`() throws {
    let db = try memory()
    try db.execute("INSERT INTO t VALUES (1, 2)")
    let double = #expect(throws: SQLiteError.self) { try db.execute("INSERT INTO t VALUES (1, 3)") }
    #expect(double?.code == 1555 && double?.primaryCode == SQLITE_CONSTRAINT)
    #expect(double?.message == "UNIQUE constraint failed: t.number")
    let stepped = #expect(throws: SQLiteError.self) {
      try Query(IndexConnection(db), "INSERT INTO t VALUES (1, 3)").run()
    }
    #expect(stepped == double)
    let wrong = #expect(throws: SQLiteError.self) { _ = try db.statement("SELECT missing") }
    #expect(wrong?.code == SQLITE_ERROR)
    #expect(wrong?.message == "no such column: missing")
    for empty in ["", "-- a comment"] {
      let error = #expect(throws: SQLiteError.self) { _ = try db.statement(empty) }
      #expect(error?.code == SQLITE_MISUSE)
    }
    let gone = #expect(throws: SQLiteError.self) { _ = try SQLiteConnection(path: "/no/folder/x") }
    #expect(gone?.primaryCode == SQLITE_CANTOPEN)
    #expect(gone?.message == "unable to open database file")
  }

  @Test func `a statement is compiled once for each text, also after an error`() throws {
    let db = try memory()
    let insert = "INSERT INTO t VALUES (1, 2)"
    let first = try db.statement(insert)
    for _ in 0..<3 {
      // Only the first one succeeds.
      _ = try? Query(IndexConnection(db), insert).run()
    }
    #expect(try db.statement(insert) == first)
    #expect(sqlite3_stmt_status(first, SQLITE_STMTSTATUS_RUN, 0) == 3)
    #expect(sqlite3_stmt_status(first, SQLITE_STMTSTATUS_REPREPARE, 0) == 0)
    #expect(throws: SQLiteError.self) { _ = try db.statement("SELECT missing") }
    #expect(Set(db.statements.keys) == [insert])
    // A table that is made again is no reason to keep a statement of the former one.
    try db.execute("DROP TABLE t; CREATE TABLE t (number INTEGER PRIMARY KEY, value)")
    try Query(IndexConnection(db), insert).run()
    #expect(try number("SELECT count(*) FROM t", db) == 1)
  }

  // MARK: Transactions

  @Test func `a transaction is rolled back if its body throws, and the next one begins`() throws {
    let db = try memory()
    for kind in [SQLiteConnection.Transaction.deferred, .immediate] {
      #expect(throws: Unwanted.self) {
        try db.transaction(kind) {
          try db.execute("INSERT INTO t VALUES (1, 2)")
          throw Unwanted()
        }
      }
      #expect(!db.isInTransaction)
    }
    #expect(try number("SELECT count(*) FROM t", db) == 0)
    try db.transaction(.immediate) { try db.execute("INSERT INTO t VALUES (1, 2)") }
    #expect(try number("SELECT count(*) FROM t", db) == 1)
    let undone = #expect(throws: SQLiteError.self) {
      try db.transaction(.immediate) {
        // SQLite ends the transaction, and the body goes on as if nothing had happened.
        _ = try? db.execute("INSERT OR ROLLBACK INTO t VALUES (1, 2)")
      }
    }
    #expect(undone?.code == SQLITE_ABORT && !db.isInTransaction)
  }

  @Test func `a commit that the gate refuses is rolled back, and throws the gate's error`() throws {
    let isOpen = Mutex(true)
    let asked = Mutex(0)
    let db = try memory()
    db.checkCommits {
      asked.withLock { $0 += 1 }
      guard isOpen.withLock({ $0 }) else { throw Unwanted() }
    }
    try db.transaction(.immediate) { try db.execute("INSERT INTO t VALUES (1, 2)") }
    isOpen.withLock { $0 = false }
    #expect(throws: Unwanted.self) {
      try db.transaction(.immediate) { try db.execute("INSERT INTO t VALUES (2, 2)") }
    }
    #expect(!db.isInTransaction)
    // One that writes nothing is asked about, too, and one that only reads is not.
    #expect(throws: Unwanted.self) { try db.transaction(.immediate) {} }
    #expect(try db.transaction(.deferred) { try number("SELECT count(*) FROM t", db) } == 1)
    #expect(asked.withLock { $0 } == 3)
    isOpen.withLock { $0 = true }
    // Another error than the gate's isn't confused with an earlier refusal.
    #expect(throws: SQLiteError.self) {
      try db.transaction(.immediate) { try db.execute("INSERT INTO t VALUES (1, 2)") }
    }
    try db.transaction(.immediate) { try db.execute("INSERT INTO t VALUES (2, 2)") }
    #expect(try number("SELECT count(*) FROM t", db) == 2)
  }

  @Test func `a second writer gets SQLITE_BUSY, and leaves no transaction behind`() throws {
    try withFile { path in
      let (one, other) = (
        try IndexFile.open(path, isReadOnly: false), try IndexFile.open(path, isReadOnly: false)
      )
      try one.execute("CREATE TABLE t (number INTEGER)")
      other.setBusyTimeout(milliseconds: 0)
      try one.transaction(.immediate) {
        let busy = #expect(throws: SQLiteError.self) { try other.transaction(.immediate) {} }
        #expect(busy?.primaryCode == SQLITE_BUSY && !other.isInTransaction)
      }
      try other.transaction(.immediate) { try other.execute("INSERT INTO t VALUES (1)") }
      #expect(try number("SELECT count(*) FROM t", one) == 1)
    }
  }

  @Test func `a look sees one snapshot, and the writer doesn't wait for it`() throws {
    try withFile { path in
      let schema = IndexSchema(version: 1, ["CREATE TABLE t (number INTEGER)"])
      let file = try IndexFile(path: path, schema: schema, hasReaders: true)
      try file.write { try $0.run("INSERT INTO t VALUES (1)") }
      let counts = try file.read { db in
        let before = try number("SELECT count(*) FROM t", db.connection)
        try file.write { try $0.run("INSERT INTO t VALUES (2)") }
        // A look inside of a look has a connection of its own, and sees what was committed.
        let inside = try file.read { try number("SELECT count(*) FROM t", $0.connection) }
        return [before, inside, try number("SELECT count(*) FROM t", db.connection)]
      }
      #expect(counts == [1, 2, 1])
      #expect(try file.read { try number("SELECT count(*) FROM t", $0.connection) } == 2)
    }
  }

  @Test func `threads take turns on one connection`() throws {
    let db = try memory()
    DispatchQueue.concurrentPerform(iterations: 4) { _ in
      for _ in 0..<100 {
        // A failure shows in the sum.
        try? db.change { try $0.run("INSERT INTO t (value) SELECT count(*) FROM t") }
      }
    }
    let rows = try db.look { try number("SELECT sum(value) FROM t", $0.connection) }
    #expect(rows == 79_800)
  }

  @Test func `rows come back with the types that they had`() throws {
    let schema = IndexSchema(version: 1, ["CREATE TABLE t (value)"])
    let file = try IndexFile(inMemory: schema)
    try file.write { try $0.run("INSERT INTO t VALUES (1), (1.5), ('a'), (x'61'), (x''), (NULL)") }
    let types = "SELECT group_concat(typeof(value) || quote(value)) FROM t"
    let before = try file.read { try text(types, $0.connection) }
    let rows = try file.rows()
    try file.write { try $0.run("DELETE FROM t") }
    try file.replaceAll(by: rows)
    #expect(try file.read { try text(types, $0.connection) } == before)
    #expect(before == "integer1,real1.5,text'a',blobX'61',blobX'',nullNULL")
  }
}
