import CairnIndex
import CairnZone

/// The numbers of people and devices. It owns the table `author`, which all zones of a file share.
/// A row never changes, so the numbers that were found once stay valid.
struct AuthorTable {
  private let db: IndexConnection
  private var known: [DeviceID: (user: UserID, number: Int64)] = [:]

  init(_ rows: ZoneRows) { db = rows.db }

  /// The number of a change's author; most changes of a commit have the same one.
  mutating func number(of stamp: Stamp) throws -> Int64 {
    if let author = known[stamp.device], author.user == stamp.user { return author.number }
    let number = try number(of: stamp.user, stamp.device)
    known[stamp.device] = (stamp.user, number)
    return number
  }

  /// The number of an author, who gets one at the first call.
  func number(of user: UserID, _ device: DeviceID) throws -> Int64 {
    var find = try Query(db, "SELECT number FROM author WHERE user = ? AND device = ?")
    find.bind(user.value)
    find.bind(device.bytes)
    if try find.next() { return find.integer(0) }
    var author = try Query(db, "INSERT INTO author (user, device) VALUES (?, ?)")
    author.bind(user.value)
    author.bind(device.bytes)
    try author.run()
    return db.lastRow
  }
}
