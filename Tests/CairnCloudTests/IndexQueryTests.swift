import CairnZone
import GRDB
import GRDBSQLite
import Testing

@testable import CairnCloud
@testable import CairnIndex

@Suite struct IndexQueryTests {
  @Test func `a statement about types isn't compiled anew for each of them`() throws {
    let index = try IndexFile(inMemory: .zones)
    let zone = ZoneID(Bytes32.zero)
    try index.write { _ = try IndexedZone($0, zone: zone) }
    let compiled = try index.read { db in
      let state = try IndexedZone(reading: db, zone: zone)
      for number in 0..<5 { _ = try state.typedRecords("type \(number)") }
      let text = IndexRow.selectRecord + " AND r.type = +? ORDER BY r.id"
      let statement = try db.database.cachedStatement(sql: text).sqliteStatement
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
