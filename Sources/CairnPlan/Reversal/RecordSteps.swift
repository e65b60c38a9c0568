import CairnZone

/// The changes to one record in their order, and the result without those of some authors: of each
/// aspect the last value from somebody else, or the earlier one.
struct RecordSteps {
  /// A Boolean value that indicates whether the record exists without the undone changes.
  private(set) var isKept: Bool
  /// The version that an undone author replaced, before somebody else gave the file other bytes.
  private(set) var overwritten: Record?
  private var last: Record?
  private var place: Aspect<Place>
  private var bytes: Aspect<Bytes>
  private var attributes: Aspect<Attributes>

  /// The contents of a file or symbolic link.
  private struct Bytes: Hashable {
    var content: Content?
    var target: [UInt8]?
  }

  /// An aspect of a record: its present value, and the value without the undone changes.
  private struct Aspect<Value: Hashable> {
    var current: Value?
    var kept: Value?

    init(_ value: Value?) { (current, kept) = (value, value) }

    mutating func take(_ value: Value?, isUndone: Bool) {
      guard value != current else { return }
      current = value
      if !isUndone { kept = value }
    }
  }

  /// Creates the result from the versions of a record.
  /// - Parameters:
  ///   - versions: The versions in their order.
  ///   - start: The place of the log from which on changes count.
  ///   - isUndone: A function that tells whether an author's changes are undone.
  init(_ versions: [RecordVersion], from start: UInt64, _ isUndone: (Author) -> Bool) {
    let base = versions.first { $0.stood(at: start) }?.record
    isKept = base != nil
    last = base
    place = Aspect(base?.place)
    bytes = Aspect(base.map(Self.bytes))
    attributes = Aspect(base?.attributes)
    // The record with its contents before an undone author changed them.
    var before = base
    for version in versions {
      if version.began > start {
        take(version.record, isUndone(version.record.changed.author), &before)
      }
      if let end = version.end, end.ending == .deleted, end.stamp.sequence > start,
        !isUndone(end.stamp.author)
      {
        isKept = false
      }
    }
  }

  private static func bytes(_ record: Record) -> Bytes {
    Bytes(content: record.content, target: record.target)
  }

  private mutating func take(_ record: Record, _ isUndone: Bool, _ before: inout Record?) {
    let new = Self.bytes(record)
    if !isUndone {
      isKept = true
      // The other author began with the contents that the undone one had left.
      if bytes.current != new, bytes.current != bytes.kept, bytes.kept != nil {
        overwritten = before
      }
    }
    place.take(record.place, isUndone: isUndone)
    bytes.take(new, isUndone: isUndone)
    attributes.take(record.attributes, isUndone: isUndone)
    if bytes.current == bytes.kept { before = record }
    last = record
  }

  /// Returns the record without the undone changes; aspects that nobody else ever set stay as they
  /// are now, or as they were last.
  func kept(over now: Record?) -> Record? {
    guard var record = now ?? last else { return nil }
    if let kept = place.kept { record.place = kept }
    if let kept = bytes.kept { (record.content, record.target) = (kept.content, kept.target) }
    if let kept = attributes.kept { record.attributes = kept }
    return record
  }
}
