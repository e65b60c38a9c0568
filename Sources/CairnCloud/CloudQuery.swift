/// A search for records of one type in a zone (CKQuery).
public struct CloudQuery: Sendable {
  /// A condition on the fields of a record (NSPredicate).
  public indirect enum Filter: Hashable, Sendable {
    /// Every record.
    case all
    /// Records whose field compares so with a value of the same kind.
    case field(String, Comparison, FieldValue)
    /// Records whose text contains a text, or whose list contains a value.
    case contains(String, FieldValue)
    /// Records that meet all of the conditions.
    case and([Filter])
    /// Records that meet one of the conditions.
    case or([Filter])
    /// Records that don't meet the condition.
    case not(Filter)
  }

  /// The comparisons of a field with a value.
  public enum Comparison: Hashable, Sendable, CaseIterable {
    /// Equal.
    case equal
    /// Less.
    case less
    /// Less or equal.
    case lessOrEqual
    /// Greater.
    case greater
    /// Greater or equal.
    case greaterOrEqual
    /// A text that begins with the value.
    case begins
  }

  /// One rule of the order (NSSortDescriptor).
  public struct Sort: Hashable, Sendable {
    let field: String
    let descending: Bool

    /// Creates a rule. Records without the field come first.
    public init(_ field: String, descending: Bool = false) {
      (self.field, self.descending) = (field, descending)
    }
  }

  /// The position after a page of results (CKQueryOperation.Cursor). It stays valid while records
  /// change: the next page has the records behind this position as of then.
  public struct Cursor: Hashable, Sendable {
    let last: CloudRecord
  }

  let type: String
  let filter: Filter
  let sort: [Sort]

  /// Creates a query. Records that are equal by all rules are in the order of their ids.
  public init(_ type: String, where filter: Filter = .all, sort: [Sort] = []) {
    (self.type, self.filter, self.sort) = (type, filter, sort)
  }

  /// Returns one page of the records that match.
  func page(
    of records: [CloudRecord], limit: Int?, after cursor: Cursor?
  ) -> (records: [CloudRecord], next: Cursor?) {
    let found = records.filter { record in
      filter.holds(for: record) && cursor.map { isOrdered($0.last, record) } ?? true
    }.sorted { isOrdered($0, $1) }
    guard let limit, found.count > limit else { return (found, nil) }
    let page = Array(found.prefix(max(0, limit)))
    return (page, page.last.map { Cursor(last: $0) } ?? cursor)
  }

  private func isOrdered(_ left: CloudRecord, _ right: CloudRecord) -> Bool {
    for rule in sort {
      let (one, two) = (left[rule.field], right[rule.field])
      if FieldValue.isOrdered(one, two) { return !rule.descending }
      if FieldValue.isOrdered(two, one) { return rule.descending }
    }
    return left.id < right.id
  }
}

extension CloudQuery.Filter {
  func holds(for record: CloudRecord) -> Bool {
    switch self {
    case .all: true
    case .field(let name, let comparison, let value):
      record[name].map { comparison.holds($0, value) } ?? false
    case .contains(let name, let value):
      switch (record[name], value) {
      case (.list(let values)?, _): values.contains(value)
      case (.text(let text)?, .text(let part)): text.contains(part)
      default: false
      }
    case .and(let all): all.allSatisfy { $0.holds(for: record) }
    case .or(let any): any.contains { $0.holds(for: record) }
    case .not(let other): !other.holds(for: record)
    }
  }
}

extension CloudQuery.Comparison {
  func holds(_ field: FieldValue, _ value: FieldValue) -> Bool {
    guard field.kind == value.kind else { return false }
    return switch self {
    case .equal: field == value
    case .less: FieldValue.isOrdered(field, value)
    case .lessOrEqual: !FieldValue.isOrdered(value, field)
    case .greater: FieldValue.isOrdered(value, field)
    case .greaterOrEqual: !FieldValue.isOrdered(field, value)
    case .begins: value.string.map { field.string?.hasPrefix($0) ?? false } ?? false
    }
  }
}

extension FieldValue {
  /// The order of the kinds.
  fileprivate var kind: Int {
    switch self {
    case .boolean: 1
    case .integer: 2
    case .number: 3
    case .date: 4
    case .text: 5
    case .bytes: 6
    case .reference: 7
    case .location: 8
    case .asset: 9
    case .list: 10
    }
  }

  /// Returns whether one value is before another one. No value is before every value.
  fileprivate static func isOrdered(_ left: FieldValue?, _ right: FieldValue?) -> Bool {
    guard let left, let right else { return left == nil && right != nil }
    switch (left, right) {
    case (.boolean(let one), .boolean(let two)): return !one && two
    case (.integer(let one), .integer(let two)): return one < two
    case (.number(let one), .number(let two)): return one < two
    case (.date(let one), .date(let two)): return one < two
    case (.text(let one), .text(let two)): return one < two
    case (.bytes(let one), .bytes(let two)): return one.lexicographicallyPrecedes(two)
    case (.reference(let one), .reference(let two)): return one < two
    case (.location(let north, let east), .location(let otherNorth, let otherEast)):
      return (north, east) < (otherNorth, otherEast)
    case (.asset(let one), .asset(let two)): return (one.size, one.digest) < (two.size, two.digest)
    case (.list(let one), .list(let two)):
      return one.lexicographicallyPrecedes(two) { isOrdered($0, $1) }
    default: return left.kind < right.kind
    }
  }
}
