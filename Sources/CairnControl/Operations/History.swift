// What files were: `history`, `tree` and `fetch`, and their answers.

extension Control {
  /// A moment in the history of a folder: a place of its log, or a time of day. Of the two one is
  /// given.
  public struct Moment: Codable, Hashable, Sendable {
    /// After the entry at that place of the log.
    public var place: UInt64?
    /// The former zone whose log is meant: its id, or the beginning; nil: the folder's zone.
    public var zone: String?
    /// The last entry that had come by then, by what authors said of the time.
    public var time: Control.Time?

    /// After that entry.
    public init(place: UInt64, zone: String? = nil) {
      self.place = place
      self.zone = zone
    }

    /// At that time.
    public init(time: Control.Time) { self.time = time }
  }

  /// An entry of a log that a moment stands for.
  public struct LogPlace: Codable, Hashable, Sendable {
    /// Its place in the log.
    public var place: UInt64
    /// The id of the former zone in whose log it is; nil: it is in that of the folder's zone.
    public var zone: String?
    /// The time by its author's clock; nil if unknown.
    public var time: Control.Time?
    /// The author; nil if unknown.
    public var author: Control.Person?

    /// Joins the parts.
    public init(
      place: UInt64, zone: String? = nil, time: Control.Time? = nil, author: Control.Person? = nil
    ) {
      self.place = place
      self.zone = zone
      self.time = time
      self.author = author
    }

    /// The place as commands take it.
    public var name: String { Control.VersionName(place, in: zone).text }
  }

  /// Lists the events of a file, or of everything that is or was in a directory, newest first.
  public struct History: TargetedOperation {
    /// The answer.
    public typealias Reply = Control.HistoryReply
    /// `POST /v1/history`.
    public static let name = "history"
    /// The accepted targets.
    public static let targets: Control.Targets = .path

    /// An absolute path in a mount, also one where nothing stands any more.
    public var path: Control.Path
    /// Only what was deleted.
    public var deletedOnly: Bool
    /// Only what happened after that.
    public var since: Control.Moment?
    /// Only what happened up to then.
    public var until: Control.Moment?
    /// Only what that person did: a handle, an id or its beginning.
    public var by: String?
    /// Only what was done on that device: its name, or the beginning of its id.
    public var device: String?
    /// The largest number; nil for 1000.
    public var limit: Int?

    /// Joins the parts.
    public init(
      path: Control.Path, deletedOnly: Bool = false, since: Control.Moment? = nil,
      until: Control.Moment? = nil, by: String? = nil, device: String? = nil, limit: Int? = nil
    ) {
      self.path = path
      self.deletedOnly = deletedOnly
      self.since = since
      self.until = until
      self.by = by
      self.device = device
      self.limit = limit
    }
  }

  /// One thing that happened to a file, directory or symlink.
  public struct HistoryEntry: Codable, Hashable, Sendable {
    /// The version that began with it: the place in the log. The same record has no two with one.
    public var version: UInt64
    /// True if the entry changed several items. Then the version's name includes the record.
    public let several: Bool
    /// The id of the former zone in whose log that place is; nil: it is in the log of the folder's
    /// zone.
    public var zone: String?
    /// The absolute path then; nil if it was outside of the folder.
    public var path: Control.Path?
    /// The earlier path, if it differs.
    public var from: Control.Path?
    /// The record's UUID.
    public var record: String
    /// The kind.
    public var kind: Control.EntryKind
    /// `made`, `edited`, `restored`, `renamed`, `moved`, `attributes` or `deleted`, several if they
    /// were one change. Newer versions may have others.
    public var what: [String]
    /// The size in bytes from then on; of a deleted file, before.
    public var size: Int64
    /// The time by the author's clock.
    public var time: Control.Time
    /// The author.
    public var author: Control.Person
    /// The name of the device, if it is known.
    public var device: String?
    /// The restore or rewind that it is a part of: the place of its first entry in the log. Nil if
    /// it is part of none, or this device didn't read that entry.
    public var act: UInt64?

    /// Joins the parts.
    public init(
      version: UInt64, zone: String? = nil, path: Control.Path?, from: Control.Path? = nil,
      record: String, kind: Control.EntryKind, what: [String], size: Int64, time: Control.Time,
      author: Control.Person, device: String? = nil, act: UInt64? = nil, several: Bool = false
    ) {
      self.several = several
      self.version = version
      self.zone = zone
      self.path = path
      self.from = from
      self.record = record
      self.kind = kind
      self.what = what
      self.size = size
      self.time = time
      self.author = author
      self.device = device
      self.act = act
    }

    /// The version as commands take it.
    public var name: String {
      Control.VersionName(version, in: zone, of: several ? record : nil).text
    }
  }

  /// The answer of `history`.
  public struct HistoryReply: Codable, Hashable, Sendable {
    /// The events, newest first.
    public var entries: [Control.HistoryEntry]
    /// A Boolean value that indicates whether there are more than requested.
    public var isCut: Bool
    /// The beginning of history for this person, who doesn't have the earlier past; nil if it
    /// begins with the folder. The time is that of the first known entry after it.
    public var begins: Control.LogPlace?
    /// The last place of the log that this device didn't read itself: up to there, the authors are
    /// those that the folder's owner names. Nil if it read everything.
    public var told: UInt64?

    /// Joins the parts.
    public init(
      entries: [Control.HistoryEntry], isCut: Bool = false, begins: Control.LogPlace? = nil,
      told: UInt64? = nil
    ) {
      self.begins = begins
      self.told = told
      self.entries = entries
      self.isCut = isCut
    }
  }

  /// A folder as it was.
  public struct Tree: TargetedOperation {
    /// The answer.
    public typealias Reply = Control.TreeReply
    /// `POST /v1/tree`.
    public static let name = "tree"
    /// The accepted targets.
    public static let targets: Control.Targets = .path

    /// An absolute path in a mount, which is looked up as of then.
    public var path: Control.Path
    /// The time.
    public var at: Control.Moment
    /// With everything below.
    public var recursive: Bool

    /// Joins the parts.
    public init(path: Control.Path, at: Control.Moment, recursive: Bool = false) {
      self.path = path
      self.at = at
      self.recursive = recursive
    }
  }

  /// A file, directory or symlink as it was.
  public struct PastEntry: Codable, Hashable, Sendable {
    /// The absolute path then.
    public var path: Control.Path
    /// The kind then.
    public var kind: Control.EntryKind
    /// Bytes of a file.
    public var size: Int64
    /// The modification time.
    public var modified: Control.Time
    /// A Boolean value that indicates whether it was executable.
    public var executable: Bool
    /// The version: the place in the log with which it began.
    public var version: UInt64
    /// The id of the former zone in whose log that place is; nil: the folder's zone.
    public var zone: String?
    /// The author of that version.
    public var changedBy: Control.Person
    /// The record's UUID.
    public var record: String

    /// Joins the parts.
    public init(
      path: Control.Path, kind: Control.EntryKind, size: Int64, modified: Control.Time,
      executable: Bool, version: UInt64, zone: String? = nil, changedBy: Control.Person,
      record: String
    ) {
      self.zone = zone
      self.path = path
      self.kind = kind
      self.size = size
      self.modified = modified
      self.executable = executable
      self.version = version
      self.changedBy = changedBy
      self.record = record
    }
  }

  /// The answer of `tree`.
  public struct TreeReply: Codable, Hashable, Sendable {
    /// The entry of the log after which it was so.
    public var at: Control.LogPlace
    /// The entries in the order of their names' bytes, directories before their entries.
    public var entries: [Control.PastEntry]

    /// Joins the parts.
    public init(at: Control.LogPlace, entries: [Control.PastEntry]) {
      self.at = at
      self.entries = entries
    }
  }

  /// The size of a zone's kept past: every person who may read the zone may read that.
  public struct PastAmount: Codable, Hashable, Sendable {
    /// Versions of files that were replaced, or deleted.
    public var versions: Int
    /// Those of them that were the last: files that are deleted.
    public var deleted: Int

    /// Joins the two.
    public init(versions: Int, deleted: Int) {
      self.versions = versions
      self.deleted = deleted
    }
  }

  /// Writes a former version of a path as plain files to another place. The permission to read
  /// suffices.
  public struct Fetch: TargetedOperation {
    /// The answer.
    public typealias Reply = Control.FetchReply
    /// `POST /v1/fetch`.
    public static let name = "fetch"
    /// The accepted targets.
    public static let targets: Control.Targets = .path
    /// Has a thread of its own in the daemon.
    public static let mayWait = true

    /// An absolute path in a mount, also one where nothing stands any more.
    public var path: Control.Path
    /// The moment; nil for the last version, or if the version is given.
    public var at: Control.Moment?
    /// The version of the file: the place in the log with which it began.
    public var version: UInt64?
    /// The former zone whose log numbers the version: its id, or the beginning; nil: that of the
    /// folder's zone.
    public var zone: String?
    /// The record whose version is meant: its id, or the end of it; nil: the only record with the
    /// path that the entry changed.
    public var record: String?
    /// The absolute destination; an existing file is replaced, a directory must be empty or
    /// missing.
    public var destination: Control.Path
    /// A file is all that is wanted.
    public var isFile: Bool

    /// Joins the parts.
    public init(
      path: Control.Path, at: Control.Moment? = nil, version: UInt64? = nil,
      zone: String? = nil, record: String? = nil, destination: Control.Path, isFile: Bool = false
    ) {
      self.zone = zone
      self.record = record
      self.path = path
      self.at = at
      self.version = version
      self.destination = destination
      self.isFile = isFile
    }
  }

  /// The answer of `fetch`.
  public struct FetchReply: Codable, Hashable, Sendable {
    /// The path now.
    public var destination: Control.Path
    /// The version of a file; of a directory the place of the log.
    public var version: UInt64
    /// The id of the former zone in whose log that is; nil: the folder's zone.
    public var zone: String?
    /// The time of that version, by its author's clock.
    public var time: Control.Time?
    /// The number of files and symbolic links that were written.
    public var files: Int
    /// Their bytes.
    public var bytes: Int64

    /// Joins the parts.
    public init(
      destination: Control.Path, version: UInt64, zone: String? = nil, time: Control.Time? = nil,
      files: Int, bytes: Int64
    ) {
      self.zone = zone
      self.destination = destination
      self.version = version
      self.time = time
      self.files = files
      self.bytes = bytes
    }

    /// The version as commands take it.
    public var name: String { Control.VersionName(version, in: zone).text }
  }
}

extension Control.HistoryReply: ControlListReply {
  /// The member `entries`.
  public static let listName = "entries"
  /// The entries.
  public var items: [Control.HistoryEntry] {
    get { entries }
    set { entries = newValue }
  }
}

extension Control.TreeReply: ControlListReply {
  /// The member `entries`.
  public static let listName = "entries"
  /// The entries.
  public var items: [Control.PastEntry] {
    get { entries }
    set { entries = newValue }
  }
}
