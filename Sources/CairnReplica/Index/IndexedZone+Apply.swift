import CairnIdentity
import CairnIndex
import CairnStore
import CairnZone

extension IndexedZone {
  /// Stores the changes of a valid commit, and its entry.
  /// - Parameters:
  ///   - delta: The changes.
  ///   - author: The signer of the entry.
  ///   - time: The author's clock, in nanoseconds since 1970.
  ///   - epoch: The epoch of its seal.
  /// - Throws: errors of SQLite.
  func apply(_ delta: Delta, by author: Author, time: Int64, epoch: UInt64) throws {
    var authors: [DeviceID: (user: UserID, number: Int64)] = [:]
    let sequence = delta.header.sequence
    let by = try self.author(author.user, author.device)
    // In this order they are adjacent in the index.
    for (id, record) in delta.saved.sorted(by: { $0.key < $1.key }) {
      // A new record has no version that ends here.
      if record.created.sequence != sequence {
        let ending: RecordVersion.Ending = delta.left[id] == nil ? .changed : .moved
        try keepPast(of: id, ending, at: sequence, by, time)
      }
      try save(id, record, &authors)
    }
    for id in delta.deleted.keys {
      try keepPast(of: id, .deleted, at: sequence, by, time)
      try delete(id, at: sequence)
    }
    for chunk in delta.chunks {
      try save(chunk, by: by, "INSERT OR IGNORE")
      try dropPast(chunk.name)
    }
    for chunk in delta.movedChunks { try save(chunk, by: by, "INSERT OR REPLACE") }
    try takePast(delta)
    try advance(to: delta.header, epoch: epoch, author: by, time: time)
  }

  /// The same for an opened commit.
  func apply(_ delta: Delta, of commit: Commit, epoch: UInt64) throws {
    try apply(delta, by: commit.author, time: commit.time, epoch: epoch)
    if let reversal = commit.reversal { try note(reversal, at: delta.header.sequence) }
  }

  /// Notes the restore or rewind that a replayed entry belongs to.
  func note(_ reversal: ReversalNote, at sequence: UInt64) throws {
    var query = try query("UPDATE entry SET act = ?3 WHERE zone = ?1 AND sequence = ?2")
    query.bind(Int64(clamping: sequence))
    query.bind(Int64(clamping: reversal.first == 0 ? sequence : reversal.first))
    try query.run()
  }

  /// Notes the name of a replayed entry of a public zone.
  func name(_ key: ObjectKey, at sequence: UInt64) throws {
    var query = try query("UPDATE entry SET name = ?3 WHERE zone = ?1 AND sequence = ?2")
    query.bind(Int64(sequence))
    query.bind(ChainPlace.name(of: key))
    try query.run()
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
      db,
      """
      UPDATE zone SET sequence = ?, head = ?, header = ? WHERE number = ?
      """)
    zone.bind(Int64(header.sequence))
    zone.bind(header.head)
    zone.bind(IndexRow.encode(header))
    zone.bind(number)
    try zone.run()
    var entry = try query(
      """
      INSERT OR REPLACE INTO entry (zone, sequence, digest, epoch, author, time)
      VALUES (?, ?, ?, ?, ?, ?)
      """)
    entry.bind(Int64(header.sequence))
    entry.bind(header.head)
    entry.bind(Int64(epoch))
    entry.bind(author)
    entry.bind(time)
    try entry.run()
  }

  func save(_ chunk: ChunkEntry, by author: Int64, _ insert: String) throws {
    var query = try query(
      insert + " INTO chunk (zone, name, size, place, pack, generation, author) "
        + "VALUES (?, ?, ?, ?, ?, ?, ?)")
    query.bind(chunk.name.value)
    query.bind(Int64(chunk.size))
    query.bind(chunk.place)
    query.bind(chunk.pack?.pack.bytes)
    query.bind(chunk.pack.map { Int64($0.generation) })
    query.bind(author)
    try query.run()
  }

  func save(
    _ id: RecordID, _ record: Record, _ authors: inout [DeviceID: (user: UserID, number: Int64)]
  ) throws {
    let (created, changed) = (
      try author(record.created, &authors), try author(record.changed, &authors)
    )
    var query = try query(
      """
      INSERT OR REPLACE INTO record (zone, id, type, parent, name, content, size, chunks, target,
        executable, modified, fields, created, created_by, created_time,
        changed, changed_by, changed_time, attributes)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      """)
    query.bind(id)
    query.bind(IndexRow.text(record.type))
    query.bind((record.place?.parent).map(\.bytes))
    query.bind(record.place?.name.bytes)
    query.bind(record.content?.id.value)
    query.bind(record.content.map { Int64($0.size) })
    query.bind(record.content.map { IndexRow.chunkList($0) })
    query.bind(record.target)
    query.bind(record.attributes.isExecutable ? 1 : 0)
    query.bind(record.attributes.modified)
    query.bind(IndexRow.encode(record.fields))
    query.bind(Int64(record.created.sequence))
    query.bind(created)
    query.bind(record.created.time)
    query.bind(Int64(record.changed.sequence))
    query.bind(changed)
    query.bind(record.changed.time)
    query.bind(IndexRow.encode(record.attributes))
    try query.run()
    try forgetTombstone(id)
  }

  private func forgetTombstone(_ id: RecordID) throws {
    var query = try query("DELETE FROM tombstone WHERE zone = ? AND id = ?")
    query.bind(id)
    try query.run()
  }

  /// Keeps the present version of a record that changes or is deleted.
  private func keepPast(
    of id: RecordID, _ ending: RecordVersion.Ending, at sequence: UInt64, _ author: Int64,
    _ time: Int64
  ) throws {
    var query = try query(
      """
      INSERT OR REPLACE INTO past
      SELECT zone, id, type, parent, name, content, size, chunks, target, executable, modified,
        created, created_by, created_time, changed, changed_by, changed_time, attributes,
        ?3, ?4, ?5, ?6
      FROM record WHERE zone = ?1 AND id = ?2 AND parent IS NOT NULL
      """)
    query.bind(id)
    query.bind(Int64(sequence))
    query.bind(author)
    query.bind(time)
    query.bind(Int64(ending.rawValue))
    try query.run()
  }

  private func delete(_ id: RecordID, at sequence: UInt64) throws {
    var record = try query("DELETE FROM record WHERE zone = ? AND id = ?")
    record.bind(id)
    try record.run()
    var tombstone = try query(
      "INSERT OR REPLACE INTO tombstone (zone, id, sequence) VALUES (?, ?, ?)")
    tombstone.bind(id)
    tombstone.bind(Int64(sequence))
    try tombstone.run()
  }

  /// The number of an author; most changes of a commit have the same one.
  func author(
    _ stamp: Stamp, _ known: inout [DeviceID: (user: UserID, number: Int64)]
  ) throws -> Int64 {
    if let author = known[stamp.device], author.user == stamp.user { return author.number }
    let number = try author(stamp.user, stamp.device)
    known[stamp.device] = (stamp.user, number)
    return number
  }

  func author(_ user: UserID, _ device: DeviceID) throws -> Int64 {
    var find = try Query(db, "SELECT number FROM author WHERE user = ? AND device = ?")
    find.bind(user.value)
    find.bind(device.bytes)
    if try find.next() { return find.integer(0) }
    var author = try Query(db, "INSERT INTO author (user, device) VALUES (?, ?)")
    author.bind(user.value)
    author.bind(device.bytes)
    try author.run()
    return db.lastRow
  }
}
