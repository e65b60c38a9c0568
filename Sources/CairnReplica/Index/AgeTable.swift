import CairnIdentity
import CairnIndex
import CairnWire
import CairnZone
import SwiftProtobuf

/// The ages of versions, and the history policies: notes of an owner's device while it read the
/// log. A rebuilt index makes everything young, and so keeps more. It owns the tables `dated` and
/// `policy`, and `age_clock`, which all zones of a file share. The clock never goes back, so later
/// positions are never older.
public struct AgeTable {
  static let tables = ["dated", "policy"]
  let rows: ZoneRows

  /// Advances the clock for the age of versions.
  /// - Parameters:
  ///   - db: A transaction that may write.
  ///   - clock: Seconds since 1970.
  /// - Returns: the clock.
  /// - Throws: errors of SQLite.
  @discardableResult
  public static func readClock(_ db: IndexConnection, at clock: Int64) throws -> AgeClock {
    let read = try read(db, at: clock)
    var query = try Query(
      db, "INSERT OR REPLACE INTO age_clock (number, time, reading) VALUES (1, ?, ?)")
    query.bind(read.time)
    query.bind(read.reading)
    try query.run()
    return read
  }

  private static func read(_ db: IndexConnection, at now: Int64) throws -> AgeClock {
    var query = try Query(db, "SELECT time, reading FROM age_clock")
    guard try query.next() else { return AgeClock(beginningAt: now) }
    var read = AgeClock(time: query.integer(0), reading: query.integer(1))
    read.read(now)
    return read
  }

  /// Notes the end of the log as read.
  /// - Parameters:
  ///   - header: The zone's header after the last entry.
  ///   - clock: Seconds since 1970.
  /// - Throws: errors of SQLite.
  func note(_ header: ZoneHeader, at clock: Int64) throws {
    let time = try Self.readClock(rows.db, at: clock).time
    var query = try rows.query(
      "INSERT OR REPLACE INTO dated (zone, hour, sequence, time) VALUES (?, ?, ?, ?)")
    query.bind(time / 3_600)
    query.bind(Int64(header.sequence))
    query.bind(time)
    try query.run()
  }

  /// The ages of positions in the log. A change of the policy has its own time, because later
  /// entries of the same hour move the time of that hour.
  /// - Parameter clock: Seconds since 1970.
  /// - Returns: the ages.
  /// - Throws: errors of SQLite.
  func known(at clock: Int64) throws -> PlaceAges {
    var query = try rows.query(
      """
      SELECT sequence, time FROM dated WHERE zone = ?1
      UNION SELECT sequence, time FROM policy WHERE zone = ?1 ORDER BY sequence, time
      """)
    var seen: [(sequence: UInt64, time: Int64)] = []
    while try query.next() { seen.append((UInt64(query.integer(0)), query.integer(1))) }
    return PlaceAges(seen: seen, now: try Self.read(rows.db, at: clock).time)
  }

  /// Notes the history policy from that commit on.
  /// - Parameters:
  ///   - header: The zone's header after the commit.
  ///   - clock: Seconds since 1970.
  /// - Throws: errors of SQLite.
  func notePolicy(in header: ZoneHeader, at clock: Int64) throws {
    let time = try Self.readClock(rows.db, at: clock).time
    var query = try rows.query(
      "INSERT OR REPLACE INTO policy (zone, sequence, policy, time) VALUES (?, ?, ?, ?)")
    query.bind(Int64(header.sequence))
    query.bind(header.history.map { StoredMessage.encode(WireHistoryPolicy($0)) })
    query.bind(time)
    try query.run()
  }

  /// The changes of the history policy, in order.
  func policies() throws -> [(sequence: UInt64, policy: HistoryPolicy?)] {
    var query = try rows.query(
      "SELECT sequence, policy FROM policy WHERE zone = ? ORDER BY sequence")
    var found: [(sequence: UInt64, policy: HistoryPolicy?)] = []
    while try query.next() {
      let policy = try query.bytes(1).map { try WireHistoryPolicy(serializedBytes: $0).policy() }
      found.append((UInt64(query.integer(0)), policy ?? nil))
    }
    return found
  }

  /// The rule for past versions.
  /// - Parameter clock: Seconds since 1970.
  /// - Returns: the rule.
  /// - Throws: errors of SQLite.
  public func retention(at clock: Int64) throws -> Retention {
    Retention(changes: try policies(), ages: try known(at: clock))
  }
}
