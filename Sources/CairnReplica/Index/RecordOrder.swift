public import CairnZone

/// An order of the typed records of one type: by the values of fields, and then by their ids.
public struct RecordOrder: Hashable, Sendable {
  /// The order by one field.
  public struct Rule: Hashable, Sendable {
    /// The name of the field.
    public let field: String
    /// A Boolean value that indicates whether the greatest value is first.
    public let isDescending: Bool

    /// Creates a rule.
    public init(_ field: String, isDescending: Bool = false) {
      (self.field, self.isDescending) = (field, isDescending)
    }

    /// Returns the bytes of a value in the order of this rule.
    public func key(of value: FieldValue?) -> [UInt8] {
      let key = FieldValue.sortKey(of: value)
      return isDescending ? key.map { ~$0 } : key
    }
  }

  /// The type of the records.
  public let type: String
  /// The rules, the first one first.
  public let rules: [Rule]

  /// Creates an order.
  public init(_ type: String, by rules: [Rule]) { (self.type, self.rules) = (type, rules) }

  /// Returns the bytes of a record in this order, which end with its id; nil for a record of
  /// another type.
  public func key(of record: Record) -> [UInt8]? {
    record.type == .typed(type) ? key(of: record.id, record.fields) : nil
  }

  /// Returns the bytes of a record of the type in this order.
  public func key(of id: RecordID, _ fields: [String: FieldValue]) -> [UInt8] {
    rules.flatMap { $0.key(of: fields[$0.field]) } + id.bytes
  }
}

/// A range of keys of records in an order.
public struct KeyRange: Hashable, Sendable {
  /// The first bytes of the range.
  public var lower: [UInt8]
  /// The first bytes behind the range; nil if the range has no end.
  public var upper: [UInt8]?

  /// Creates a range.
  public init(from lower: [UInt8], below upper: [UInt8]?) {
    (self.lower, self.upper) = (lower, upper)
  }

  /// Creates the range of the keys that begin with bytes.
  public init(of beginning: [UInt8]) {
    self.init(from: beginning, below: Self.end(of: beginning))
  }

  /// Returns the first bytes behind all keys that begin with bytes; nil if there are none.
  public static func end(of beginning: [UInt8]) -> [UInt8]? {
    guard let last = beginning.lastIndex(where: { $0 < 255 }) else { return nil }
    return beginning[..<last] + [beginning[last] + 1]
  }

  /// Returns the keys that are in both ranges.
  public func intersection(_ other: KeyRange) -> KeyRange {
    let later = lower.lexicographicallyPrecedes(other.lower) ? other.lower : lower
    guard let one = upper, let two = other.upper else {
      return KeyRange(from: later, below: upper ?? other.upper)
    }
    return KeyRange(from: later, below: one.lexicographicallyPrecedes(two) ? one : two)
  }
}
