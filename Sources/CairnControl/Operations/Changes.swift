extension Control {
  /// What is other than at an earlier time in a zone: each record once, as it is now.
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
    /// Whether it is gone.
    public var deleted: Bool
    /// Its path in the zone; nil if it is gone, or has none.
    public var path: Control.Path?
    /// `file`, `directory`, `symlink`, `reference`, or the type of a typed record; nil if it is
    /// gone.
    public var type: String?
    /// The entry of the log that changed or deleted it last.
    public var sequence: UInt64?
    /// Who changed it last; nil if it is gone.
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

  /// What `changes` answers.
  public struct ChangesReply: Codable, Hashable, Sendable {
    /// The zone's id.
    public var zone: String
    /// The records, those that changed first first.
    public var changes: [Control.Change]
    /// What to ask with the next time; opaque, and of this zone.
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
