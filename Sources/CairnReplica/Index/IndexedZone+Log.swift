import CairnIdentity
import CairnIndex
import CairnStore
import CairnZone

/// The index of the log itself: keys, digests, names and authors of entries.
extension IndexedZone {
  /// The keys from earlier entries or an invitation.
  public func keys() throws -> Keyring {
    var query = try query("SELECT epoch, key FROM zone_key WHERE zone = ?")
    var ring = Keyring()
    while try query.next() {
      guard let key = SecretBytes(query.bytes(1) ?? []) else { throw IndexRow.damaged("zone key") }
      ring.insert(ZoneKey(epoch: UInt64(query.integer(0)), secret: key))
    }
    return ring
  }

  /// Stores keys, so that the next start need not find them again.
  func save(_ keys: Keyring) throws {
    for key in keys.all {
      var query = try query("INSERT OR REPLACE INTO zone_key (zone, epoch, key) VALUES (?, ?, ?)")
      query.bind(Int64(key.epoch))
      query.bind(key.secret.copy())
      try query.run()
    }
  }

  /// Forgets everything that was replayed, and the keys, so that the log is read from its
  /// beginning.
  public func erase() throws {
    for table in [
      "zone_key", "record", "tombstone", "past", "former_content", "chunk", "entry", "kept_entry",
      "checkpoint", "kept_pack", "dated", "policy", "swept", "forgotten", "past_chunk", "passed",
    ] {
      try query("DELETE FROM \(table) WHERE zone = ?").run()
    }
    var query = try query("UPDATE zone SET sequence = 0, head = ?2, header = ?3 WHERE number = ?1")
    query.bind(Bytes32.zero)
    query.bind(IndexRow.encode(ZoneHeader(zone: header.zone, kind: header.kind)))
    try query.run()
  }

  /// The digest of an entry at its replay, or by the statement of a snapshot.
  public func digest(at sequence: UInt64) throws -> Bytes32? {
    guard sequence > 0 else { return .zero }
    var query = try query("SELECT digest FROM entry WHERE zone = ? AND sequence = ?")
    query.bind(Int64(sequence))
    if try query.next() { return query.bytes32(0) }
    var passed = try self.query("SELECT digests, last FROM passed WHERE zone = ? AND last >= ?")
    passed.bind(Int64(clamping: sequence))
    guard try passed.next() else { return nil }
    guard let places = PassedPositions(passed.bytes(0) ?? [], upTo: UInt64(passed.integer(1)))
    else {
      throw IndexRow.damaged("passed places")
    }
    return places.digest(at: sequence)
  }

  /// Notes a snapshot's statement about the entries that it replaces: possibly all that this device
  /// knows of them.
  func note(_ passed: PassedPositions) throws {
    var query = try query("INSERT OR REPLACE INTO passed (zone, last, digests) VALUES (?, ?, ?)")
    query.bind(Int64(passed.last))
    query.bind(passed.bytes)
    try query.run()
  }

  /// The epoch of a replayed entry's seal, whose key names its position; nil for an entry that was
  /// never read here.
  public func epoch(at sequence: UInt64) throws -> UInt64? {
    var query = try query("SELECT epoch FROM entry WHERE zone = ? AND sequence = ?")
    query.bind(Int64(sequence))
    return try query.next() ? UInt64(query.integer(0)) : nil
  }

  /// The position of the first entry of the restore or rewind that an entry belongs to.
  func act(at sequence: UInt64) throws -> UInt64? {
    var query = try query("SELECT act FROM entry WHERE zone = ? AND sequence = ?")
    query.bind(Int64(clamping: sequence))
    return try query.next() ? query.number(0).map { UInt64($0) } : nil
  }

  /// The last entry of a device that was read here.
  func lastEntry(of device: DeviceID) throws -> UInt64? {
    var query = try query(
      """
      SELECT sequence FROM entry WHERE zone = ?
      AND author IN (SELECT number FROM author WHERE device = ?) ORDER BY sequence DESC LIMIT 1
      """)
    query.bind(device.bytes)
    return try query.next() ? UInt64(query.integer(0)) : nil
  }

  /// The signer of a replayed entry; nil if the log does not reach it, or nobody knows.
  func author(at sequence: UInt64) throws -> Author? {
    var query = try query(
      "SELECT a.user, a.device FROM entry e JOIN author a ON a.number = e.author "
        + "WHERE e.zone = ? AND e.sequence = ?")
    query.bind(Int64(sequence))
    guard try query.next() else { return nil }
    guard let user = query.bytes32(0), let device = DeviceID(bytes: query.bytes(1) ?? []) else {
      throw IndexRow.damaged("author")
    }
    return Author(user: UserID(user), device: device)
  }

  /// The positions of entries by former members or revoked devices, without a spare copy by this
  /// device: their authors may still alter or remove them.
  func uncopied(except members: Set<UserID>, _ revoked: Set<Author>) throws -> [UInt64] {
    var query = try query(
      """
      SELECT e.sequence, a.user, a.device FROM entry e JOIN author a ON a.number = e.author
      WHERE e.zone = ? AND e.copied = 0 AND e.sequence >= ? ORDER BY e.sequence
      """)
    // Nothing is copied below a log start.
    query.bind(Int64(clamping: header.floor?.checkpoint ?? 0))
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

  /// The positions of entries that raised the epoch, with another entry behind.
  func raises() throws -> [UInt64] {
    var query = try query(
      """
      SELECT e.sequence FROM entry e
      JOIN entry n ON n.zone = e.zone AND n.sequence = e.sequence + 1
      WHERE e.zone = ? AND n.epoch > e.epoch AND e.epoch > 0 ORDER BY e.sequence
      """)
    var places: [UInt64] = []
    while try query.next() { places.append(UInt64(query.integer(0))) }
    return places
  }

  /// The epoch that the last entry ended, and its position; nil if it raised none.
  func lastRaise() throws -> (epoch: UInt64, sequence: UInt64)? {
    guard let epoch = try epoch(at: header.sequence), epoch > 0, header.epoch > epoch else {
      return nil
    }
    return (epoch, header.sequence)
  }

  /// Notes that the spare copies in the container are unknown.
  func forgetCopied() throws {
    let query = try query("UPDATE entry SET copied = 0 WHERE zone = ? AND copied != 0")
    try query.run()
  }

  /// Notes that spare copies of these entries are in the container.
  func noteCopied(_ places: [UInt64]) throws {
    for place in places {
      var query = try query("UPDATE entry SET copied = 1 WHERE zone = ? AND sequence = ?")
      query.bind(Int64(place))
      try query.run()
    }
  }

  /// The name of a replayed entry of a public zone.
  func name(at sequence: UInt64) throws -> String? {
    var query = try query("SELECT name FROM entry WHERE zone = ? AND sequence = ?")
    query.bind(Int64(sequence))
    return try query.next() ? query.text(0) : nil
  }

  /// The key of a replayed entry; nil if it is unknown.
  func place(of sequence: UInt64, in folder: ZoneFolder, _ keys: Keyring) throws -> ObjectKey? {
    if folder.kind == .public { return try name(at: sequence).map { folder.place(named: $0) } }
    return try epoch(at: sequence).flatMap { keys[$0] }.map { folder.place(sequence, $0) }
  }

  /// All chunks, page by page, in the order of their names.
  func chunks(after name: ChunkName?, limit: Int) throws -> [ChunkEntry] {
    var query = try query(
      """
      SELECT name, size, place, pack, generation FROM chunk WHERE zone = ? AND name > ?
      ORDER BY name LIMIT ?
      """)
    query.bind(name?.bytes ?? [0])
    query.bind(Int64(limit))
    var found: [ChunkEntry] = []
    while try query.next() { found.append(try IndexRow.chunk(query)) }
    return found
  }
}
