extension Control {
  /// Lists the records of a zone that have changed since an earlier time: each once, as it is now.
  public struct Changes: TargetedOperation {
    /// The answer.
    public typealias Reply = Control.ChangesReply
    /// `POST /v1/changes`.
    public static let name = "changes"
    /// The accepted targets.
    public static let targets = Control.Targets([.folder, .part])

    /// An absolute path in a mount: its zone.
    public var path: Control.Path
    /// The token of the last answer; nil: everything that there is.
    public var since: String?

    /// Joins the parts.
    public init(path: Control.Path, since: String? = nil) {
      self.path = path
      self.since = since
    }
  }

  /// A record that is other than it was.
  public struct Change: Codable, Hashable, Sendable {
    /// The record's UUID.
    public var record: String
    /// A Boolean value that indicates whether it is gone.
    public var deleted: Bool
    /// Its path in the zone; nil if it is gone, or has none.
    public var path: Control.Path?
    /// `file`, `directory`, `symlink`, `reference`, or the type of a typed record; nil if it is
    /// gone.
    public var type: String?
    /// The entry of the log that changed or deleted it last.
    public var sequence: UInt64?
    /// The author of the last change; nil if it is gone.
    public var changedBy: Control.Person?

    /// Joins the parts.
    public init(
      record: String, deleted: Bool, path: Control.Path? = nil, type: String? = nil,
      sequence: UInt64? = nil, changedBy: Control.Person? = nil
    ) {
      self.record = record
      self.deleted = deleted
      self.path = path
      self.type = type
      self.sequence = sequence
      self.changedBy = changedBy
    }
  }

  /// The answer of `changes`.
  public struct ChangesReply: Codable, Hashable, Sendable {
    /// The zone's id.
    public var zone: String
    /// The records, those that changed first first.
    public var changes: [Control.Change]
    /// The token for the next request; opaque, and for this zone only.
    public var token: String

    /// Joins the parts.
    public init(zone: String, changes: [Control.Change], token: String) {
      self.zone = zone
      self.changes = changes
      self.token = token
    }
  }
}

extension Control.ChangesReply: ControlListReply {
  /// The member `changes`.
  public static let listName = "changes"
  /// The records.
  public var items: [Control.Change] {
    get { changes }
    set { changes = newValue }
  }
}
