import CairnZone
import Testing

@testable import CairnIndex

@Suite struct IndexQueryTests {
  private static let schema = IndexSchema(
    version: 1, ["CREATE TABLE t (number INTEGER PRIMARY KEY, value)"])

  private func insert(
    _ number: Int64, _ db: IndexConnection, _ bind: (inout Query) -> Void
  ) throws {
    var query = try Query(db, "INSERT INTO t VALUES (?, ?)")
    query.bind(number)
    bind(&query)
    try query.run()
  }

  private func numbers(_ db: IndexConnection) throws -> [Int64] {
    var query = try Query(db, "SELECT number FROM t ORDER BY number")
    var numbers: [Int64] = []
    while try query.next() { numbers.append(query.integer(0)) }
    return numbers
  }

  @Test func `what is bound comes back, and no bytes aren't null`() throws {
    try IndexFile(inMemory: Self.schema).write { db in
      let id = RecordID(Bytes16(high: 7, low: 9))
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
    try IndexFile(inMemory: Self.schema).write { db in
      for number in 1...3 { try insert(Int64(number), db) { $0.bind(Int64(number)) } }
      #expect(throws: SQLiteError.self) { try insert(2, db) { $0.bind(0) } }
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
    let file = try IndexFile(inMemory: Self.schema)
    try file.write { db in try insert(1, db) { $0.bind(1) } }
    #expect(throws: Unwanted.self) {
      try file.write { db in
        try insert(2, db) { $0.bind(2) }
        throw Unwanted()
      }
    }
    // A failure for which SQLite undoes the transaction, and that isn't passed on.
    let undone = #expect(throws: IndexFailure.self) {
      try file.write { db in
        try insert(3, db) { $0.bind(3) }
        try db.run("ROLLBACK")
      }
    }
    #expect(undone?.kind == .other && undone?.reason == "the transaction was undone")
    #expect(try file.read { try numbers($0) } == [1])
    let gated = try IndexFile(inMemory: Self.schema) { throw Unwanted() }
    for write in [gated.write, gated.writeDurably]
      as [(_: (IndexConnection) throws -> Void) throws -> Void]
    {
      #expect(throws: Unwanted.self) { try write { db in try insert(4, db) { $0.bind(4) } } }
    }
    #expect(try gated.read { try numbers($0) } == [])
  }

  @Test func `what is written durably stays, and the rows of an index can be put back`() throws {
    let file = try IndexFile(inMemory: Self.schema)
    try file.writeDurably { db in try insert(1, db) { $0.bind(1) } }
    let rows = try file.rows()
    try file.write { db in try insert(2, db) { $0.bind(2) } }
    try file.replaceAll(by: rows)
    #expect(try file.read { try numbers($0) } == [1])
  }
}
