public import CairnZone

/// A damage in the container.
public struct Damage: Hashable, Sendable {
  /// The kinds of damage.
  public enum Kind: Hashable, Sendable {
    /// A missing or altered entry of a log.
    case entry
    /// The holder of a log's next position.
    case held
    /// Another object.
    case object
    /// The index of this device.
    case index
    /// An object that belongs to no person who is known here. It damages nothing.
    case rubbish
  }

  /// The kind.
  public var kind: Kind
  /// The object's key.
  public var key: String
  /// The problem.
  public var reason: String
  /// The position in the log, for an entry.
  public var sequence: UInt64?
  /// The records whose content or asset is unavailable because of it.
  public var records: [RecordID]
  /// The next action, for people; nil: the usual one.
  public var remedy: String?

  /// Creates a damage.
  public init(
    _ kind: Kind = .object, key: String, reason: String, sequence: UInt64? = nil,
    records: [RecordID] = [], remedy: String? = nil
  ) {
    self.kind = kind
    self.remedy = remedy
    self.key = key
    self.reason = reason
    self.sequence = sequence
    self.records = records
  }
}
