import CairnIndex
public import CairnZone

/// The list of the records of one type in one order, valid only inside `Zone.read(by:)`.
public struct RecordListing {
  let state: IndexedZone
  let number: Int64

  private func query(_ sql: String, _ range: KeyRange) throws -> Query {
    var query = try Query(state.rows.db, sql)
    query.bind(number)
    query.bind(range.lower)
    query.bind(range.upper)
    return query
  }

  /// Returns whether at most a number of records are in a range.
  public func has(atMost limit: Int, in range: KeyRange) throws -> Bool {
    var query = try query(
      """
      SELECT 1 FROM listed WHERE listing = ?1 AND key >= ?2 AND (?3 IS NULL OR key < ?3)
      ORDER BY key LIMIT 1 OFFSET ?4
      """, range)
    query.bind(Int64(limit))
    return try !state.rows.has(query)
  }

  /// Returns values of the first records in a range, in their order. No further records are read.
  /// - Parameters:
  ///   - limit: The maximum number of values.
  ///   - range: The range of keys.
  ///   - body: A function that makes a value of a record; nil to skip the record.
  /// - Returns: The values, and the keys of their records.
  /// - Throws: `IndexFailure` if the index can't be read; the errors of `body`.
  public func first<Value>(
    _ limit: Int, in range: KeyRange, _ body: (Record) throws -> Value?
  ) throws -> [(key: [UInt8], value: Value)] {
    var found: [(key: [UInt8], value: Value)] = []
    var query = try query(
      """
      SELECT key FROM listed WHERE listing = ?1 AND key >= ?2 AND (?3 IS NULL OR key < ?3)
      ORDER BY key
      """, range)
    while found.count < limit, try query.next() {
      guard let key = query.bytes(0), let id = RecordID(bytes: key.suffix(16)),
        let record = try state.record(id)
      else { throw IndexRow.damaged("list of records") }
      if let value = try body(record) { found.append((key, value)) }
    }
    return found
  }
}

extension Zone {
  /// Reads the records of a type in an order, as of the last replay. At the first use of the order
  /// a list of the records is built.
  public func read<Result>(
    by order: RecordOrder, _ body: (RecordListing) throws -> Result
  ) throws -> Result {
    while true {
      let result: Result? = try read { view in
        let state = view.state
        guard let number = try state.listings.number(of: order) else { return nil }
        return try body(RecordListing(state: state, number: number))
      }
      if let result { return result }
      try index.write { db in
        try IndexedZone(db, zone: id, header: header).listings.build(order)
      }
    }
  }
}
