// Which folders are mirrored: `add`, `remove`, `verify`, and their answers.

extension Control {
  /// Mirrors a folder of mine into my private database, or a zone that I have already in a folder.
  /// Adding it again answers the same mount with `created` false.
  public struct Add: ControlOperation {
    /// The answer.
    public typealias Reply = Control.AddReply
    /// `POST /v1/add`.
    public static let name = "add"
    /// Has a thread of its own in the daemon.
    public static let mayWait = true

    /// The folder, absolute.
    public var path: Control.Path
    /// Say what would be done, and touch nothing.
    public var dryRun: Bool
    /// The id of a zone that I have, or its beginning: that one is mirrored, and no new one.
    public var zone: String?
    /// A Boolean value that indicates whether the folder becomes a mirror although it has the mark
    /// of a zone that this home doesn't know.
    public var anew: Bool?
    /// True to confirm a folder that holds a home or secrets; nil: false.
    public var sensitive: Bool?

    /// Joins the parts.
    public init(
      path: Control.Path, dryRun: Bool = false, zone: String? = nil, anew: Bool? = nil,
      sensitive: Bool? = nil
    ) {
      self.sensitive = sensitive
      self.anew = anew
      self.path = path
      self.dryRun = dryRun
      self.zone = zone
    }
  }

  /// The answer of `add`. The first scan continues in the background.
  public struct AddReply: Codable, Hashable, Sendable {
    /// False if the folder was mirrored already.
    public var created: Bool
    /// True if nothing was done.
    public var dryRun: Bool
    /// The mount; nil in a dry run.
    public var mount: Control.MountStatus?
    /// The folder, absolute.
    public var path: Control.Path
    /// In a dry run: files and symlinks that would be mirrored.
    public var files: Int?
    /// In a dry run: directories that would be mirrored.
    public var directories: Int?
    /// In a dry run: bytes of content of those files.
    public var bytes: Int64?
    /// In a dry run: names that the ignore rules leave out.
    public var ignored: Int?
    /// In a dry run: what would be skipped, with the reason.
    public var skipped: [Control.Problem]
    /// Other zones of mine of the folder's name that no folder here mirrors, or one that came by
    /// itself: perhaps one of them was meant.
    public var namesakes: [String]?

    /// Joins the parts.
    public init(
      created: Bool, dryRun: Bool = false, mount: Control.MountStatus? = nil, path: Control.Path,
      files: Int? = nil, directories: Int? = nil, bytes: Int64? = nil, ignored: Int? = nil,
      skipped: [Control.Problem] = [], namesakes: [String]? = nil
    ) {
      self.namesakes = namesakes
      self.created = created
      self.dryRun = dryRun
      self.mount = mount
      self.path = path
      self.files = files
      self.directories = directories
      self.bytes = bytes
      self.ignored = ignored
      self.skipped = skipped
    }
  }

  /// Stops mirroring a folder. The files stay, and so does the zone.
  public struct Remove: TargetedOperation {
    /// The answer.
    public typealias Reply = Control.RemoveReply
    /// `POST /v1/remove`.
    public static let name = "remove"
    /// The accepted targets.
    public static let targets: Control.Targets = .mirrored
    /// Has a thread of its own in the daemon.
    public static let mayWait = true

    /// The mount's folder, absolute.
    public var path: Control.Path

    /// Joins the parts.
    public init(path: Control.Path) {
      self.path = path
    }
  }

  /// The answer of `remove`.
  public struct RemoveReply: Codable, Hashable, Sendable {
    /// The folder that is no longer mirrored, absolute.
    public var path: Control.Path
    /// The zone that it mirrored.
    public var zone: String
    /// Names whose changes had not reached the zone, and now won't.
    public var pendingLocal: Int

    /// Joins the parts.
    public init(path: Control.Path, zone: String, pendingLocal: Int) {
      self.path = path
      self.zone = zone
      self.pendingLocal = pendingLocal
    }
  }

  /// Reads everything back from the container and checks it: every commit, pack and chunk of
  /// one zone, or of all zones.
  public struct Verify: TargetedOperation {
    /// The answer.
    public typealias Reply = Control.VerifyReply
    /// `POST /v1/verify`.
    public static let name = "verify"
    /// The accepted targets.
    public static let targets: Control.Targets = .readWhole
    /// Has a thread of its own in the daemon.
    public static let mayWait = true

    /// Only this zone; nil: every zone that I can open, and everybody's identity.
    public var share: Control.ShareReference?
    /// A Boolean value that indicates whether the files of the folders are read, too, and compared
    /// with the zone.
    public var folder: Bool?

    /// Joins the parts.
    public init(share: Control.ShareReference? = nil, folder: Bool? = nil) {
      self.share = share
      self.folder = folder
    }
  }

  /// One thing that `verify` found.
  public struct Damage: Codable, Hashable, Sendable {
    /// In which zone, if it belongs to one.
    public var zone: String?
    /// The object's key in the container.
    public var object: String
    /// The kind of damage.
    public var code: Control.ErrorCode
    /// The description.
    public var message: String
    /// The commit that is damaged or refused, if it is one.
    public var sequence: UInt64?
    /// Files whose content can't be had, absolute or relative to the zone's root.
    public var paths: [Control.Path]
    /// The advice.
    public var remedy: String

    /// Joins the parts.
    public init(
      zone: String? = nil, object: String, code: Control.ErrorCode, message: String,
      sequence: UInt64? = nil, paths: [Control.Path] = [], remedy: String = ""
    ) {
      self.zone = zone
      self.object = object
      self.code = code
      self.message = message
      self.sequence = sequence
      self.paths = paths
      self.remedy = remedy
    }
  }

  /// The answer of `verify`. Damage is an answer, not an error; the command turns it into exit
  /// status 35.
  public struct VerifyReply: Codable, Hashable, Sendable {
    /// Zones that were read.
    public var zones: Int
    /// Commits that were read and checked.
    public var commits: Int
    /// Chunks that were read, opened and compared with their names.
    public var chunks: Int
    /// Bytes that were read from the container.
    public var bytes: Int64
    /// The damaged or refused objects.
    public var damage: [Control.Damage]
    /// Other facts as sentences: none of them is damage.
    public var notes: [String]

    /// Joins the parts.
    public init(
      zones: Int, commits: Int, chunks: Int, bytes: Int64, damage: [Control.Damage],
      notes: [String] = []
    ) {
      self.notes = notes
      self.zones = zones
      self.commits = commits
      self.chunks = chunks
      self.bytes = bytes
      self.damage = damage
    }
  }
}
