import CairnIndex
import CairnZone

/// The present and former contents of records.
extension RecordHistory {
  /// Returns the chunks of a content that a record has, or had; nil if none is known.
  func chunks(of content: ContentID) throws -> [ChunkName]? {
    let tables = ["record INDEXED BY record_content", "past INDEXED BY past_content"]
    for table in tables {
      var query = try rows.query(
        "SELECT chunks FROM \(table) WHERE zone = ? AND content = ? LIMIT 1")
      query.bind(content.value)
      if try query.next() { return try IndexRow.chunks(query.bytes(0) ?? []) }
    }
    return nil
  }

  /// Returns whether the record has that content, or ever had it.
  func hadContent(_ content: ContentID, record id: RecordID) throws -> Bool {
    if try lastPlace(of: content, record: id) != nil { return true }
    var former = try rows.query(
      "SELECT 1 FROM former_content WHERE zone = ? AND content = ? AND id = ?")
    former.bind(content.value)
    former.bind(id)
    return try rows.has(former)
  }

  /// Returns whether the record had that content in an ended version that began before that place.
  func hadContent(
    _ content: ContentID, record id: RecordID, before place: UInt64
  ) throws -> Bool {
    var query = try rows.query(
      """
      SELECT 1 FROM past INDEXED BY past_content
      WHERE zone = ? AND content = ? AND id = ? AND changed < ?
      """)
    query.bind(content.value)
    query.bind(id)
    query.bind(Int64(clamping: place))
    return try rows.has(query)
  }

  /// Returns the last position in the log at which the record had that content; nil if it never had
  /// it.
  func lastPlace(of content: ContentID, record id: RecordID) throws -> UInt64? {
    var now = try rows.query("SELECT changed FROM record WHERE zone = ? AND id = ? AND content = ?")
    now.bind(id)
    now.bind(content.value)
    if try now.next() { return UInt64(bitPattern: now.integer(0)) }
    var query = try rows.query(
      """
      SELECT max(changed) FROM past INDEXED BY past_content
      WHERE zone = ? AND content = ? AND id = ?
      """)
    query.bind(content.value)
    query.bind(id)
    return try query.next() ? query.number(0).map { UInt64(bitPattern: $0) } : nil
  }

  /// Returns the commits that gave the record other content since it last had that one, the latest
  /// first.
  func contentChanges(of id: RecordID, after content: ContentID) throws -> [UInt64] {
    guard let last = try lastPlace(of: content, record: id) else { return [] }
    var query = try rows.query(
      """
      SELECT changed AS place, content FROM past
      WHERE zone = ?1 AND id = ?2 AND changed > ?3 AND content IS NOT NULL
      UNION ALL SELECT changed, content FROM record
      WHERE zone = ?1 AND id = ?2 AND changed > ?3 AND content IS NOT NULL
      ORDER BY place
      """)
    query.bind(id)
    query.bind(Int64(last))
    var (before, places): ([UInt8]?, [UInt64]) = (content.value.bytes, [])
    while try query.next() {
      let current = query.bytes(1)
      if current != before { places.append(UInt64(query.integer(0))) }
      before = current
    }
    return places.reversed()
  }

  /// Returns the change that introduced the record's present content. Later changes left it
  /// unchanged.
  func contentBegan(of record: Record, _ id: RecordID) throws -> UInt64? {
    guard let content = record.content else { return nil }
    var query = try rows.query(
      """
      SELECT min(changed) FROM past WHERE zone = ?1 AND id = ?2 AND changed > coalesce(
        (SELECT changed FROM past WHERE zone = ?1 AND id = ?2 AND content <> ?3
        ORDER BY changed DESC LIMIT 1), 0)
      """)
    query.bind(id)
    query.bind(content.id.value)
    let former = try query.next() ? query.number(0).map { UInt64($0) } : nil
    return former ?? record.changed.sequence
  }

  /// Returns whether any record has that content, or ever had it.
  func hasContent(_ content: ContentID) throws -> Bool {
    var now = try rows.query(
      "SELECT 1 FROM record INDEXED BY record_content WHERE zone = ? AND content = ?")
    now.bind(content.value)
    if try rows.has(now) { return true }
    var query = try rows.query(
      "SELECT 1 FROM past INDEXED BY past_content WHERE zone = ? AND content = ?")
    query.bind(content.value)
    return try rows.has(query)
  }

  /// Returns records that have, or had, that content with that time, at most `limit` of them. The
  /// query runs for each file of a new folder. It names its indexes, because SQLite would otherwise
  /// read all versions of the zone for the order.
  func records(
    thatHad content: ContentID, modified: Int64, limit: Int
  ) throws -> [RecordID] {
    var query = try rows.query(
      """
      SELECT id FROM record INDEXED BY record_content
      WHERE zone = ?1 AND content = ?2 AND modified = ?3
      UNION SELECT id FROM past INDEXED BY past_content
      WHERE zone = ?1 AND content = ?2 AND modified = ?3
      ORDER BY id LIMIT ?4
      """)
    query.bind(content.value)
    query.bind(modified)
    query.bind(Int64(limit))
    return try rows.recordIDs(query)
  }
}
