import CairnIdentity
import CairnIndex
import CairnStore
import CairnZone

/// The notes about entries.
extension LogTable {
  /// Stores an entry.
  /// - Parameters:
  ///   - sequence: Its position.
  ///   - digest: Its digest.
  ///   - epoch: The epoch of its seal.
  ///   - author: The number of its signer; nil if unknown.
  ///   - time: The author's clock; nil if unknown.
  /// - Throws: errors of SQLite.
  func add(
    _ sequence: UInt64, _ digest: Bytes32, epoch: UInt64, author: Int64?, time: Int64?
  ) throws {
    var entry = try rows.query(
      """
      INSERT OR REPLACE INTO entry (zone, sequence, digest, epoch, author, time)
      VALUES (?, ?, ?, ?, ?, ?)
      """)
    entry.bind(Int64(sequence))
    entry.bind(digest)
    entry.bind(Int64(epoch))
    entry.bind(author)
    entry.bind(time)
    try entry.run()
  }

  /// Notes the restore or rewind that a replayed entry belongs to.
  func note(_ reversal: ReversalNote, at sequence: UInt64) throws {
    var query = try rows.query("UPDATE entry SET act = ?3 WHERE zone = ?1 AND sequence = ?2")
    query.bind(Int64(clamping: sequence))
    query.bind(Int64(clamping: reversal.first == 0 ? sequence : reversal.first))
    try query.run()
  }

  /// Notes the name of a replayed entry of a public zone; nil: the zone isn't public.
  func note(_ key: ObjectKey?, at sequence: UInt64) throws {
    guard let key else { return }
    var query = try rows.query("UPDATE entry SET name = ?3 WHERE zone = ?1 AND sequence = ?2")
    query.bind(Int64(sequence))
    query.bind(ChainPlace.name(of: key))
    try query.run()
  }

  /// The positions of entries by former members or revoked devices, from a position on, without a
  /// spare copy by this device: their authors may still alter or remove them.
  func uncopied(
    from first: UInt64, except members: Set<UserID>, _ revoked: Set<Author>
  ) throws -> [UInt64] {
    var query = try rows.query(
      """
      SELECT e.sequence, a.user, a.device FROM entry e JOIN author a ON a.number = e.author
      WHERE e.zone = ? AND e.copied = 0 AND e.sequence >= ? ORDER BY e.sequence
      """)
    query.bind(Int64(clamping: first))
    var places: [UInt64] = []
    while try query.next() {
      guard let user = query.bytes32(1), let device = DeviceID(bytes: query.bytes(2) ?? []) else {
        throw IndexRow.damaged("author")
      }
      let author = Author(user: UserID(user), device: device)
      guard !members.contains(author.user) || revoked.contains(author) else { continue }
      places.append(UInt64(query.integer(0)))
    }
    return places
  }

  /// Returns whether this device knows of a spare copy of an entry.
  public func isCopied(_ place: UInt64) throws -> Bool {
    var query = try rows.query(
      "SELECT 1 FROM entry WHERE zone = ? AND sequence = ? AND copied != 0")
    query.bind(Int64(place))
    return try rows.has(query)
  }

  /// Notes that the spare copies in the container are unknown.
  func forgetCopied() throws {
    let query = try rows.query("UPDATE entry SET copied = 0 WHERE zone = ? AND copied != 0")
    try query.run()
  }

  /// Notes that spare copies of these entries are in the container.
  func noteCopied(_ places: [UInt64]) throws {
    for place in places {
      var query = try rows.query("UPDATE entry SET copied = 1 WHERE zone = ? AND sequence = ?")
      query.bind(Int64(place))
      try query.run()
    }
  }

  /// Stores the digest of the state after a checkpoint.
  func noteCheckpoint(_ digest: Bytes32, at sequence: UInt64) throws {
    var query = try rows.query(
      "INSERT OR REPLACE INTO checkpoint (zone, sequence, digest) VALUES (?, ?, ?)")
    query.bind(Int64(bitPattern: sequence))
    query.bind(digest)
    try query.run()
  }

  /// Forgets the checkpoints up to a position; nil: all of them.
  func dropCheckpoints(through sequence: UInt64? = nil) throws {
    guard let sequence else {
      return try rows.query("DELETE FROM checkpoint WHERE zone = ?").run()
    }
    var query = try rows.query("DELETE FROM checkpoint WHERE zone = ? AND sequence <= ?")
    query.bind(Int64(bitPattern: sequence))
    try query.run()
  }

  /// Notes that the entries up to a position are deleted.
  public func noteSwept(_ place: UInt64) throws {
    var query = try rows.query("INSERT OR REPLACE INTO swept (zone, sequence) VALUES (?, ?)")
    query.bind(Int64(place))
    try query.run()
  }
}
