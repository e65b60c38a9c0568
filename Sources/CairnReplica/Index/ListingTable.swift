import CairnIndex
import CairnZone

/// The lists of typed records in the orders that queries asked for. It owns the tables `listing`
/// and `listed`. A list is built at the first query, follows each change of the records in the same
/// transaction, and can be dropped at any time. It must not know the conditions of queries.
struct ListingTable {
  /// The tables with the zone's number. The rows of `listed` have the number of their list.
  static let tables = ["listing"]
  /// The maximum number of lists of a zone; the oldest is dropped first.
  static let most = 16

  let rows: ZoneRows

  /// Returns the number of the list in an order; nil if there is none.
  func number(of order: RecordOrder) throws -> Int64? {
    var query = try rows.query(
      "SELECT number FROM listing WHERE zone = ? AND type = ? AND rules = ?")
    query.bind(IndexRow.text(.typed(order.type)))
    query.bind(Self.encode(order.rules))
    return try query.next() ? query.integer(0) : nil
  }

  /// Builds the list in an order, unless it is there.
  func build(_ order: RecordOrder) throws {
    guard try number(of: order) == nil else { return }
    try dropOldest(keeping: Self.most - 1)
    let keys = try keys(in: order).sorted { $0.lexicographicallyPrecedes($1) }
    var list = try rows.query("INSERT INTO listing (zone, type, rules) VALUES (?, ?, ?)")
    list.bind(IndexRow.text(.typed(order.type)))
    list.bind(Self.encode(order.rules))
    try list.run()
    let number = rows.db.lastRow
    for key in keys { try insert(key, number) }
  }

  private func keys(in order: RecordOrder) throws -> [[UInt8]] {
    var query = try rows.query("SELECT id, fields FROM record WHERE zone = ? AND type = +?")
    query.bind(IndexRow.text(.typed(order.type)))
    var keys: [[UInt8]] = []
    while try query.next() {
      guard let id = query.id(0) else { throw IndexRow.damaged("record id") }
      keys.append(order.key(of: id, try query.bytes(1).map(IndexRow.decodeFields) ?? [:]))
    }
    return keys
  }

  /// Changes the lists as the records will change. The records must still be the former ones.
  /// - Parameters:
  ///   - delta: The changes.
  ///   - former: A function that returns a former record.
  /// - Throws: errors of SQLite.
  func apply(_ delta: Delta, _ former: (RecordID) throws -> Record?) throws {
    guard
      delta.saved.values.contains(where: \.isTyped)
        || delta.deleted.values.contains(where: \.isTyped)
    else { return }
    for (number, order) in try orders() {
      for (id, record) in delta.saved {
        guard let key = order.key(of: record) else { continue }
        let old = try former(id).flatMap { order.key(of: $0) }
        guard key != old else { continue }
        if let old { try remove(old, number) }
        try insert(key, number)
      }
      for id in delta.deleted.keys {
        if let old = try former(id).flatMap({ order.key(of: $0) }) { try remove(old, number) }
      }
    }
  }

  private func insert(_ key: [UInt8], _ number: Int64) throws {
    var query = try Query(rows.db, "INSERT OR IGNORE INTO listed (listing, key) VALUES (?, ?)")
    query.bind(number)
    query.bind(key)
    try query.run()
  }

  private func remove(_ key: [UInt8], _ number: Int64) throws {
    var query = try Query(rows.db, "DELETE FROM listed WHERE listing = ? AND key = ?")
    query.bind(number)
    query.bind(key)
    try query.run()
  }

  private func orders() throws -> [(number: Int64, order: RecordOrder)] {
    var query = try rows.query(
      "SELECT number, type, rules FROM listing WHERE zone = ? ORDER BY number")
    var found: [(number: Int64, order: RecordOrder)] = []
    while try query.next() {
      guard let type = query.text(1), let rules = try Self.decode(query.bytes(2) ?? []) else {
        throw IndexRow.damaged("order of records")
      }
      found.append((query.integer(0), RecordOrder(String(type.dropFirst()), by: rules)))
    }
    return found
  }

  private static func encode(_ rules: [RecordOrder.Rule]) -> [UInt8]? {
    IndexRow.encode([
      "rules": .list(rules.map { .text(($0.isDescending ? "-" : "+") + $0.field) })
    ])
  }

  private static func decode(_ bytes: [UInt8]) throws -> [RecordOrder.Rule]? {
    guard case .list(let rules)? = try IndexRow.decodeFields(bytes)["rules"] else { return nil }
    return rules.compactMap { rule in
      guard case .text(let text) = rule else { return nil }
      return RecordOrder.Rule(String(text.dropFirst()), isDescending: text.hasPrefix("-"))
    }
  }

  // MARK: Dropping

  /// Drops all lists: the records change at once.
  func dropAll() throws { try dropOldest(keeping: 0) }

  private func dropOldest(keeping count: Int) throws {
    for number in try orders().map(\.number).dropLast(count) {
      var keys = try Query(rows.db, "DELETE FROM listed WHERE listing = ?")
      keys.bind(number)
      try keys.run()
      var list = try rows.query("DELETE FROM listing WHERE zone = ? AND number = ?")
      list.bind(number)
      try list.run()
    }
  }
}

extension Record {
  fileprivate var isTyped: Bool { if case .typed = type { true } else { false } }
}
