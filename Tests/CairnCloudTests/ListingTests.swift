import CairnIdentity
import CairnZone
import Testing

@testable import CairnCloud
@testable import CairnIndex
@testable import CairnReplica

/// The lists of typed records for queries: what a read costs, and when lists go.
@Suite struct ListingTests {
  private static let byRank = RecordOrder("Note", by: [.init("rank")])

  private static func notes(_ ranks: Range<Int64>) -> [RecordChange] {
    ranks.map { rank in
      RecordChange(id: .random(), act: .create(.typed("Note")), fields: ["rank": .integer(rank)])
    }
  }

  private static func ranks(_ zone: Zone, _ range: KeyRange, _ limit: Int) throws -> [Int64] {
    try zone.read(by: byRank) { list in
      try list.first(limit, in: range) { record in
        if case .integer(let rank)? = record.fields["rank"] { rank } else { nil }
      }.map(\.value)
    }
  }

  private static func zone() async throws -> Zone {
    let zone = try await Cloud().open("ana").privateDatabase.zone(named: "Notes")
    return try #require(zone.engine as? LocalZone).inner
  }

  @Test func `a page costs the same in a small and a large zone`() async throws {
    let zone = try await Self.zone()
    let middle = CairnZone.FieldValue.sortKey(of: .integer(50))
    var costs: [IndexWork] = []
    for ranks in [0..<100, 100..<2_000] as [Range<Int64>] {
      try zone.save(Self.notes(ranks))
      _ = try Self.ranks(zone, KeyRange(from: middle, below: nil), 10)
      let start = zone.index.work
      let found = try Self.ranks(zone, KeyRange(from: middle, below: nil), 10)
      costs.append(zone.index.work - start)
      #expect(found == Array(50..<60))
    }
    #expect(costs[0] == costs[1])
    // The zone, the list, its keys, and ten records.
    #expect(costs[0].statements <= 13 && costs[0].writes == 0)
    #expect(costs[0].steps < 3_000)
  }

  @Test func `a commit changes its own rows of a list, and no other zone's list`() async throws {
    let zone = try await Self.zone()
    let notes = Self.notes(0..<500)
    try zone.save(notes)
    let whole = KeyRange(of: [])
    #expect(try Self.ranks(zone, whole, .max) == Array(0..<500))
    let start = zone.index.work
    try zone.save([
      RecordChange(id: notes[3].id, act: .update, fields: ["rank": .integer(1_000)]),
      RecordChange(id: notes[4].id, act: .delete),
      RecordChange(id: .random(), act: .create(.typed("Other"))),
    ])
    #expect((zone.index.work - start).statements < 100)
    let found = try Self.ranks(zone, whole, .max)
    #expect(found == [0, 1, 2] + Array(5..<500) + [1_000])
  }

  @Test func `the oldest list is dropped, and built again at its next use`() async throws {
    let zone = try await Self.zone()
    try zone.save(Self.notes(0..<3))
    let whole = KeyRange(of: [])
    for number in 0...ListingTable.most {
      let order = RecordOrder("Note", by: [.init("field \(number)", isDescending: true)])
      #expect(try zone.read(by: order) { try $0.first(9, in: whole) { $0 }.count } == 3)
    }
    func count(_ table: String) throws -> Int64 {
      try zone.index.read { db in
        var query = try Query(db, "SELECT count(*) FROM \(table)")
        return try query.next() ? query.integer(0) : 0
      }
    }
    #expect(try count("listing") == Int64(ListingTable.most))
    #expect(try count("listed") == Int64(ListingTable.most * 3))
    #expect(try Self.ranks(zone, whole, .max) == [0, 1, 2])
    try zone.index.write { db in try IndexedZone(db, zone: zone.id).listings.dropAll() }
    #expect(try count("listing") == 0 && count("listed") == 0)
    #expect(try Self.ranks(zone, whole, 2) == [0, 1])
  }
}
