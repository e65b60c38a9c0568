import CairnIdentity
import CairnZone

/// The id of a record: a UUID, which stays through every change (CKRecord.ID).
public struct RecordID: Hashable, Comparable, Sendable, CustomStringConvertible {
  let inner: CairnZone.RecordID

  init(_ inner: CairnZone.RecordID) { self.inner = inner }

  /// Creates the id of a new record.
  public static func random() -> RecordID { RecordID(.random()) }

  /// Parses the text of an id; nil if it is none.
  public init?(_ text: String) {
    guard let inner = CairnZone.RecordID(hexadecimal: text.filter { $0 != "-" }) else { return nil }
    self.inner = inner
  }

  /// The UUID's usual text.
  public var description: String { inner.description }

  /// The order of the bytes.
  public static func < (left: RecordID, right: RecordID) -> Bool { left.inner < right.inner }
}

/// The id of a zone (CKRecordZone.ID).
public struct ZoneID: Hashable, Sendable, CustomStringConvertible {
  let inner: CairnZone.ZoneID

  init(_ inner: CairnZone.ZoneID) { self.inner = inner }

  /// Parses the text of an id; nil if it is none.
  public init?(_ text: String) {
    guard let inner = CairnZone.ZoneID(hexadecimal: text) else { return nil }
    self.inner = inner
  }

  /// The id in hexadecimal digits.
  public var description: String { inner.description }
}

/// The id of a person, which nobody else can have.
public struct PersonID: Hashable, Sendable, CustomStringConvertible {
  let inner: UserID

  init(_ inner: UserID) { self.inner = inner }

  /// Parses the text of an id; nil if it is none.
  public init?(_ text: String) {
    guard let inner = UserID(hexadecimal: text) else { return nil }
    self.inner = inner
  }

  /// The id in hexadecimal digits.
  public var description: String { inner.description }
}
