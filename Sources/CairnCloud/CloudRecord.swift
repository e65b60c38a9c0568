import CairnZone

/// A record with fields (CKRecord): a value. It remembers the fields that it was fetched with, so
/// that a save can tell its own changes from those of others.
public struct CloudRecord: Hashable, Sendable, Identifiable {
  /// The author of a change, and its position in the log of the zone.
  public struct Stamp: Hashable, Sendable {
    /// The person.
    public let person: PersonID
    /// The clock of the author, in nanoseconds since 1970, only for display.
    public let time: Int64
    /// The position in the log of the zone: the record's change tag.
    public let position: UInt64

    init(person: PersonID, time: Int64, position: UInt64) {
      (self.person, self.time, self.position) = (person, time, position)
    }

    init(_ stamp: CairnZone.Stamp) {
      (person, time, position) = (PersonID(stamp.user), stamp.time, stamp.sequence)
    }
  }

  /// The identity.
  public let id: RecordID
  /// The type, which never changes.
  public let type: String
  /// The first save; nil for a record that was never saved.
  public let created: Stamp?
  /// The last save that changed the record; nil for a record that was never saved.
  public let changed: Stamp?
  /// The fields.
  public private(set) var fields: [String: FieldValue]
  /// The fields as they were fetched.
  let fetched: [String: FieldValue]

  /// Creates a record that isn't saved yet.
  public init(_ type: String, id: RecordID = .random()) {
    (self.type, self.id) = (type, id)
    (created, changed, fields, fetched) = (nil, nil, [:], [:])
  }

  init(
    id: RecordID, type: String, created: Stamp?, changed: Stamp?, fields: [String: FieldValue],
    fetched: [String: FieldValue]
  ) {
    (self.id, self.type) = (id, type)
    (self.created, self.changed, self.fields, self.fetched) = (created, changed, fields, fetched)
  }

  /// Creates the value of a stored record; nil for a file or directory.
  init?(_ record: Record) {
    guard case .typed(let type) = record.type else { return nil }
    (id, self.type) = (RecordID(record.id), type)
    (created, changed) = (Stamp(record.created), Stamp(record.changed))
    fields = record.fields.mapValues { FieldValue($0) }
    fetched = fields
  }

  /// The record as it was fetched; nil for a record that was never saved.
  var ancestor: CloudRecord? {
    guard changed != nil else { return nil }
    var ancestor = self
    ancestor.fields = fetched
    return ancestor
  }

  /// The value of a field; nil removes the field.
  public subscript(_ field: String) -> FieldValue? {
    get { fields[field] }
    set { fields[field] = newValue }
  }

  /// The fields that differ from the fetched ones.
  public var changedKeys: Set<String> {
    Set(fields.keys).union(fetched.keys).filter { fields[$0] != fetched[$0] }
  }
}
