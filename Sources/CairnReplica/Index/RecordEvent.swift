public import CairnZone

/// One event in the life of a record.
public struct RecordEvent: Hashable, Sendable {
  /// The record.
  public var record: RecordID
  /// The version before; nil: it did not exist.
  public var before: RecordVersion?
  /// The version afterwards; nil: it was deleted.
  public var after: RecordVersion?
  /// The entry of the log, with its author and time.
  public var stamp: Stamp

  /// Creates an event.
  public init(record: RecordID, before: RecordVersion?, after: RecordVersion?, stamp: Stamp) {
    self.record = record
    self.before = before
    self.after = after
    self.stamp = stamp
  }

  /// A Boolean value that indicates whether only the time of a directory changed, because of a
  /// change inside.
  public var isTouchOfDirectory: Bool {
    guard var before = before?.record, let after = after?.record, after.type == .directory else {
      return false
    }
    before.attributes.modified = after.attributes.modified
    before.changed = after.changed
    return before == after
  }
}

/// The position of an event in a list: the ones before it come next.
public struct EventPlace: Hashable, Sendable {
  /// The entry.
  public var sequence: UInt64
  /// A record of the entry; nil: all of them come next.
  public var record: RecordID?

  /// Creates a position.
  public init(_ sequence: UInt64, _ record: RecordID? = nil) {
    self.sequence = sequence
    self.record = record
  }
}
