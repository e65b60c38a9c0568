import CairnIdentity
import CairnIndex
import CairnZone

/// Moves the log start of an own zone to the current end of the log: a checkpoint, the snapshot of
/// its state, the log start entry, and last the pointer to it. An interruption leaves unneeded
/// parts, or a log start without deletions.
public struct FloorRaise {
  /// The minimum number of entries that make a new log start worthwhile.
  public static let worthwhile: UInt64 = 1_024
  /// The maximum number of snapshot elements per entry. For a newcomer, an entry takes as long as
  /// some hundred elements, and a daily check rewrites most of a snapshot.
  private static let elementsOfEntry: UInt64 = 64

  let replica: ZoneReplica
  /// The current time in seconds since 1970.
  let clock: Int64

  /// Creates a value for a replica; `clock` is the current time in seconds since 1970.
  public init(_ replica: ZoneReplica, at clock: Int64) {
    self.replica = replica
    self.clock = clock
  }

  /// Returns whether there are enough entries for the size of a snapshot, which has each kept
  /// version. Also true if the container has no pointer to the log start in force.
  /// - Parameter least: The minimum number of entries.
  /// - Returns: the result.
  /// - Throws: errors of SQLite, and `CloudError` if the container cannot be read.
  public func isDue(after least: UInt64) throws -> Bool {
    let header = replica.header
    if let floor = header.floor,
      try !Floors(folder: replica.folder, store: replica.store).stands(floor, replica.keys)
    {
      return true
    }
    let entries = header.sequence - (header.floor?.checkpoint ?? 0)
    guard entries >= least else { return false }
    let records = try replica.index.read { db in
      let state = try IndexedZone(db, zone: replica.zone, header: header)
      return try state.recordCount(withPast: try state.ages.retention(at: clock).keepsAll)
    }
    return entries >= records / Self.elementsOfEntry
  }

  /// Moves the log start.
  /// - Returns: false if another device started the next epoch meanwhile: then it is tried another
  ///   time.
  /// - Throws: `CloudError`, with `.permissionFailure` for anybody but the owner.
  public func raise() throws -> Bool {
    let header = try replica.commitAnyway(share: [.zone(.checkpoint)])
    guard let key = replica.keys[header.epoch] else { return false }
    let writer = SnapshotWriter(folder: replica.folder, store: replica.store, key: key)
    // Nothing is applied in between, so the index contains the state after the checkpoint.
    let (lists, hidden, passed, noted, forgotten) = try replica.index.read { db in
      let state = try IndexedZone(db, zone: replica.zone, header: header)
      let retention = try state.ages.retention(at: clock)
      return (
        try writer.write(state, retention),
        try writer.writeHidden(state, retention, replica.keys),
        try PassedPositions(upTo: header.sequence) { try state.log.digest(at: $0) },
        try state.digest(ofCheckpoint: header.sequence), retention.forgotten
      )
    }
    guard let hidden else { throw Self.unknownPast }
    let digest = StateDigest.digest(header, lists: Array(lists.prefix(4)))
    precondition(noted == digest, "the state at a checkpoint is what its snapshot was made of")
    let floor = Floor(
      checkpoint: header.sequence, digest: digest,
      forgotten: max(header.floor?.forgotten ?? 0, min(forgotten, header.sequence)),
      past: Snapshot.past(versions: lists[4], passed, hidden))
    guard let raised = try commit(floor, in: key.epoch) else { return false }
    var snapshot = Snapshot(
      entry: raised.entry, place: raised.place, header: header, lists: lists, passed: passed,
      hidden: hidden)
    let floors = Floors(folder: replica.folder, store: replica.store)
    snapshot.first = try floors.firstEntries(replica.keys).first(where: isFirst) ?? []
    try writer.put(snapshot)
    return true
  }

  private static let unknownPast = CloudError(
    .permissionFailure, "this device hasn't the keys of all that is kept of the zone's past",
    remedy: "do it on another device of yours")

  /// Returns whether these bytes are the log's first entry, as far as this device knows it.
  private func isFirst(_ bytes: [UInt8]) throws -> Bool {
    let digest = try replica.index.read { db in
      try IndexedZone(db, zone: replica.zone, header: replica.header).log.digest(at: 1)
    }
    return digest.map { $0 == EntryCodec.digest(of: bytes) } ?? true
  }

  private func commit(
    _ floor: Floor, in epoch: UInt64
  ) throws -> (entry: [UInt8], place: UInt64)? {
    try whileOvertaken {
      _ = try replica.pull()
      guard replica.header.epoch == epoch else { return nil }
      let header = try replica.commit(
        records: [], share: [.zone(.floor(floor))], expecting: replica.header.sequence)
      let entry = try replica.index.read { db in
        try IndexedZone(db, zone: replica.zone, header: header).keptEntries.bytes(
          at: header.sequence)
      }
      return entry.map { ($0, header.sequence) }
    }
  }
}

extension IndexedZone {
  /// The number of records and chunks in the zone, and of versions, if all of them are kept.
  fileprivate func recordCount(withPast: Bool) throws -> UInt64 {
    var count: UInt64 = 0
    for table in ["record", "chunk"] + (withPast ? ["past"] : []) {
      var query = try rows.query("SELECT count(*) FROM \(table) WHERE zone = ?")
      if try query.next() { count += UInt64(query.integer(0)) }
    }
    return count
  }
}
