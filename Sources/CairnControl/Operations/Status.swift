// How the daemon and its mounts are: `status`, `wait`, `ls`, and their answers.

extension Control {
  /// How the daemon, the container and the mounts are.
  public struct Status: TargetedOperation {
    /// The answer.
    public typealias Reply = Control.StatusReply
    /// `POST /v1/status`.
    public static let name = "status"
    /// The accepted targets.
    public static let targets: Control.Targets = .path
    /// People and their prompts ask it all the time.
    public static let mayBeRepeated = true

    /// Only the mount that holds this absolute path; nil: all mounts.
    public var path: Control.Path?

    /// Joins the parts.
    public init(path: Control.Path? = nil) {
      self.path = path
    }
  }

  /// The process that answers.
  public struct DaemonStatus: Codable, Hashable, Sendable {
    /// Its process id.
    public var pid: Int32
    /// Its version, as `cairn --version` writes it.
    public var version: String
    /// When it started.
    public var startedAt: Control.Time
    /// The version of the program that took the place of its own, and that it becomes when it is
    /// idle; nil: none did.
    public var replacedBy: String?

    /// Joins the parts.
    public init(
      pid: Int32, version: String, startedAt: Control.Time, replacedBy: String? = nil
    ) {
      self.replacedBy = replacedBy
      self.pid = pid
      self.version = version
      self.startedAt = startedAt
    }
  }

  /// Who this home belongs to, and on which device.
  public struct AccountStatus: Codable, Hashable, Sendable {
    /// The person's id, hexadecimal.
    public var user: String
    /// The name that others invite them by.
    public var handle: String
    /// The name to show.
    public var name: String
    /// The id of this device, hexadecimal.
    public var device: String
    /// The name of this device.
    public var deviceName: String

    /// Joins the parts.
    public init(user: String, handle: String, name: String, device: String, deviceName: String) {
      self.user = user
      self.handle = handle
      self.name = name
      self.device = device
      self.deviceName = deviceName
    }
  }

  /// The container that the daemon is attached to.
  public struct ContainerStatus: Codable, Hashable, Sendable {
    /// The container's id, hexadecimal.
    public var id: String
    /// Where it is.
    public var path: Control.Path
    /// What it is on, as the kernel names it (`ext4`, `nfs4`).
    public var fileSystem: String
    /// Whether the last attempt to use it succeeded; false while it isn't tried, being paused.
    public var reachable: Bool
    /// How it differs from what this device has read of it; nil: not at all.
    public var state: Control.LogState?
    /// How this device hears of what others write there; nil where no daemon does.
    public var news: Control.News?
    /// How the traffic with it is bounded; nil: not at all.
    public var traffic: Control.Traffic?

    /// Joins the parts.
    public init(
      id: String, path: Control.Path, fileSystem: String, reachable: Bool,
      state: Control.LogState? = nil, news: Control.News? = nil,
      traffic: Control.Traffic? = nil
    ) {
      self.news = news
      self.traffic = traffic
      self.id = id
      self.path = path
      self.fileSystem = fileSystem
      self.reachable = reachable
      self.state = state
    }
  }

  /// How far a mount's changes are noticed by themselves.
  public struct Watching: Codable, Hashable, Sendable {
    /// Directories that are watched.
    public var directories: Int
    /// Directories that could not be watched; they are scanned instead.
    public var unwatched: Int
    /// Why, and what to do, if not all can be watched.
    public var note: String?

    /// Joins the parts.
    public init(directories: Int, unwatched: Int, note: String? = nil) {
      self.directories = directories
      self.unwatched = unwatched
      self.note = note
    }
  }

  /// Bytes that could stay neither in the folder nor in the zone, and where they are now.
  public struct Rescued: Codable, Hashable, Sendable {
    /// Where they are, absolute.
    public var path: Control.Path
    /// Which file they were of, absolute.
    public var of: Control.Path
    /// Why.
    public var reason: String
    /// When.
    public var time: Control.Time

    /// Joins the parts.
    public init(path: Control.Path, of: Control.Path, reason: String, time: Control.Time) {
      self.path = path
      self.of = of
      self.reason = reason
      self.time = time
    }
  }

  /// One local folder that mirrors a zone.
  public struct MountStatus: Codable, Hashable, Sendable {
    /// The mount's id, hexadecimal.
    public var id: String
    /// The folder, absolute.
    public var path: Control.Path
    /// The zone's id, hexadecimal.
    public var zone: String
    /// The share's title, or the folder's name.
    public var title: String
    /// Whose zone it is.
    public var scope: Control.Scope
    /// My role.
    public var role: Control.Role
    /// My permission.
    public var permission: Control.Permission
    /// What the mount is doing.
    public var phase: Control.Phase
    /// How the zone's log differs from what this device has read of it; nil: not at all.
    public var state: Control.LogState?
    /// Files and symlinks in the zone.
    public var files: Int
    /// Directories in the zone, the root not counted.
    public var directories: Int
    /// Bytes of content of all files in the zone.
    public var bytes: Int64
    /// The last commit of the zone's log that the folder shows.
    public var sequence: UInt64
    /// What it has to do, and how far it is.
    public var work: Control.Work
    /// What rules leave out of it.
    public var ignored: Control.Ignored
    /// How far changes are noticed by themselves.
    public var watching: Control.Watching
    /// What is set aside, with the reason.
    public var problems: [Control.Problem]
    /// What lies in the rescue folder.
    public var rescued: [Control.Rescued]
    /// Conflict copies in the folder, absolute.
    public var conflicts: [Control.Path]
    /// What was deleted here and waits for a word; nil if nothing does.
    public var held: Control.Held?

    /// Joins the parts.
    public init(
      id: String, path: Control.Path, zone: String, title: String, scope: Control.Scope,
      role: Control.Role, permission: Control.Permission, phase: Control.Phase, files: Int,
      directories: Int, bytes: Int64, sequence: UInt64, work: Control.Work = Control.Work(),
      ignored: Control.Ignored = Control.Ignored(), watching: Control.Watching,
      problems: [Control.Problem] = [], rescued: [Control.Rescued] = [],
      conflicts: [Control.Path] = [], held: Control.Held? = nil, state: Control.LogState? = nil
    ) {
      self.state = state
      self.id = id
      self.path = path
      self.zone = zone
      self.title = title
      self.scope = scope
      self.role = role
      self.permission = permission
      self.phase = phase
      self.files = files
      self.directories = directories
      self.bytes = bytes
      self.sequence = sequence
      self.work = work
      self.ignored = ignored
      self.watching = watching
      self.problems = problems
      self.rescued = rescued
      self.conflicts = conflicts
      self.held = held
    }
  }

  /// What `status` answers.
  public struct StatusReply: Codable, Hashable, Sendable {
    /// The process that answers.
    public var daemon: Control.DaemonStatus
    /// Whose home it is.
    public var account: Control.AccountStatus
    /// Where the zones are.
    public var container: Control.ContainerStatus
    /// The mounts that were asked for, by path.
    public var mounts: [Control.MountStatus]
    /// What is wrong with the daemon or the container as a whole.
    public var problems: [Control.Problem]
    /// What lies in the home's rescue folder: what only the folders of shares had that ended.
    public var rescued: [Control.Rescued]
    /// The shares that ended for me within the last thirty days, the newest last.
    public var ended: [Control.Event]
    /// Devices that have changed or deleted unusually many files within a day.
    public var bursts: [Control.Burst]

    /// Joins the parts.
    public init(
      daemon: Control.DaemonStatus, account: Control.AccountStatus,
      container: Control.ContainerStatus, mounts: [Control.MountStatus],
      problems: [Control.Problem] = [], rescued: [Control.Rescued] = [],
      ended: [Control.Event] = [], bursts: [Control.Burst] = []
    ) {
      self.ended = ended
      self.bursts = bursts
      self.daemon = daemon
      self.account = account
      self.container = container
      self.mounts = mounts
      self.problems = problems
      self.rescued = rescued
    }
  }

  /// Waits until nothing is pending in either direction. Fails with `timedOut`, and a message
  /// that says what is pending.
  public struct Wait: TargetedOperation {
    /// The answer.
    public typealias Reply = Control.WaitReply
    /// `POST /v1/wait`.
    public static let name = "wait"
    /// The accepted targets.
    public static let targets: Control.Targets = .path
    /// Has a thread of its own in the daemon.
    public static let mayWait = true

    /// Only the mount that holds this absolute path; nil: all mounts.
    public var path: Control.Path?
    /// How long at most; nil: without limit.
    public var timeoutSeconds: Double?

    /// Joins the parts.
    public init(path: Control.Path? = nil, timeoutSeconds: Double? = nil) {
      self.path = path
      self.timeoutSeconds = timeoutSeconds
    }
  }

  /// What `wait` answers: all is in step.
  public struct WaitReply: Codable, Hashable, Sendable {
    /// The mounts that were waited for.
    public var mounts: [Control.MountStatus]

    /// Joins the parts.
    public init(mounts: [Control.MountStatus]) {
      self.mounts = mounts
    }
  }

  /// What is in a mounted folder, and how each name stands.
  public struct List: TargetedOperation {
    /// The answer.
    public typealias Reply = Control.ListReply
    /// `POST /v1/ls`.
    public static let name = "ls"
    /// The accepted targets.
    public static let targets: Control.Targets = .path

    /// An absolute path in a mount: a directory's entries, or the one entry.
    public var path: Control.Path
    /// With everything below.
    public var recursive: Bool
    /// Instead of the path: all mounts of this database.
    public var scope: Control.Scope?

    /// Joins the parts.
    public init(path: Control.Path, recursive: Bool = false, scope: Control.Scope? = nil) {
      self.path = path
      self.recursive = recursive
      self.scope = scope
    }
  }

  /// One name in a mounted folder.
  public struct Entry: Codable, Hashable, Sendable {
    /// Relative to the path that was asked for; that path's last name if it is a file.
    public var path: Control.Path
    /// What it is.
    public var kind: Control.EntryKind
    /// Bytes of content; a symlink's is the length of its target, a directory's is 0.
    public var size: Int64
    /// The modification time.
    public var modified: Control.Time
    /// Whether the owner may execute it.
    public var executable: Bool
    /// How it stands between folder and zone.
    public var state: Control.EntryState
    /// Who changed it last, if it is in the zone.
    public var changedBy: Control.Person?
    /// The commit that changed it last, if it is in the zone.
    public var sequence: UInt64?
    /// The record's UUID, if it is in the zone.
    public var record: String?

    /// Joins the parts.
    public init(
      path: Control.Path, kind: Control.EntryKind, size: Int64, modified: Control.Time,
      executable: Bool, state: Control.EntryState, changedBy: Control.Person? = nil,
      sequence: UInt64? = nil, record: String? = nil
    ) {
      self.path = path
      self.kind = kind
      self.size = size
      self.modified = modified
      self.executable = executable
      self.state = state
      self.changedBy = changedBy
      self.sequence = sequence
      self.record = record
    }
  }

  /// What `ls` answers.
  public struct ListReply: Codable, Hashable, Sendable {
    /// The mount's id.
    public var mount: String
    /// What was listed, absolute.
    public var path: Control.Path
    /// Its entries: a directory before what is in it, names in the order of their bytes.
    public var entries: [Control.Entry]

    /// Joins the parts.
    public init(mount: String, path: Control.Path, entries: [Control.Entry]) {
      self.mount = mount
      self.path = path
      self.entries = entries
    }
  }
}
