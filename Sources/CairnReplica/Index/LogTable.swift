import CairnIdentity
import CairnIndex
import CairnStore
import CairnZone

/// The entries of the log that were read here, the keys that open them, and the digests of states
/// at checkpoints. It owns the tables `entry`, `passed`, `checkpoint`, `swept` and `zone_key`. An
/// entry's digest never changes. `passed` is the statement of a snapshot about entries that nobody
/// read here; an entry that was read counts before it.
public struct LogTable {
  static let tables = ["entry", "passed", "checkpoint", "swept", "zone_key"]
  let rows: ZoneRows

  /// The keys from earlier entries or an invitation.
  public func keys() throws -> Keyring {
    var query = try rows.query("SELECT epoch, key FROM zone_key WHERE zone = ?")
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
      var query = try rows.query(
        "INSERT OR REPLACE INTO zone_key (zone, epoch, key) VALUES (?, ?, ?)")
      query.bind(Int64(key.epoch))
      query.bind(key.secret.copy())
      try query.run()
    }
  }

  /// The digest of an entry at its replay, or by the statement of a snapshot.
  public func digest(at sequence: UInt64) throws -> Bytes32? {
    guard sequence > 0 else { return .zero }
    var query = try rows.query("SELECT digest FROM entry WHERE zone = ? AND sequence = ?")
    query.bind(Int64(sequence))
    if try query.next() { return query.bytes32(0) }
    var passed = try rows.query("SELECT digests, last FROM passed WHERE zone = ? AND last >= ?")
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
    var query = try rows.query(
      "INSERT OR REPLACE INTO passed (zone, last, digests) VALUES (?, ?, ?)")
    query.bind(Int64(passed.last))
    query.bind(passed.bytes)
    try query.run()
  }

  /// The epoch of a replayed entry's seal, whose key names its position; nil for an entry that was
  /// never read here.
  public func epoch(at sequence: UInt64) throws -> UInt64? {
    var query = try rows.query("SELECT epoch FROM entry WHERE zone = ? AND sequence = ?")
    query.bind(Int64(sequence))
    return try query.next() ? UInt64(query.integer(0)) : nil
  }

  /// The position of the first entry of the restore or rewind that an entry belongs to.
  func act(at sequence: UInt64) throws -> UInt64? {
    var query = try rows.query("SELECT act FROM entry WHERE zone = ? AND sequence = ?")
    query.bind(Int64(clamping: sequence))
    return try query.next() ? query.number(0).map { UInt64($0) } : nil
  }

  /// The last entry of a device that was read here.
  func last(of device: DeviceID) throws -> UInt64? {
    var query = try rows.query(
      """
      SELECT sequence FROM entry WHERE zone = ?
      AND author IN (SELECT number FROM author WHERE device = ?) ORDER BY sequence DESC LIMIT 1
      """)
    query.bind(device.bytes)
    return try query.next() ? UInt64(query.integer(0)) : nil
  }

  /// The signer of a replayed entry; nil if the log does not reach it, or nobody knows.
  func author(at sequence: UInt64) throws -> Author? {
    var query = try rows.query(
      "SELECT a.user, a.device FROM entry e JOIN author a ON a.number = e.author "
        + "WHERE e.zone = ? AND e.sequence = ?")
    query.bind(Int64(sequence))
    guard try query.next() else { return nil }
    guard let user = query.bytes32(0), let device = DeviceID(bytes: query.bytes(1) ?? []) else {
      throw IndexRow.damaged("author")
    }
    return Author(user: UserID(user), device: device)
  }

  /// The name of a replayed entry of a public zone.
  func name(at sequence: UInt64) throws -> String? {
    var query = try rows.query("SELECT name FROM entry WHERE zone = ? AND sequence = ?")
    query.bind(Int64(sequence))
    return try query.next() ? query.text(0) : nil
  }

  /// The key of a replayed entry; nil if it is unknown.
  func place(of sequence: UInt64, in folder: ZoneFolder, _ keys: Keyring) throws -> ObjectKey? {
    if folder.kind == .public { return try name(at: sequence).map { folder.place(named: $0) } }
    return try epoch(at: sequence).flatMap { keys[$0] }.map { folder.place(sequence, $0) }
  }

  /// The positions of entries that raised the epoch, with another entry behind.
  func raises() throws -> [UInt64] {
    var query = try rows.query(
      """
      SELECT e.sequence FROM entry e
      JOIN entry n ON n.zone = e.zone AND n.sequence = e.sequence + 1
      WHERE e.zone = ? AND n.epoch > e.epoch AND e.epoch > 0 ORDER BY e.sequence
      """)
    var places: [UInt64] = []
    while try query.next() { places.append(UInt64(query.integer(0))) }
    return places
  }

  /// The digest of the state after the checkpoint at that position, as computed during replay.
  public func digest(ofCheckpoint sequence: UInt64) throws -> Bytes32? {
    var query = try rows.query("SELECT digest FROM checkpoint WHERE zone = ? AND sequence = ?")
    query.bind(Int64(bitPattern: sequence))
    return try query.next() ? query.bytes32(0) : nil
  }

  /// The position up to which entries below a log start are deleted; 0: none is.
  public func swept() throws -> UInt64 {
    var query = try rows.query("SELECT sequence FROM swept WHERE zone = ?")
    return try query.next() ? UInt64(query.integer(0)) : 0
  }
}
