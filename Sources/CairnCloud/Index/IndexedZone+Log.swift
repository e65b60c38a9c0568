import CairnIndex
import CairnStore
import CairnZone

/// What the index keeps of the log itself: keys, digests, names and authors of entries.
extension IndexedZone {
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
      var query = try query("INSERT OR REPLACE INTO zone_key (zone, epoch, key) VALUES (?, ?, ?)")
      query.bind(Int64(key.epoch))
      query.bind(key.secret.copy())
      try query.run()
    }
  }

  /// Forgets all that was folded, and the keys, so that the log is read from its beginning.
  func erase() throws {
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

  /// The digest of an entry as it was when it was folded, or as a snapshot says that it was.
  func digest(at sequence: UInt64) throws -> Bytes32? {
    guard sequence > 0 else { return .zero }
    var query = try query("SELECT digest FROM entry WHERE zone = ? AND sequence = ?")
    query.bind(Int64(sequence))
    if try query.next() { return query.bytes32(0) }
    var passed = try self.query("SELECT digests, last FROM passed WHERE zone = ? AND last >= ?")
    passed.bind(Int64(clamping: sequence))
    guard try passed.next() else { return nil }
    guard let places = PassedPlaces(passed.bytes(0) ?? [], upTo: UInt64(passed.integer(1))) else {
      throw IndexRow.damaged("passed places")
    }
    return places.digest(at: sequence)
  }

  /// Notes what a snapshot says of the entries that it stands for, and that this device may know
  /// nothing else of.
  func note(_ passed: PassedPlaces) throws {
    var query = try query("INSERT OR REPLACE INTO passed (zone, last, digests) VALUES (?, ?, ?)")
    query.bind(Int64(passed.last))
    query.bind(passed.bytes)
    try query.run()
  }

  /// The epoch that a folded entry is sealed under, by whose key its place is named; nil for what
  /// was never read here.
  func epoch(at sequence: UInt64) throws -> UInt64? {
    var query = try query("SELECT epoch FROM entry WHERE zone = ? AND sequence = ?")
    query.bind(Int64(sequence))
    return try query.next() ? UInt64(query.integer(0)) : nil
  }

  /// The place of the first entry of the restore or rewind that an entry is a part of.
  func act(at sequence: UInt64) throws -> UInt64? {
    var query = try query("SELECT act FROM entry WHERE zone = ? AND sequence = ?")
    query.bind(Int64(clamping: sequence))
    return try query.next() ? query.number(0).map { UInt64($0) } : nil
  }

  /// The last entry of a device's that was read here.
  func lastEntry(of device: DeviceID) throws -> UInt64? {
    var query = try query(
      """
      SELECT sequence FROM entry WHERE zone = ?
      AND author IN (SELECT number FROM author WHERE device = ?) ORDER BY sequence DESC LIMIT 1
      """)
    query.bind(device.bytes)
    return try query.next() ? UInt64(query.integer(0)) : nil
  }

  /// Who signed a folded entry; nil if the log doesn't go there, or nobody knows.
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

  /// Places of entries that somebody signed who isn't in the zone any more, or with a device that
  /// is revoked in it, and of which this device has put no copy: whoever wrote them may still alter
  /// or remove them.
  func uncopied(except members: Set<UserID>, _ revoked: Set<Author>) throws -> [UInt64] {
    var query = try query(
      """
      SELECT e.sequence, a.user, a.device FROM entry e JOIN author a ON a.number = e.author
      WHERE e.zone = ? AND e.copied = 0 AND e.sequence >= ? ORDER BY e.sequence
      """)
    // Below a floor nothing is copied.
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

  /// The places of the entries that raised the epoch and have another entry behind them.
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

  /// The epoch that the last entry ended, and its place; nil if it raised none.
  func lastRaise() throws -> (epoch: UInt64, sequence: UInt64)? {
    guard let epoch = try epoch(at: header.sequence), epoch > 0, header.epoch > epoch else {
      return nil
    }
    return (epoch, header.sequence)
  }

  /// Notes that nobody knows which copies stand in the container.
  func forgetCopied() throws {
    let query = try query("UPDATE entry SET copied = 0 WHERE zone = ? AND copied != 0")
    try query.run()
  }

  /// Notes that copies of these entries stand in the container.
  func noteCopied(_ places: [UInt64]) throws {
    for place in places {
      var query = try query("UPDATE entry SET copied = 1 WHERE zone = ? AND sequence = ?")
      query.bind(Int64(place))
      try query.run()
    }
  }

  /// The name under which a folded entry of a public zone stands.
  func name(at sequence: UInt64) throws -> String? {
    var query = try query("SELECT name FROM entry WHERE zone = ? AND sequence = ?")
    query.bind(Int64(sequence))
    return try query.next() ? query.text(0) : nil
  }

  /// Where a folded entry stands; nil if it can't be told.
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
