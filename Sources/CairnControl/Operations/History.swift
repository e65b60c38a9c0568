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
    /// When it was made, by its author's clock; nil if nobody knows.
    public var time: Control.Time?
    /// Who made it; nil if nobody knows.
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

  /// What happened to a file, or to all that is or was in a directory, newest first.
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
    /// How many at most; nil: 1000.
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
    /// The id of the former zone in whose log that place is; nil: it is in the log of the folder's
    /// zone.
    public var zone: String?
    /// Where it stood then, absolute; nil if that was outside of the folder.
    public var path: Control.Path?
    /// Where it had stood before, if that is elsewhere.
    public var from: Control.Path?
    /// The record's UUID.
    public var record: String
    /// What it is.
    public var kind: Control.EntryKind
    /// `made`, `edited`, `restored`, `renamed`, `moved`, `attributes` or `deleted`, several if they
    /// were one change. Newer versions may have others.
    public var what: [String]
    /// Its bytes from then on; of what was deleted, before.
    public var size: Int64
    /// When, by the author's clock.
    public var time: Control.Time
    /// Who did it.
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
      author: Control.Person, device: String? = nil, act: UInt64? = nil
    ) {
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
    public var name: String { Control.VersionName(version, in: zone).text }
  }

  /// What `history` answers.
  public struct HistoryReply: Codable, Hashable, Sendable {
    /// What happened, newest first.
    public var entries: [Control.HistoryEntry]
    /// Whether there is more than was asked for.
    public var isCut: Bool
    /// Where history begins for this person, who wasn't given what ended before; nil: with the
    /// folder. The time is that of the first entry behind it that is known.
    public var begins: Control.LogPlace?
    /// The last place of the log of what is told here and this device didn't read itself: of what
    /// happened up to there, who did it is the word of the folder's owner. Nil: it read all of it.
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
    /// When.
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
    /// Where it stood, absolute.
    public var path: Control.Path
    /// What it was.
    public var kind: Control.EntryKind
    /// Bytes of a file.
    public var size: Int64
    /// The modification time.
    public var modified: Control.Time
    /// Whether it might be executed.
    public var executable: Bool
    /// The version: the place in the log with which it began.
    public var version: UInt64
    /// The id of the former zone in whose log that place is; nil: the folder's zone.
    public var zone: String?
    /// Who made it so.
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

  /// What `tree` answers.
  public struct TreeReply: Codable, Hashable, Sendable {
    /// The entry of the log after which it was so.
    public var at: Control.LogPlace
    /// What there was, in the order of the names' bytes, directories before what is in them.
    public var entries: [Control.PastEntry]

    /// Joins the parts.
    public init(at: Control.LogPlace, entries: [Control.PastEntry]) {
      self.at = at
      self.entries = entries
    }
  }

  /// How much is kept of the past of a zone: all who may read it may read that.
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

  /// Writes what a path was as plain files, elsewhere. Whoever may read may do that.
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
    /// When; nil: as it was last, or the version says it.
    public var at: Control.Moment?
    /// The version of the file: the place in the log with which it began.
    public var version: UInt64?
    /// The former zone whose log numbers the version: its id, or the beginning; nil: that of the
    /// folder's zone.
    public var zone: String?
    /// Where to, absolute; a file that is there is replaced, a directory must be empty or missing.
    public var destination: Control.Path
    /// A file is all that is wanted.
    public var isFile: Bool

    /// Joins the parts.
    public init(
      path: Control.Path, at: Control.Moment? = nil, version: UInt64? = nil,
      zone: String? = nil, destination: Control.Path, isFile: Bool = false
    ) {
      self.zone = zone
      self.path = path
      self.at = at
      self.version = version
      self.destination = destination
      self.isFile = isFile
    }
  }

  /// What `fetch` answers.
  public struct FetchReply: Codable, Hashable, Sendable {
    /// Where it is now.
    public var destination: Control.Path
    /// The version of a file; of a directory the place of the log.
    public var version: UInt64
    /// The id of the former zone in whose log that is; nil: the folder's zone.
    public var zone: String?
    /// When that version was made, by its author's clock.
    public var time: Control.Time?
    /// How many files and symlinks were written.
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
