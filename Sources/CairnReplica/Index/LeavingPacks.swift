import CairnIndex
import CairnStore

/// The times since when packs are known to be garbage, by the clock of ages.
public enum LeavingPacks {
  /// Notes the current garbage packs, and forgets all others.
  /// - Parameters:
  ///   - keys: The keys of these packs.
  ///   - now: The time of the clock of ages.
  ///   - db: A transaction that may write.
  /// - Returns: the time for each of them.
  /// - Throws: errors of SQLite.
  public static func note(
    _ keys: [ObjectKey], at now: Int64, _ db: IndexConnection
  ) throws -> [ObjectKey: Int64] {
    var before: [String: Int64] = [:]
    var query = try Query(db, "SELECT pack, since FROM leaving_pack")
    while try query.next() { before[query.text(0) ?? ""] = query.integer(1) }
    var since: [ObjectKey: Int64] = [:]
    for key in keys {
      since[key] = before.removeValue(forKey: key.description) ?? now
      var note = try Query(
        db, "INSERT OR IGNORE INTO leaving_pack (pack, since) VALUES (?, ?)")
      note.bind(key.description)
      note.bind(now)
      try note.run()
    }
    for gone in before.keys {
      var forget = try Query(db, "DELETE FROM leaving_pack WHERE pack = ?")
      forget.bind(gone)
      try forget.run()
    }
    return since
  }
}
