import CairnIndex
import CairnZone
import Synchronization
import Testing

@testable import CairnContainer
@testable import CairnIdentity
@testable import CairnReplica

/// The records of an owner's device about the age of versions, and the kept ones.
struct KeepingTests {
  private static let day: Int64 = 86_400

  /// Runs the body with a zone's rows in an index, without a log.
  private func withZone(_ body: (IndexConnection, ZoneID) throws -> Void) throws {
    let file = try IndexFile(inMemory: .zones) {}
    let zone = ZoneID(try #require(Bytes32([UInt8](repeating: 7, count: 32))))
    try file.write { try body($0, zone) }
  }

  @Test func `a position is as old as the end of the hour in which it was read`() throws {
    try withZone { db, zone in
      _ = try IndexedZone(db, zone: zone)
      func note(_ sequence: UInt64, _ clock: Int64) throws {
        var header = ZoneHeader(zone: zone)
        header.sequence = sequence
        try IndexedZone(db, zone: zone).ages.note(header, at: clock)
      }
      let start = 100 * Self.day
      try note(3, start)
      try note(5, start + 60)
      try note(9, start + 2 * 3_600)
      try note(10, start - 3_600)
      let ages = try IndexedZone(db, zone: zone).ages.known(
        at: start + Self.day - 3_600)
      // The clock was set back by three hours, which undoes the time between.
      #expect(ages.now == start + Self.day + 2 * 3_600)
      #expect(ages.time(of: 1) == start + 60)
      #expect(ages.time(of: 5) == start + 60)
      #expect(ages.time(of: 6) == start + 2 * 3_600)
      #expect(ages.time(of: 10) == start + 2 * 3_600)
      #expect(ages.age(of: 11) == 0)
    }
  }

  @Test func `later entries of the same hour don't move the end of a replaced policy`() throws {
    try withZone { db, zone in
      _ = try IndexedZone(db, zone: zone)
      let start = 100 * Self.day
      var header = ZoneHeader(zone: zone)
      (header.sequence, header.history) = (3, HistoryPolicy(versions: 1))
      let ages = try IndexedZone(db, zone: zone).ages
      try ages.notePolicy(in: header, at: start)
      try ages.note(header, at: start)
      for minutes: Int64 in [10, 20, 59] {
        header.sequence += 1
        try ages.note(header, at: start + minutes * 60)
        let rest = try ages.retention(at: start + minutes * 60).rest
        #expect(Int64(rest) == Int64(Retention.notice) - minutes * 60)
      }
      #expect(try ages.retention(at: start + 7 * Self.day - 1).keepsAll)
      #expect(try !ages.retention(at: start + 7 * Self.day).keepsAll)
      // Entries between the policy and the end of its hour keep their own age.
      #expect(try ages.known(at: start + Self.day).time(of: 4) == start + 59 * 60)
    }
  }

  @Test func `the policy is the owner's, and a lost index keeps more`() throws {
    let world = try ZoneWorld()
    let (zone, bobs, accounts) = try world.shared()
    let (ana, bob) = (try world.open(accounts[0]), try world.open(accounts[1]))
    let anas = try #require(try ana.zone(zone.id))
    try anas.pull()
    #expect(try anas.retention().keepsAll)
    let policy = HistoryPolicy(all: 60, versions: 2)
    #expect(try cloudCode { try bob.ownership.setHistory(policy, of: bobs) } == .permissionFailure)
    try ana.ownership.setHistory(policy, of: anas)
    let places = anas.header.sequence
    try ana.ownership.setHistory(policy, of: anas)
    #expect(anas.header.sequence == places, "said again, nothing is written")
    #expect(anas.header.history == policy)
    let retention = try anas.retention()
    #expect(retention.keepsAll && retention.policies == [policy, nil] && retention.rest > 0)

    // Another device of hers, or the same one without its index, starts to count again.
    let again = try #require(try world.open(accounts[0]).zone(zone.id))
    try again.pull()
    #expect(try again.retention().keepsAll)
    #expect(again.header.history == policy)
    try bobs.pull()
    #expect(bobs.header.history == policy)
  }
}
