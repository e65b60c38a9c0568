/// A state that a record has, or had: what it was from one entry of the log on, until another one
/// changed or deleted it. Those of a record, in their order, are its history.
public struct RecordVersion: Hashable, Sendable {
  /// What ended a version.
  public enum Ending: UInt8, Hashable, Sendable, CaseIterable {
    /// The record became another one in its place.
    case changed = 0
    /// The record stands elsewhere since; it may have changed, too.
    case moved = 1
    /// The record was deleted.
    case deleted = 2
  }

  /// When a version ended, by whom, and how.
  public struct End: Hashable, Sendable {
    /// The entry that ended it.
    public var stamp: Stamp
    /// How.
    public var ending: Ending

    /// Joins the two.
    public init(stamp: Stamp, ending: Ending) {
      self.stamp = stamp
      self.ending = ending
    }
  }

  /// The record as it was; `changed` is the entry with which the version began.
  public var record: Record
  /// Nil: the record is so now.
  public var end: End?

  /// Joins the two.
  public init(record: Record, end: End? = nil) {
    self.record = record
    self.end = end
  }

  /// The entry with which the version began. No two versions of a record have the same.
  public var began: UInt64 { record.changed.sequence }

  /// Whether the record was so after the entry at that place of the log.
  public func stood(at place: UInt64) -> Bool {
    began <= place && end.map { place < $0.stamp.sequence } ?? true
  }

  /// Whether the entry that began the version made the record, or made it anew.
  public var isFirst: Bool { record.created.sequence == began }
}
