/// A present or past state of a record: from one entry of the log until another one changed or
/// deleted it. The versions of a record, in their order, are its history.
public struct RecordVersion: Hashable, Sendable {
  /// The end of a version.
  public enum Ending: UInt8, Hashable, Sendable, CaseIterable {
    /// The record changed in its place.
    case changed = 0
    /// The record moved; it may have changed, too.
    case moved = 1
    /// The record was deleted.
    case deleted = 2
  }

  /// The time, author and kind of a version's end.
  public struct End: Hashable, Sendable {
    /// The entry that ended it.
    public var stamp: Stamp
    /// The kind of the end.
    public var ending: Ending

    /// Creates an end.
    public init(stamp: Stamp, ending: Ending) {
      self.stamp = stamp
      self.ending = ending
    }
  }

  /// The record in this version; `changed` is the entry where the version began.
  public var record: Record
  /// The end; nil for the present version.
  public var end: End?

  /// Creates a version.
  public init(record: Record, end: End? = nil) {
    self.record = record
    self.end = end
  }

  /// The entry where the version began. It is unique among a record's versions.
  public var began: UInt64 { record.changed.sequence }

  /// Returns whether this was the record's state after the entry at that position of the log.
  public func stood(at place: UInt64) -> Bool {
    began <= place && end.map { place < $0.stamp.sequence } ?? true
  }

  /// A Boolean value that indicates whether the entry at the version's beginning created the
  /// record, possibly again.
  public var isFirst: Bool { record.created.sequence == began }
}
