import CairnZone
import GRDB
import GRDBSQLite
import Testing

@testable import CairnCloud

@Suite struct IndexQueryTests {
  private func inDatabase(_ body: (GRDB.Database) throws -> Void) throws {
    try DatabaseQueue().write { db in
      try db.execute(sql: "CREATE TABLE t (number INTEGER PRIMARY KEY, value)")
      try body(db)
    }
  }

  private func insert(_ number: Int64, _ db: GRDB.Database, _ bind: (inout Query) -> Void) throws {
    var query = try Query(db, "INSERT INTO t VALUES (?, ?)")
    query.bind(number)
    bind(&query)
    try query.run()
  }

  @Test func `what is bound comes back, and no bytes aren't null`() throws {
    try inDatabase { db in
      let id = RecordID.random()
      let digest = Bytes32(Array(1...32))
      try insert(1, db) { $0.bind([]) }
      try insert(2, db) { $0.bind(nil as [UInt8]?) }
      try insert(3, db) { $0.bind(id) }
      try insert(4, db) { $0.bind(digest) }
      try insert(5, db) { $0.bind("na\0me") }
      try insert(6, db) { $0.bind("") }
      try insert(7, db) { $0.bind(-1) }
      var query = try Query(db, "SELECT value FROM t ORDER BY number")
      #expect(try query.next() && query.bytes(0) == [] && !query.isNull(0))
      #expect(try query.next() && query.bytes(0) == nil && query.number(0) == nil)
      #expect(try query.next() && query.id(0) == id && query.bytes32(0) == nil)
      #expect(try query.next() && query.bytes32(0) == digest && query.id(0) == nil)
      #expect(try query.next() && query.text(0) == "na\0me")
      #expect(try query.next() && query.text(0) == "" && !query.isNull(0))
      #expect(try query.next() && query.number(0) == -1)
      #expect(try !query.next())
    }
  }

  @Test func `a statement can be used again, also after it was left or failed`() throws {
    try inDatabase { db in
      for number in 1...3 { try insert(Int64(number), db) { $0.bind(Int64(number)) } }
      #expect(throws: DatabaseError.self) { try insert(2, db) { $0.bind(0) } }
      try insert(4, db) { $0.bind(4) }
      for first in 1...3 {
        var query = try Query(db, "SELECT value FROM t WHERE number >= ? ORDER BY number")
        query.bind(Int64(first))
        #expect(try query.next() && query.integer(0) == Int64(first))
      }
    }
  }

  @Test func `a change is whole or nothing, whatever undoes it`() throws {
    struct Unwanted: Error {}
    let queue = try DatabaseQueue()
    try queue.change { try $0.execute(sql: "CREATE TABLE t (number INTEGER PRIMARY KEY, value)") }
    try queue.change { db in try insert(1, db) { $0.bind(1) } }
    #expect(throws: Unwanted.self) {
      try queue.change { db in
        try insert(2, db) { $0.bind(2) }
        throw Unwanted()
      }
    }
    // A failure for which SQLite undoes the transaction, and that isn't passed on.
    let undone = #expect(throws: DatabaseError.self) {
      try queue.change { db in
        try insert(3, db) { $0.bind(3) }
        try db.execute(sql: "ROLLBACK")
      }
    }
    #expect(undone?.resultCode == .SQLITE_ABORT)
    queue.add(transactionObserver: CommitGate { throw Unwanted() }, extent: .databaseLifetime)
    #expect(throws: Unwanted.self) {
      try queue.change { db in try insert(4, db) { $0.bind(4) } }
    }
    #expect(try queue.look { try Int64.fetchAll($0, sql: "SELECT number FROM t") } == [1])
  }

  @Test func `a statement about types isn't compiled anew for each of them`() throws {
    let index = try IndexFile(inMemory: {})
    let zone = ZoneID(Bytes32.zero)
    try index.write { _ = try IndexedZone($0, zone: zone) }
    let compiled = try index.read { db in
      let state = try IndexedZone(reading: db, zone: zone)
      for number in 0..<5 { _ = try state.typedRecords("type \(number)") }
      let text = IndexRow.selectRecord + " AND r.type = +? ORDER BY r.id"
      let statement = try db.cachedStatement(sql: text).sqliteStatement
      #expect(sqlite3_stmt_status(statement, SQLITE_STMTSTATUS_RUN, 0) == 5)
      return sqlite3_stmt_status(statement, SQLITE_STMTSTATUS_REPREPARE, 0)
    }
    #expect(compiled == 0)
  }

  @Test func `ids that are made together are in order, and no two are equal`() {
    var (one, other) = (RecordIDSequence(), RecordIDSequence())
    let ids = (0..<10_000).map { _ in one.next() }
    #expect(zip(ids, ids.dropFirst()).allSatisfy { $0 < $1 })
    #expect(!ids.contains(other.next()))
    let ends = ids.map { Array($0.bytes.suffix(4)) }
    #expect(zip(ends, ends.dropFirst()).allSatisfy { $0 != $1 })
  }
}
