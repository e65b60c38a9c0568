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
      let rows = try Row.fetchAll(
        db.cachedStatement(
          sql: "SELECT place, bytes FROM kept_identity WHERE user = ? ORDER BY place"),
        arguments: [user.bytes.blob])
      return rows.enumerated().prefix { offset, row in row[0] == Int64(offset + 1) }
        .map { IndexRow.bytes($0.element, 1) }
    }
  }

  /// Keeps an entry that was read at its place of a chain.
  func keep(_ bytes: [UInt8], of user: UserID, at place: UInt64) throws {
    try index.write { db in
      try db.execute(
        sql: "INSERT OR IGNORE INTO kept_identity (user, place, bytes) VALUES (?, ?, ?)",
        arguments: [user.bytes.blob, Int64(place), bytes.blob])
    }
  }
}
