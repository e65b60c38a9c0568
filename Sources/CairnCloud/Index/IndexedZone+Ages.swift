import CairnIndex
import CairnZone
import SwiftProtobuf

/// How old versions are, and which of them are kept: what a device of the zone's owner noted while
/// it read the log. An index that is made again makes everything young, and so keeps more.
extension IndexedZone {
  /// Goes on with the clock by which versions age.
  /// - Parameters:
  ///   - db: a transaction that may write.
  ///   - clock: seconds since 1970.
  /// - Returns: the clock.
  /// - Throws: what SQLite says.
  @discardableResult
  static func readAgeClock(_ db: IndexConnection, at clock: Int64) throws -> AgeClock {
    let read = try ageClock(db, at: clock)
    var query = try Query(
      db, "INSERT OR REPLACE INTO age_clock (number, time, reading) VALUES (1, ?, ?)")
    query.bind(read.time)
    query.bind(read.reading)
    try query.run()
    return read
  }

  private static func ageClock(_ db: IndexConnection, at clock: Int64) throws -> AgeClock {
    var query = try Query(db, "SELECT time, reading FROM age_clock")
    guard try query.next() else { return AgeClock(beginningAt: clock) }
    var read = AgeClock(time: query.integer(0), reading: query.integer(1))
    read.read(clock)
    return read
  }

  /// Notes that the log is read as far as it is by now.
  /// - Parameter clock: seconds since 1970.
  /// - Throws: what SQLite says.
  func noteAge(at clock: Int64) throws {
    let time = try Self.readAgeClock(db, at: clock).time
    var query = try query(
      "INSERT OR REPLACE INTO dated (zone, hour, sequence, time) VALUES (?, ?, ?, ?)")
    query.bind(time / 3_600)
    query.bind(Int64(header.sequence))
    query.bind(time)
    try query.run()
  }

  /// How old the places of the log are.
  /// - Parameter clock: seconds since 1970.
  /// - Returns: that.
  /// - Throws: what SQLite says.
  func ages(at clock: Int64) throws -> PlaceAges {
    var query = try query("SELECT sequence, time FROM dated WHERE zone = ? ORDER BY hour")
    var seen: [(sequence: UInt64, time: Int64)] = []
    while try query.next() { seen.append((UInt64(query.integer(0)), query.integer(1))) }
    return PlaceAges(seen: seen, now: try Self.ageClock(db, at: clock).time)
  }

  /// Notes what is kept of the past from that commit on.
  func notePolicy(in header: ZoneHeader) throws {
    var query = try query("INSERT OR REPLACE INTO policy (zone, sequence, policy) VALUES (?, ?, ?)")
    query.bind(Int64(header.sequence))
    query.bind(header.history.map { StoredMessage.encode(WireHistoryPolicy($0)) })
    try query.run()
  }

  /// The changes of what is kept of the past, in their order.
  func policies() throws -> [(sequence: UInt64, policy: HistoryPolicy?)] {
    var query = try query("SELECT sequence, policy FROM policy WHERE zone = ? ORDER BY sequence")
    var found: [(sequence: UInt64, policy: HistoryPolicy?)] = []
    while try query.next() {
      let policy = try query.bytes(1).map { try WireHistoryPolicy(serializedBytes: $0).policy() }
      found.append((UInt64(query.integer(0)), policy ?? nil))
    }
    return found
  }

  /// Which past versions are kept.
  /// - Parameter clock: seconds since 1970.
  /// - Returns: the rule.
  /// - Throws: what SQLite says.
  func retention(at clock: Int64) throws -> Retention {
    Retention(changes: try policies(), ages: try ages(at: clock))
  }
}
