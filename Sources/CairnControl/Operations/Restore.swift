// Going back to what files were: `restore` and `rewind`, and their answer.

extension Control {
  /// Brings a file or a directory back as it was, for everybody.
  public struct Restore: TargetedOperation {
    /// The answer.
    public typealias Reply = Control.RestoreReply
    /// `POST /v1/restore`.
    public static let name = "restore"
    /// The accepted targets.
    public static let targets: Control.Targets = .path

    /// An absolute path in a mount, also one where nothing stands any more.
    public var path: Control.Path
    /// The moment; nil for the version before the deletion, or if the version is given.
    public var at: Control.Moment?
    /// The version of a file: the place in the log with which it began.
    public var version: UInt64?
    /// The former zone whose log numbers the version: its id, or the beginning; nil: that of the
    /// folder's zone.
    public var zone: String?
    /// The record whose version is meant: its id, or the end of it; nil: the only record with the
    /// path that the entry changed.
    public var record: String?
    /// Say what would be done, and do nothing.
    public var dryRun: Bool

    /// Joins the parts.
    public init(
      path: Control.Path, at: Control.Moment? = nil, version: UInt64? = nil, zone: String? = nil,
      record: String? = nil, dryRun: Bool = false
    ) {
      self.zone = zone
      self.record = record
      self.path = path
      self.at = at
      self.version = version
      self.dryRun = dryRun
    }
  }

  /// Takes back what was done in a directory since a moment, by all or by some.
  public struct Rewind: TargetedOperation {
    /// The answer.
    public typealias Reply = Control.RestoreReply
    /// `POST /v1/rewind`.
    public static let name = "rewind"
    /// The accepted targets.
    public static let targets: Control.Targets = .path

    /// An absolute path in a mount.
    public var path: Control.Path
    /// The moment; later changes are undone.
    public var to: Control.Moment
    /// Only what that person did: a handle, an id or its beginning.
    public var by: String?
    /// Only what was done on that device: its name, or the beginning of its id.
    public var device: String?
    /// Say what would be done, and do nothing.
    public var dryRun: Bool

    /// Joins the parts.
    public init(
      path: Control.Path, to: Control.Moment, by: String? = nil, device: String? = nil,
      dryRun: Bool = false
    ) {
      self.path = path
      self.to = to
      self.by = by
      self.device = device
      self.dryRun = dryRun
    }
  }

  /// The effect on one path.
  public struct RestoredPath: Codable, Hashable, Sendable {
    /// `brought-back`, `changed`, `moved` or `removed`. Newer versions may have others.
    public var what: String
    /// The later absolute path; of a removed entry, the earlier one.
    public var path: Control.Path
    /// The earlier path, if it differs.
    public var from: Control.Path?
    /// The bytes of a file.
    public var size: Int64

    /// Joins the parts.
    public init(what: String, path: Control.Path, from: Control.Path? = nil, size: Int64 = 0) {
      self.what = what
      self.path = path
      self.from = from
      self.size = size
    }
  }

  /// A person's work on a device since a moment.
  public struct DeviceWork: Codable, Hashable, Sendable {
    /// The author.
    public var author: Control.Person
    /// The device's name, if it is known.
    public var device: String?
    /// The device's id.
    public var id: String
    /// The number of files that it created, changed or moved.
    public var changed: Int
    /// The number of files that it deleted.
    public var deleted: Int
    /// A Boolean value that indicates whether it is undone.
    public var isUndone: Bool

    /// Joins the parts.
    public init(
      author: Control.Person, device: String? = nil, id: String, changed: Int, deleted: Int,
      isUndone: Bool
    ) {
      self.author = author
      self.device = device
      self.id = id
      self.changed = changed
      self.deleted = deleted
      self.isUndone = isUndone
    }
  }

  /// Unusually many changes by one device, which may be an accident or an attack.
  public struct Burst: Codable, Hashable, Sendable {
    /// The mirrored folder, absolute.
    public var path: Control.Path
    /// The author.
    public var author: Control.Person
    /// The device's name, if it is known.
    public var device: String?
    /// The device's id.
    public var id: String
    /// The number of files with new bytes when it was noticed.
    public var changed: Int
    /// The number of deleted files.
    public var deleted: Int
    /// Of how many files in all.
    public var all: Int
    /// The entry of the log before the first of them.
    public var before: UInt64
    /// The time when it was noticed, by the clock of this machine.
    public var time: Control.Time

    /// Joins the parts.
    public init(
      path: Control.Path, author: Control.Person, device: String? = nil, id: String, changed: Int,
      deleted: Int, all: Int, before: UInt64, time: Control.Time
    ) {
      self.path = path
      self.author = author
      self.device = device
      self.id = id
      self.changed = changed
      self.deleted = deleted
      self.all = all
      self.before = before
      self.time = time
    }

    /// The event in words.
    public var text: String {
      let device = Control.Path(device ?? String(id.prefix(12))).printable
      return Control.Path(author.handle ?? author.user).printable + " on \(device) changed "
        + "\(changed) and deleted \(deleted) of \(all) files"
    }

    /// The command that takes it back.
    public var rewind: String {
      "cairn rewind \(path.typed) --to @\(before) --device \(id.prefix(12))"
    }
  }

  /// The answer of `restore` and `rewind`.
  public struct RestoreReply: Codable, Hashable, Sendable {
    /// The entry of the log that was gone back to.
    public var to: Control.LogPlace
    /// The performed or planned effects.
    public var paths: [Control.RestoredPath]
    /// A Boolean value that indicates whether nothing was done.
    public var dryRun: Bool
    /// The work since then, by author; of a rewind only.
    public var work: [Control.DeviceWork]
    /// The number of all paths.
    public var total: Int
    /// In how many commits it was done, or would be.
    public var commits: Int
    /// The act in the log: the place of its first entry. Only if something was done.
    public var act: UInt64?
    /// The paths that cannot come back, with the reasons.
    public var problems: [Control.Problem]

    /// Joins the parts.
    public init(
      to: Control.LogPlace, paths: [Control.RestoredPath] = [], dryRun: Bool,
      work: [Control.DeviceWork] = [], total: Int, commits: Int, act: UInt64? = nil,
      problems: [Control.Problem] = []
    ) {
      self.to = to
      self.paths = paths
      self.dryRun = dryRun
      self.work = work
      self.total = total
      self.commits = commits
      self.act = act
      self.problems = problems
    }
  }
}

extension Control.RestoreReply: ControlListReply {
  /// The member `paths`.
  public static let listName = "paths"
  /// The paths.
  public var items: [Control.RestoredPath] {
    get { paths }
    set { paths = newValue }
  }
}
