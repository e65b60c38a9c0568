import CairnIndex
import CairnZone

/// The identity chains that this device has read, as stored, with their names. A person who was
/// once verified stays the same, whatever the container shows later. It must not know the content
/// of entries.
public final class IdentityMemory: Sendable {
  private let index: IndexFile

  /// Creates a memory in an index file.
  public init(_ index: IndexFile) { self.index = index }

  /// The entries of a person's chain that were read here, from the first on.
  func entries(of user: UserID) throws -> [ChainEntry] {
    try index.read { db in
      var query = try Query(
        db, "SELECT place, name, bytes FROM kept_identity WHERE user = ? ORDER BY place")
      query.bind(user.value)
      var entries: [ChainEntry] = []
      while try query.next(), query.integer(0) == Int64(entries.count + 1) {
        entries.append(ChainEntry(name: query.text(1) ?? "", bytes: query.bytes(2) ?? []))
      }
      return entries
    }
  }

  /// All people with data that was read here.
  func users() throws -> [UserID] {
    try index.read { db in
      var query = try Query(db, "SELECT DISTINCT user FROM kept_identity")
      var users: [UserID] = []
      while try query.next() { if let id = query.bytes32(0) { users.append(UserID(id)) } }
      return users
    }
  }

  /// The entry of a chain at a position.
  func entry(of user: UserID, at place: UInt64) throws -> ChainEntry? {
    try index.read { db in
      var query = try Query(
        db, "SELECT name, bytes FROM kept_identity WHERE user = ? AND place = ?")
      query.bind(user.value)
      query.bind(Int64(clamping: place))
      guard try query.next() else { return nil }
      return ChainEntry(name: query.text(0) ?? "", bytes: query.bytes(1) ?? [])
    }
  }

  /// Stores an entry that was read at its position of a chain.
  func keep(_ entry: ChainEntry, of user: UserID, at place: UInt64) throws {
    try index.write { db in
      var query = try Query(
        db,
        "INSERT OR IGNORE INTO kept_identity (user, place, name, bytes) VALUES (?, ?, ?, ?)")
      query.bind(user.value)
      query.bind(Int64(place))
      query.bind(entry.name)
      query.bind(entry.bytes)
      try query.run()
    }
  }

  /// The person's statement about their own chain that the container contradicts; nil if there is
  /// none.
  func head(saidBy user: UserID) throws -> ChainHead? {
    try index.read { db in
      var query = try Query(db, "SELECT length, head FROM disputed_chain WHERE user = ?")
      query.bind(user.value)
      guard try query.next(), let head = query.bytes32(1) else { return nil }
      return ChainHead(length: UInt64(bitPattern: query.integer(0)), head: head)
    }
  }

  /// Stores such a statement.
  func keep(_ head: ChainHead, saidBy user: UserID) throws {
    try index.write { db in
      var query = try Query(
        db, "INSERT OR REPLACE INTO disputed_chain (user, length, head) VALUES (?, ?, ?)")
      query.bind(user.value)
      query.bind(Int64(bitPattern: head.length))
      query.bind(head.head)
      try query.run()
    }
  }

  /// Forgets such a statement.
  func forgetHead(saidBy user: UserID) throws {
    try index.write { db in
      var query = try Query(db, "DELETE FROM disputed_chain WHERE user = ?")
      query.bind(user.value)
      try query.run()
    }
  }

  /// Forgets a chain with damaged rows.
  func forget(_ user: UserID) throws {
    try index.write { db in
      var query = try Query(db, "DELETE FROM kept_identity WHERE user = ?")
      query.bind(user.value)
      try query.run()
    }
  }
}
