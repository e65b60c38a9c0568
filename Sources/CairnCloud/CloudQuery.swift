import CairnZone

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
    /// The key of the last record in the order of the query.
    let key: [UInt8]
  }

  let type: String
  let filter: Filter
  let sort: [Sort]

  /// Creates a query. Records that are equal by all rules are in the order of their ids. Text is
  /// in the order of its UTF-8 bytes.
  public init(_ type: String, where filter: Filter = .all, sort: [Sort] = []) {
    (self.type, self.filter, self.sort) = (type, filter, sort)
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
    if self == .begins {
      guard let text = field.string, let beginning = value.string else { return false }
      return text.utf8.starts(with: beginning.utf8)
    }
    let (one, two) = (field.sortKey, value.sortKey)
    // The first byte is the kind.
    guard one.first == two.first else { return false }
    return switch self {
    case .equal: one == two
    case .less: one.lexicographicallyPrecedes(two)
    case .lessOrEqual: !two.lexicographicallyPrecedes(one)
    case .greater: two.lexicographicallyPrecedes(one)
    case .greaterOrEqual: !one.lexicographicallyPrecedes(two)
    case .begins: false
    }
  }
}

extension FieldValue {
  /// The bytes of the value in the order of values.
  var sortKey: [UInt8] { CairnZone.FieldValue.sortKey(of: inner) }
}
