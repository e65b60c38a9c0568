import CairnCloud

/// The records of rows, and the zones.
extension Ledger {
  private static let columns = "zone, record, tbl, row, position, dirty, sent, problem"

  private func place(_ row: [SQLValue]) -> Place? {
    guard let zone = row[0].int, let bytes = row[1].bytes, let record = RecordID(bytes: bytes),
      let table = shapes.firstIndex(where: { .integer($0.number) == row[2] }),
      let number = row[3].int
    else { return nil }
    return Place(
      zone: zone, record: record, row: RowNumber(table: table, row: number),
      position: row[4].int, dirt: row[5].int.flatMap { .init(rawValue: $0) } ?? .clean,
      sent: row[6].int, problem: row[7].string)
  }

  private func places(
    _ condition: String, _ values: [SQLValue] = []
  ) throws(CloudError) -> [Place] {
    try db.run(
      "SELECT \(Self.columns) FROM cairn_place WHERE \(condition) ORDER BY zone, record", values
    ).compactMap { place($0) }
  }

  /// The records of a row, by zone.
  func places(of number: RowNumber) throws(CloudError) -> [Place] {
    try places(
      "tbl = ? AND row = ?", [.integer(shape(number).number), .integer(number.row)])
  }

  /// The rows that a zone has.
  func places(in zone: Int64) throws(CloudError) -> [Place] {
    try places("zone = ?", [.integer(zone)])
  }

  /// The records that must be sent.
  func dirtyPlaces() throws(CloudError) -> [Place] { try places("dirty > 0") }

  /// The records with a problem.
  func refusedPlaces() throws(CloudError) -> [Place] { try places("problem IS NOT NULL") }

  func place(_ zone: Int64, _ record: RecordID) throws(CloudError) -> Place? {
    try places("zone = ? AND record = ?", [.integer(zone), .blob(record.bytes)]).first
  }

  /// The row that has a record with this id in any zone.
  func row(of record: RecordID) throws(CloudError) -> RowNumber? {
    try places("record = ?", [.blob(record.bytes)]).first?.row
  }

  func save(_ place: Place) throws(CloudError) {
    try db.run(
      "INSERT OR REPLACE INTO cairn_place(\(Self.columns)) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
      [
        .integer(place.zone), .blob(place.record.bytes), .integer(shape(place.row).number),
        .integer(place.row.row), place.position.map { .integer($0) } ?? .null,
        .integer(place.dirt.rawValue), place.sent.map { .integer($0) } ?? .null,
        place.problem.map { .string($0) } ?? .null,
      ])
  }

  func remove(_ place: Place) throws(CloudError) {
    try db.run(
      "DELETE FROM cairn_place WHERE zone = ? AND record = ?",
      [.integer(place.zone), .blob(place.record.bytes)])
  }

  /// Gives the records of one row to another one.
  func movePlaces(from old: RowNumber, to new: RowNumber) throws(CloudError) {
    try db.run(
      "UPDATE cairn_place SET row = ? WHERE tbl = ? AND row = ?",
      [.integer(new.row), .integer(shape(old).number), .integer(old.row)])
  }

  // MARK: Zones

  /// The number of a zone, which gets one if it has none.
  func number(of zone: ZoneID) throws(CloudError) -> Int64 {
    let id = SQLValue.string(zone.description)
    if let known = try db.value("SELECT number FROM cairn_zone WHERE id = ?", [id])?.int {
      return known
    }
    try db.run("INSERT INTO cairn_zone(id) VALUES (?)", [id])
    return db.lastRow
  }

  /// The known zones with their numbers and tokens.
  func zones() throws(CloudError) -> [(number: Int64, id: ZoneID, token: String?)] {
    try db.run("SELECT number, id, token FROM cairn_zone ORDER BY number").compactMap { row in
      guard let number = row[0].int, let id = row[1].string.flatMap({ ZoneID($0) }) else {
        return nil
      }
      return (number, id, row[2].string)
    }
  }

  func setToken(_ token: String?, of zone: Int64) throws(CloudError) {
    try db.run(
      "UPDATE cairn_zone SET token = ? WHERE number = ?",
      [token.map { .string($0) } ?? .null, .integer(zone)])
  }

  func forgetZone(_ zone: Int64) throws(CloudError) {
    try db.run("DELETE FROM cairn_zone WHERE number = ?", [.integer(zone)])
    try db.run("DELETE FROM cairn_waiting WHERE zone = ?", [.integer(zone)])
  }

  // MARK: Records without their parents

  func waiting() throws(CloudError) -> [(zone: Int64, record: RecordID)] {
    try db.run("SELECT zone, record FROM cairn_waiting").compactMap { row in
      guard let zone = row[0].int, let id = row[1].bytes.flatMap({ RecordID(bytes: $0) }) else {
        return nil
      }
      return (zone, id)
    }
  }

  func setWaiting(
    _ isWaiting: Bool, _ zone: Int64, _ record: RecordID
  ) throws(CloudError) {
    try db.run(
      isWaiting
        ? "INSERT OR IGNORE INTO cairn_waiting VALUES (?, ?)"
        : "DELETE FROM cairn_waiting WHERE zone = ? AND record = ?",
      [.integer(zone), .blob(record.bytes)])
  }
}

extension RecordID {
  /// Reads the sixteen bytes of an id.
  init?(bytes: [UInt8]) {
    let digits = Array("0123456789abcdef")
    self.init(String(bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }))
  }

  /// The sixteen bytes.
  var bytes: [UInt8] {
    let digits = description.compactMap { $0.hexDigitValue }
    return stride(from: 0, to: digits.count - 1, by: 2).map {
      UInt8(digits[$0] << 4 | digits[$0 + 1])
    }
  }
}
