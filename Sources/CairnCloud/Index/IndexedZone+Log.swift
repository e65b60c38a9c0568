import CairnZone
import Foundation
import GRDB

/// What the index keeps of the log itself: keys, digests, and which entries had no effect.
extension IndexedZone {
  /// The code of entries that can't be opened.
  static let unreadable = "unreadable"

  /// The keys that are known from earlier entries or an invitation.
  func keys() throws -> Keyring {
    var query = try query("SELECT epoch, key FROM zone_key WHERE zone = ?")
    var ring = Keyring()
    while try query.next() {
      guard let key = SecretBytes(query.bytes(1) ?? []) else { throw IndexRow.damaged("zone key") }
      ring.insert(ZoneKey(epoch: UInt64(query.integer(0)), secret: key))
    }
    return ring
  }

  /// Stores keys, so that the next start needn't find them again.
  func save(_ keys: Keyring) throws {
    for key in keys.all {
      try db.cachedStatement(
        sql: "INSERT OR REPLACE INTO zone_key (zone, epoch, key) VALUES (?, ?, ?)"
      ).execute(arguments: [number, Int64(key.epoch), Data(key.secret.copy())])
    }
  }

  /// Forgets all that was folded, and the keys, so that the log is read from its beginning.
  func erase() throws {
    for table in [
      "zone_key", "record", "tombstone", "version", "chunk", "entry", "kept_entry",
    ] {
      try db.execute(sql: "DELETE FROM \(table) WHERE zone = ?", arguments: [number])
    }
    try db.execute(
      sql: """
        UPDATE zone SET founder = NULL, name = NULL, sequence = 0, head = ?, epoch = 0, facts = ?
        WHERE number = ?
        """,
      arguments: [
        Bytes32.zero.bytes.blob,
        try IndexRow.encodeFacts(ZoneHeader(zone: header.zone, kind: header.kind)).blob, number,
      ])
  }

  /// The digest of a folded entry, as it was when it was folded.
  func digest(at sequence: UInt64) throws -> Bytes32? {
    guard sequence > 0 else { return .zero }
    var query = try query("SELECT digest FROM entry WHERE zone = ? AND sequence = ?")
    query.bind(Int64(sequence))
    return try query.next() ? query.bytes32(0) : nil
  }

  /// If the last folded entry couldn't be opened: the header as it was before it.
  func headerBeforeUnreadableHead() throws -> ZoneHeader? {
    guard header.sequence > 0 else { return nil }
    let statement = try db.cachedStatement(
      sql: "SELECT problem FROM entry WHERE zone = ? AND sequence = ?")
    guard
      let problem = try String.fetchOne(statement, arguments: [number, Int64(header.sequence)]),
      problem.hasPrefix(Self.unreadable), let digest = try digest(at: header.sequence - 1)
    else { return nil }
    var before = header
    before.sequence -= 1
    before.head = digest
    return before
  }

  /// The entries without effect, in their order.
  func problems() throws -> [(sequence: UInt64, problem: String)] {
    let statement = try db.cachedStatement(
      sql: """
        SELECT sequence, problem FROM entry WHERE zone = ? AND problem IS NOT NULL
        ORDER BY sequence
        """)
    return try Row.fetchAll(statement, arguments: [number]).map { row in
      let sequence: Int64 = row[0]
      return (UInt64(sequence), row[1])
    }
  }

  /// All chunks, page by page, in the order of their names.
  func chunks(after name: ChunkName?, limit: Int) throws -> [ChunkEntry] {
    let statement = try db.cachedStatement(
      sql: "SELECT name, size, place FROM chunk WHERE zone = ? AND name > ? ORDER BY name LIMIT ?")
    return try Row.fetchAll(
      statement, arguments: [number, (name?.bytes ?? [0]).blob, limit]
    ).map { row in
      guard let name = ChunkName(bytes: IndexRow.bytes(row, 0)) else {
        throw IndexRow.damaged("chunk")
      }
      let size: Int64 = row[1]
      return ChunkEntry(
        name: name, size: UInt32(truncatingIfNeeded: size), place: IndexRow.bytes(row, 2))
    }
  }
}
