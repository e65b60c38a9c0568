import CairnZone

/// What was done to one record, step by step, and what of it stays if the steps of some authors are
/// taken back: of each aspect the last value that somebody else gave it, or that it had before.
struct RecordSteps {
  /// Whether the record is there, as far as others than the undone had to do with it.
  private(set) var isKept: Bool
  /// The version that an undone author replaced, before somebody else gave the file other bytes.
  private(set) var overwritten: Record?
  private var last: Record?
  private var place: Aspect<Place>
  private var bytes: Aspect<Bytes>
  private var attributes: Aspect<Attributes>

  /// What a file or symlink holds.
  private struct Bytes: Hashable {
    var content: Content?
    var target: [UInt8]?
  }

  /// A part of a record: what it is, and what it would be without the undone.
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

  /// Goes through the versions of a record.
  /// - Parameters:
  ///   - versions: In their order.
  ///   - start: The place of the log from which on steps count.
  ///   - isUndone: Whose steps are taken back.
  init(_ versions: [RecordVersion], from start: UInt64, _ isUndone: (Author) -> Bool) {
    let base = versions.first { $0.stood(at: start) }?.record
    isKept = base != nil
    last = base
    place = Aspect(base?.place)
    bytes = Aspect(base.map(Self.bytes))
    attributes = Aspect(base?.attributes)
    // The record with what it held before an undone author gave it something else.
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
      // The other one began with what the undone had left.
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

  /// The record without what is taken back; what nobody else ever gave it stays as it is now, or as
  /// it was last.
  func kept(over now: Record?) -> Record? {
    guard var record = now ?? last else { return nil }
    if let kept = place.kept { record.place = kept }
    if let kept = bytes.kept { (record.content, record.target) = (kept.content, kept.target) }
    if let kept = attributes.kept { record.attributes = kept }
    return record
  }
}
