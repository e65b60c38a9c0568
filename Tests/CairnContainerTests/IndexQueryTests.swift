import CSQLite
import CairnZone
import Testing

@testable import CairnIdentity
@testable import CairnIndex
@testable import CairnReplica

@Suite struct IndexQueryTests {
  @Test func `a statement about types isn't compiled again for each of them`() throws {
    let index = try IndexFile(inMemory: .zones)
    let zone = ZoneID(Bytes32.zero)
    try index.write { _ = try IndexedZone($0, zone: zone) }
    let compiled = try index.read { db in
      let state = try IndexedZone(reading: db, zone: zone)
      for number in 0..<5 { _ = try state.records.typed("type \(number)") }
      let text = IndexRow.selectRecord + " AND r.type = +? ORDER BY r.id"
      let statement = try #require(db.connection.statements[text])
      #expect(sqlite3_stmt_status(statement, SQLITE_STMTSTATUS_RUN, 0) == 5)
      return sqlite3_stmt_status(statement, SQLITE_STMTSTATUS_REPREPARE, 0)
    }
    #expect(compiled == 0)
  }

  @Test func `each table of a zone belongs to one type, and is erased with the zone`() throws {
    let index = try IndexFile(inMemory: .zones)
    let names = try index.read { db in
      var query = try Query(
        db,
        """
        SELECT m.name FROM sqlite_master m JOIN pragma_table_info(m.name) c
        WHERE m.type = 'table' AND c.name = 'zone'
        """)
      var names: [String] = []
      while try query.next() { names.append(query.text(0) ?? "") }
      return names
    }
    #expect((IndexedZone.tables + ["zone"]).sorted() == names.sorted())
  }

  @Test(arguments: [true, false])
  func `deleted records are found without reading all changed ones`(
    deletionsOnly: Bool
  ) throws {
    let index = try IndexFile(inMemory: .zones)
    let zone = ZoneID(Bytes32.zero)
    try index.write { _ = try IndexedZone($0, zone: zone) }
    var steps: [Int32] = []
    for count in [100, 2_000] {
      try index.write { try Self.change(Int64(count), $0) }
      steps.append(
        try index.read { db in
          let state = try IndexedZone(reading: db, zone: zone)
          let events = try state.history.events(
            before: EventPlace(.max), deletionsOnly: deletionsOnly, limit: 10)
          #expect(events.count == (deletionsOnly ? 1 : 10))
          #expect(events.allSatisfy { $0.isGone == deletionsOnly })
          return try Self.steps(of: "ending = 2", db)
        })
    }
    #expect(steps[0] == steps[1])
  }

  /// Notes versions that entries from 2 on changed, of one record that entry 1 deleted.
  private static func change(_ count: Int64, _ db: IndexConnection) throws {
    var query = try Query(
      db,
      """
      WITH RECURSIVE n (place) AS (SELECT 1 UNION ALL SELECT place + 1 FROM n LIMIT ?)
      INSERT OR REPLACE INTO past (zone, id, type, parent, name, executable, modified, created,
        created_by, created_time, changed, changed_by, changed_time, ended, ended_by, ended_time,
        ending)
      SELECT zone.number, zeroblob(16), 'file', zeroblob(16), 'a', 0, 0, 0, 1, 0, place - 1, 1, 0,
        place, 1, 0, iif(place = 1, 2, 0)
      FROM n, zone
      """)
    query.bind(count)
    try query.run()
  }

  /// Returns the number of SQLite's instructions for the statement with a text.
  private static func steps(of text: String, _ db: IndexConnection) throws -> Int32 {
    let statement = try #require(db.connection.statements.first { $0.key.contains(text) })
    return sqlite3_stmt_status(statement.value, SQLITE_STMTSTATUS_VM_STEP, 1)
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
