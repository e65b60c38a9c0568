import CairnReplica
import CairnZone

/// The way to the records of a query: a list of records in an order, and the part of the list that
/// must be read.
struct QueryPlan {
  /// The order of the results. Fields that must be equal to a value are the first ones.
  let order: RecordOrder
  /// The keys of all results in the order.
  private(set) var range: KeyRange
  /// A list by a field that the conditions name and the order doesn't: it may have few records. Nil
  /// if there is no such field.
  private(set) var detour: (order: RecordOrder, range: KeyRange)?

  init(_ query: CloudQuery) {
    let conditions = query.filter.required
    var equal: [String: FieldValue] = [:]
    for condition in conditions where condition.comparison == .equal {
      equal[condition.field] = equal[condition.field] ?? condition.value
    }
    let first = equal.keys.sorted()
    let beginning = first.flatMap { equal[$0]?.sortKey ?? [] }
    var rules = first.map { RecordOrder.Rule($0) }
    for rule in query.sort where !rules.contains(where: { $0.field == rule.field }) {
      rules.append(RecordOrder.Rule(rule.field, isDescending: rule.descending))
    }
    order = RecordOrder(query.type, by: rules)
    range = KeyRange(of: beginning)
    let open = conditions.filter { equal[$0.field] == nil }
    if let next = rules.dropFirst(first.count).first,
      let narrow = Self.range(open, on: next, behind: beginning)
    {
      range = narrow
    } else if let other = open.first.map({ RecordOrder.Rule($0.field) }),
      let narrow = Self.range(open, on: other, behind: beginning)
    {
      let rules = rules.prefix(first.count) + [other]
      detour = (RecordOrder(query.type, by: Array(rules)), narrow)
    }
  }

  /// A Boolean value that indicates whether all records of the type must be read.
  var isWhole: Bool { range.lower.isEmpty && detour == nil }

  /// Returns the keys that begin with bytes, and then meet all conditions on one field; nil if
  /// there are none on it.
  private static func range(
    _ conditions: [CloudQuery.Filter.Condition], on rule: RecordOrder.Rule,
    behind beginning: [UInt8]
  ) -> KeyRange? {
    let parts = conditions.filter { $0.field == rule.field }.compactMap { $0.range }
    guard !parts.isEmpty else { return nil }
    return parts.reduce(KeyRange(of: beginning)) { range, part in
      var part = part
      if rule.isDescending, let upper = part.upper {
        // All keys below `upper` are behind those that begin with it in the other direction.
        let lower = KeyRange.end(of: upper.map { ~$0 }) ?? []
        part = KeyRange(from: lower, below: KeyRange.end(of: part.lower.map { ~$0 }))
      }
      return range.intersection(
        KeyRange(from: beginning + part.lower, below: part.upper.map { beginning + $0 }))
    }
  }
}

extension CloudQuery.Filter {
  /// A comparison of a field with a value.
  struct Condition {
    let field: String
    let comparison: CloudQuery.Comparison
    let value: FieldValue

    /// The range of the keys of values that meet the condition; nil if none does.
    var range: KeyRange? {
      let key = value.sortKey
      let kind = Array(key.prefix(1))
      return switch comparison {
      case .equal: KeyRange(of: key)
      case .less: KeyRange(from: kind, below: key)
      case .lessOrEqual: KeyRange(from: kind, below: KeyRange.end(of: key))
      case .greater: KeyRange(from: KeyRange.end(of: key) ?? key, below: KeyRange.end(of: kind))
      case .greaterOrEqual: KeyRange(from: key, below: KeyRange.end(of: kind))
      case .begins:
        value.string.map { KeyRange(of: CairnZone.FieldValue.sortKey(ofTextsWith: $0)) }
      }
    }
  }

  /// The comparisons that each matching record meets.
  var required: [Condition] {
    switch self {
    case .field(let field, let comparison, let value):
      [Condition(field: field, comparison: comparison, value: value)]
    case .and(let all): all.flatMap(\.required)
    case .all, .contains, .or, .not: []
    }
  }
}

extension CloudQuery {
  /// The maximum number of records that a detour may have if only a page is asked for.
  private static let few = 1_000

  /// Returns one page of the records that match.
  func page(
    in zone: Zone, limit: Int?, after cursor: Cursor?
  ) throws -> (records: [CloudRecord], next: Cursor?) {
    let plan = QueryPlan(self)
    let limit = limit.map { max(0, $0) }
    let found: [(key: [UInt8], value: CloudRecord)]
    if let records = try unordered(plan, in: zone, isPage: limit != nil) {
      found = records.compactMap { record in
        guard let key = plan.order.key(of: record), isBehind(cursor, key) else { return nil }
        return match(record).map { (key, $0) }
      }.sorted { $0.key.lexicographicallyPrecedes($1.key) }
    } else {
      var range = plan.range
      if let cursor { range = range.intersection(KeyRange(from: cursor.key + [0], below: nil)) }
      // One more shows whether there is a next page.
      let most = limit.map { $0 + 1 } ?? .max
      found = try zone.read(by: plan.order) { try $0.first(most, in: range) { match($0) } }
    }
    guard let limit, found.count > limit else { return (found.map(\.value), nil) }
    let page = found.prefix(limit)
    return (page.map(\.value), page.last.map { Cursor(key: $0.key) } ?? cursor)
  }

  /// Returns records with all results among them, in any order; nil if these are too many for one
  /// page.
  private func unordered(_ plan: QueryPlan, in zone: Zone, isPage: Bool) throws -> [Record]? {
    guard let detour = plan.detour else {
      return isPage || !plan.isWhole ? nil : try zone.read { try $0.typedRecords(type) }
    }
    return try zone.read(by: detour.order) { list -> [Record]? in
      guard try !isPage || list.has(atMost: Self.few, in: detour.range) else { return nil }
      return try list.first(.max, in: detour.range) { $0 }.map(\.value)
    }
  }

  private func match(_ record: Record) -> CloudRecord? {
    CloudRecord(record).flatMap { filter.holds(for: $0) ? $0 : nil }
  }

  private func isBehind(_ cursor: Cursor?, _ key: [UInt8]) -> Bool {
    cursor.map { $0.key.lexicographicallyPrecedes(key) } ?? true
  }
}
