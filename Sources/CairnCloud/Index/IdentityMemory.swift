import CairnZone
import Foundation
import GRDB

/// What this device has read of identity chains, as it is stored: who was once verified stays who
/// they are, whatever the container shows later. It must not know what the entries say.
final class IdentityMemory: Sendable {
  private let index: IndexFile

  init(_ index: IndexFile) { self.index = index }

  /// The stored entries of a person's chain that were read here, from the first on.
  func entries(of user: UserID) throws -> [[UInt8]] {
    try index.read { db in
      var query = try Query(
        db, "SELECT place, bytes FROM kept_identity WHERE user = ? ORDER BY place")
      query.bind(user.value)
      var entries: [[UInt8]] = []
      while try query.next(), query.integer(0) == Int64(entries.count + 1) {
        entries.append(query.bytes(1) ?? [])
      }
      return entries
    }
  }

  /// Keeps an entry that was read at its place of a chain.
  func keep(_ bytes: [UInt8], of user: UserID, at place: UInt64) throws {
    try index.write { db in
      var query = try Query(
        db, "INSERT OR IGNORE INTO kept_identity (user, place, bytes) VALUES (?, ?, ?)")
      query.bind(user.value)
      query.bind(Int64(place))
      query.bind(bytes)
      try query.run()
    }
  }
}
