import CairnIndex
import CairnZone

/// A zone's state in an index file, inside one transaction: replay reads it, and deltas are stored
/// in it. Each table belongs to one type below; this one owns the zone's row in `zone`, and does
/// everything that changes several tables at once. The row has the header after the last entry of
/// the log table. It must not know the source of commits.
public struct IndexedZone: ZoneState {
  /// The rows of the zone.
  public let rows: ZoneRows
  /// The header of the zone at the beginning of the transaction.
  public let header: ZoneHeader

  /// Reads the zone's header, and creates its row at the first call.
  public init(_ db: IndexConnection, zone: ZoneID, kind: ZoneKind = .owned) throws {
    if let stored = try IndexRow.zone(zone, db) {
      rows = ZoneRows(db: db, number: stored.number)
      header = stored.header
    } else {
      header = ZoneHeader(zone: zone, kind: kind)
      var query = try Query(
        db, "INSERT INTO zone (zone, sequence, head, header) VALUES (?, 0, ?, ?)")
      query.bind(zone.value)
      query.bind(Bytes32.zero)
      query.bind(IndexRow.encode(header))
      try query.run()
      rows = ZoneRows(db: db, number: db.lastRow)
    }
  }

  /// Reads the zone's header; without a row it is the empty one. `known` avoids the read if the
  /// zone is still at the same position: position and digest determine a header.
  public init(reading db: IndexConnection, zone: ZoneID, known: ZoneHeader? = nil) throws {
    if let known, known.sequence > 0 {
      var place = try Query(db, "SELECT number, sequence, head FROM zone WHERE zone = ?")
      place.bind(zone.value)
      if try place.next(), place.integer(1) == Int64(known.sequence),
        place.bytes32(2) == known.head
      {
        rows = ZoneRows(db: db, number: place.integer(0))
        header = known
        return
      }
    }
    let stored = try IndexRow.zone(zone, db)
    rows = ZoneRows(db: db, number: stored?.number ?? 0)
    header = stored?.header ?? ZoneHeader(zone: zone)
  }

  /// A view with a header that is newer than the row, or was read before.
  public init(_ db: IndexConnection, zone: ZoneID, header: ZoneHeader) throws {
    self.header = header
    let number = try db.rowNumber(of: zone.value) {
      var query = try Query(db, "SELECT number FROM zone WHERE zone = ?")
      query.bind(zone.value)
      return try query.next() ? query.integer(0) : nil
    }
    guard let number else { throw IndexRow.damaged("zone") }
    rows = ZoneRows(db: db, number: number)
  }

  // MARK: Tables

  /// The records and deletions.
  public var records: RecordTable { RecordTable(rows: rows) }
  /// The lists of typed records for queries.
  var listings: ListingTable { ListingTable(rows: rows) }
  /// The ended versions of records.
  public var versions: VersionTable { VersionTable(rows: rows) }
  /// The present and ended versions together.
  public var history: RecordHistory { RecordHistory(rows) }
  /// The chunks and kept packs.
  public var chunks: ChunkTable { ChunkTable(rows: rows) }
  /// The chunks of erased versions.
  public var forgotten: ForgottenTable { ForgottenTable(rows: rows) }
  /// The records and versions that need chunks.
  public var chunkUse: ChunkUse { ChunkUse(rows) }
  /// The entries of the log, keys and checkpoints.
  public var log: LogTable { LogTable(rows: rows) }
  /// The stored bytes of entries.
  var keptEntries: KeptEntryTable { KeptEntryTable(rows: rows) }
  /// The ages of positions, and history policies.
  public var ages: AgeTable { AgeTable(rows: rows) }

  // MARK: The state for replay

  /// The record; nil if it is unknown or deleted.
  public func record(_ id: RecordID) throws -> Record? { try records.record(id) }

  /// The record with that name in that directory.
  public func child(of parent: RecordID, named name: FileName) throws -> RecordID? {
    try records.child(of: parent, named: name)
  }

  /// Up to `limit` records in that directory, in the order of their ids, after `after`.
  public func children(of parent: RecordID, after: RecordID?, limit: Int) throws -> [RecordID] {
    try records.children(of: parent, after: after, limit: limit)
  }

  /// Returns whether content may refer to that chunk.
  public func hasChunk(_ name: ChunkName) throws -> Bool { try chunks.has(name) }

  /// The number of plaintext bytes of a chunk; nil if the zone does not have it.
  public func size(ofChunk name: ChunkName) throws -> UInt32? { try chunks.size(of: name) }

  /// Returns a chunk of the zone.
  public func chunk(_ name: ChunkName) throws -> ChunkEntry? { try chunks.entry(name) }

  /// The digest of the state after the checkpoint at that position, as computed during replay.
  public func digest(ofCheckpoint sequence: UInt64) throws -> Bytes32? {
    try log.digest(ofCheckpoint: sequence)
  }

  /// Returns whether a pack older than the open ones is kept.
  public func keepsPack(_ pack: PackName) throws -> Bool { try chunks.keeps(pack) }

  /// A live record with a chunk in a pack that `retirement` would close.
  public func record(closedOutBy retirement: Retirement) throws -> RecordID? {
    try chunkUse.record(closedOutBy: retirement)
  }

  // MARK: The end of the log

  /// The ids of records changed or deleted after `sequence`, at most `limit`, in the order of their
  /// last change, with the sequence up to which the list is complete.
  func changes(after sequence: UInt64, limit: Int) throws -> (ids: [RecordID], through: UInt64) {
    try records.changes(after: sequence, upTo: header.sequence, limit: limit)
  }

  /// The epoch that the last entry ended, and its position; nil if it raised none.
  func lastRaise() throws -> (epoch: UInt64, sequence: UInt64)? {
    guard let epoch = try log.epoch(at: header.sequence), epoch > 0, header.epoch > epoch else {
      return nil
    }
    return (epoch, header.sequence)
  }
}
