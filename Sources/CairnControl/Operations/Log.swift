extension Control {
  /// Lists the entries in the logs of zones: every change, once, in its order, with its author.
  public struct Log: TargetedOperation {
    /// The answer.
    public typealias Reply = Control.LogReply
    /// `POST /v1/log`.
    public static let name = "log"
    /// The accepted targets.
    public static let targets: Control.Targets = .path
    /// Has a thread of its own in the daemon.
    public static let mayWait = true

    /// An absolute path in a mount: the whole folder's zone, or only what concerns that name and
    /// what is below it; nil: all mounts.
    public var path: Control.Path?
    /// Only entries after this place of the log; nil: the last `limit`.
    public var since: UInt64?
    /// The largest number of entries of a zone; nil for 1000.
    public var limit: Int?

    /// Joins the parts.
    public init(path: Control.Path? = nil, since: UInt64? = nil, limit: Int? = nil) {
      self.path = path
      self.since = since
      self.limit = limit
    }
  }

  /// One change in an entry of a log.
  public struct LogChange: Codable, Hashable, Sendable {
    /// `created`, `changed`, `moved`, `deleted`, `reversal`, `share` or `zone`. Newer versions may
    /// have others.
    public var what: String
    /// The path in the zone, if it is known; a deleted name's may not be.
    public var path: Control.Path?
    /// The record's UUID, if it is about one.
    public var record: String?
    /// The same in words.
    public var text: String

    /// Joins the parts.
    public init(what: String, path: Control.Path? = nil, record: String? = nil, text: String) {
      self.what = what
      self.path = path
      self.record = record
      self.text = text
    }
  }

  /// One entry of a zone's log: a batch of changes by one person.
  public struct LogEntry: Codable, Hashable, Sendable {
    /// The zone's id.
    public var zone: String
    /// The zone's title or name.
    public var title: String
    /// The place in the zone's log.
    public var sequence: UInt64
    /// The key of the object in the container; nil if nobody here can tell it.
    public var object: String?
    /// The author's clock.
    public var time: Control.Time
    /// The person who signed it; nil if the entry cannot be opened.
    public var author: Control.Person?
    /// The name of the device, if it is known.
    public var device: String?
    /// The changes.
    public var changes: [Control.LogChange]
    /// Why the entry can't be opened here any more; nil if it can.
    public var problem: String?

    /// Joins the parts.
    public init(
      zone: String, title: String, sequence: UInt64, object: String? = nil, time: Control.Time,
      author: Control.Person? = nil, device: String? = nil, changes: [Control.LogChange],
      problem: String? = nil
    ) {
      self.zone = zone
      self.title = title
      self.sequence = sequence
      self.object = object
      self.time = time
      self.author = author
      self.device = device
      self.changes = changes
      self.problem = problem
    }
  }

  /// The answer of `log`.
  public struct LogReply: Codable, Hashable, Sendable {
    /// The entries, zone by zone, each in the order of its log.
    public var entries: [Control.LogEntry]

    /// Joins the parts.
    public init(entries: [Control.LogEntry]) { self.entries = entries }
  }
}
