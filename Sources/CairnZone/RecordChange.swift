/// A change to one record. Aspects that are nil stay as they are.
public struct RecordChange: Hashable, Sendable {
  /// The act on the record as a whole.
  public enum Act: Hashable, Sendable {
    /// Creates a record; the id must be unused or deleted.
    case create(RecordType)
    /// Changes an existing record.
    case update
    /// Deletes the record; a directory must be empty after the commit.
    case delete
  }

  /// The record.
  public var id: RecordID
  /// The act.
  public var act: Act
  /// The new directory and name.
  public var place: Place?
  /// The new bytes of a file.
  public var content: Content?
  /// The new target of a symlink or reference.
  public var target: [UInt8]?
  /// The new executable bit and time.
  public var attributes: Attributes?
  /// New values of fields; `.some(nil)` removes a field.
  public var fields: [String: FieldValue?]

  /// Creates a change.
  public init(
    id: RecordID, act: Act, place: Place? = nil, content: Content? = nil, target: [UInt8]? = nil,
    attributes: Attributes? = nil, fields: [String: FieldValue?] = [:]
  ) {
    self.id = id
    self.act = act
    self.place = place
    self.content = content
    self.target = target
    self.attributes = attributes
    self.fields = fields
  }

  /// All contents in the change: a file's, and those in its fields.
  public var contents: [Content] {
    (content.map { [$0] } ?? []) + fields.values.flatMap { $0?.assets ?? [] }
  }
}
