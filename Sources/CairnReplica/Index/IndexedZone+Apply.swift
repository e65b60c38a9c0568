import CairnIdentity
import CairnIndex
import CairnZone

/// The changes of several tables in one transaction.
extension IndexedZone {
  /// Stores the changes of a valid commit, and its entry.
  /// - Parameters:
  ///   - delta: The changes.
  ///   - author: The signer of the entry.
  ///   - time: The author's clock, in nanoseconds since 1970.
  ///   - epoch: The epoch of its seal.
  /// - Throws: errors of SQLite.
  func apply(_ delta: Delta, by author: Author, time: Int64, epoch: UInt64) throws {
    let (records, versions, chunks) = (records, versions, chunks)
    var authors = AuthorTable(rows)
    let sequence = delta.header.sequence
    let by = try authors.number(of: author.user, author.device)
    try listings.apply(delta) { try records.record($0) }
    // Most zones have neither, so that nothing needs to be removed for each record and chunk.
    let hasDeletions = try !delta.saved.isEmpty && records.hasDeletions()
    let hasPast = try !delta.chunks.isEmpty && chunks.hasPast()
    // In this order they are adjacent in the index.
    for (id, record) in delta.saved.sorted(by: { $0.key < $1.key }) {
      // A new record has no version that ends here.
      if record.created.sequence != sequence {
        let ending: RecordVersion.Ending = delta.left[id] == nil ? .changed : .moved
        try versions.keep(of: id, ending, at: sequence, by, time)
      }
      try records.save(id, record, &authors, mayBeDeleted: hasDeletions)
    }
    for id in delta.deleted.keys {
      try versions.keep(of: id, .deleted, at: sequence, by, time)
      try records.delete(id, at: sequence)
    }
    for chunk in delta.chunks {
      try chunks.save(chunk, by: by, "INSERT OR IGNORE")
      if hasPast { try chunks.dropPast(chunk.name) }
    }
    for chunk in delta.movedChunks {
      try chunks.save(chunk, by: by, "INSERT OR REPLACE")
    }
    try takePast(delta)
    try advance(to: delta.header, epoch: epoch, author: by, time: time)
  }

  /// The same for an opened commit.
  func apply(_ delta: Delta, of commit: Commit, epoch: UInt64) throws {
    try apply(delta, by: commit.author, time: commit.time, epoch: epoch)
    if let reversal = commit.reversal { try log.note(reversal, at: delta.header.sequence) }
  }

  /// Stores the entry at the header's position.
  /// - Parameters:
  ///   - header: The zone's header after the entry.
  ///   - epoch: The epoch of its seal.
  ///   - author: The number of its signer; nil if unknown.
  ///   - time: The author's clock; nil if unknown.
  /// - Throws: errors of SQLite.
  func advance(
    to header: ZoneHeader, epoch: UInt64, author: Int64? = nil, time: Int64? = nil
  ) throws {
    var zone = try Query(
      rows.db,
      """
      UPDATE zone SET sequence = ?, head = ?, header = ? WHERE number = ?
      """)
    zone.bind(Int64(header.sequence))
    zone.bind(header.head)
    zone.bind(IndexRow.encode(header))
    zone.bind(rows.number)
    try zone.run()
    try log.add(header.sequence, header.head, epoch: epoch, author: author, time: time)
  }

  /// Stores a delta's statements about the history, after all others.
  private func takePast(_ delta: Delta) throws {
    if delta.header.history != header.history {
      try ages.notePolicy(in: delta.header, at: WallClock.seconds)
    }
    for forgetting in delta.forgotten { try forget(forgetting) }
    if delta.closesPast, let closing = delta.header.closings.last {
      try chunks.close(closing, keeping: chunkUse.live())
    }
    if let retirement = delta.retirement { try close(retirement) }
    if delta.forgottenDeletions > 0 {
      try records.forgetDeletions(through: delta.forgottenDeletions)
    }
    if let floor = delta.header.floor, floor != header.floor {
      try keptEntries.dropForgotten(below: floor.checkpoint)
      try forgotten.drop(below: floor.checkpoint)
      try log.dropCheckpoints(through: floor.checkpoint)
    }
    guard delta.isCheckpoint else { return }
    try log.noteCheckpoint(digest(under: delta.header), at: delta.header.sequence)
  }

  private func close(_ retirement: Retirement) throws {
    var gone = try chunks.closed(by: retirement)
    if retirement.dropsInline { gone += try chunkUse.deadInsideEntries() }
    try chunks.drop(gone)
    try chunks.dropPast(closedBy: retirement)
    try chunks.keepOnly(retirement.kept)
  }

  /// Drops versions that the owner erased, and notes their chunks. They leave the past at once, and
  /// bytes that nothing else needs leave the zone with the next closing of packs.
  private func forget(_ forgetting: Forgetting) throws {
    for place in forgetting.versions.sorted() {
      guard let chunks = try versions.chunks(of: forgetting.record, began: place) else { continue }
      try forgotten.note(chunks, at: place)
      try versions.drop(forgetting.record, began: place)
    }
    // A chunk outside packs needs no pack to be closed. The state decides about the zone's own
    // chunks.
    for name in try chunkUse.forgottenChunks() {
      if let entry = try chunks.pastEntry(name), entry.pack == nil { try chunks.dropPast(name) }
    }
  }

  /// Forgets everything that was replayed, and the keys, so that the log is read from its
  /// beginning.
  public func erase() throws {
    try listings.dropAll()
    for table in Self.tables {
      try rows.query("DELETE FROM \(table) WHERE zone = ?").run()
    }
    var query = try rows.query(
      "UPDATE zone SET sequence = 0, head = ?2, header = ?3 WHERE number = ?1")
    query.bind(Bytes32.zero)
    query.bind(IndexRow.encode(ZoneHeader(zone: header.zone, kind: header.kind)))
    try query.run()
  }

  /// The tables with the zone's number, except the one with its row.
  static let tables =
    RecordTable.tables + VersionTable.tables + ChunkTable.tables + LooseChunkTable.tables
    + ForgottenTable.tables + LogTable.tables + KeptEntryTable.tables + AgeTable.tables
    + ListingTable.tables
}
