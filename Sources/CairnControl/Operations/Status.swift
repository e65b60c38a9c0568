// How the daemon and its mounts are: `status`, `wait`, `ls`, and their answers.

extension Control {
  /// Returns the states of the daemon, the container and the mounts.
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
    /// The time of its start.
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

  /// The person of this home, and the device.
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
    /// The path.
    public var path: Control.Path
    /// The file system, as the kernel names it (`ext4`, `nfs4`).
    public var fileSystem: String
    /// A Boolean value that indicates whether the last attempt to use it succeeded; false during a
    /// pause.
    public var reachable: Bool
    /// The difference from the data that this device has read of it; nil for none.
    public var state: Control.LogState?
    /// The way in which this device learns of others' writes there; nil without a daemon.
    public var news: Control.News?
    /// The pauses and limits of the traffic with it; nil for none.
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

  /// The watch on a mount, and what its file system doesn't keep.
  public struct Watching: Codable, Hashable, Sendable {
    /// Directories that are watched.
    public var directories: Int
    /// Directories that could not be watched; they are scanned instead.
    public var unwatched: Int
    /// Why, and what to do, if not all can be watched.
    public var note: String?
    /// The number of seconds between two scans of what is not watched; nil if everything is
    /// watched.
    public var scanSeconds: Double?
    /// The missing abilities of the folder's file system, as sentences; nil if there are none.
    public var fileSystem: [String]?

    /// Joins the parts.
    public init(
      directories: Int, unwatched: Int, note: String? = nil, scanSeconds: Double? = nil,
      fileSystem: [String]? = nil
    ) {
      self.directories = directories
      self.unwatched = unwatched
      self.note = note
      self.scanSeconds = scanSeconds
      self.fileSystem = fileSystem
    }
  }

  /// Bytes that could stay neither in the folder nor in the zone, and where they are now.
  public struct Rescued: Codable, Hashable, Sendable {
    /// The absolute path of the bytes.
    public var path: Control.Path
    /// The absolute path of their file.
    public var of: Control.Path
    /// Why.
    public var reason: String
    /// The time.
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
    /// The owner of the zone.
    public var scope: Control.Scope
    /// My role.
    public var role: Control.Role
    /// My permission.
    public var permission: Control.Permission
    /// The phase of the mount.
    public var phase: Control.Phase
    /// The difference of the zone's log from the data that this device has read of it; nil for
    /// none.
    public var state: Control.LogState?
    /// Files and symlinks in the zone.
    public var files: Int
    /// Directories in the zone, the root not counted.
    public var directories: Int
    /// Bytes of content of all files in the zone.
    public var bytes: Int64
    /// The last commit of the zone's log that the folder shows.
    public var sequence: UInt64
    /// The waiting and finished work.
    public var work: Control.Work
    /// The ignored names, and the entries that aren't selected.
    public var ignored: Control.Ignored
    /// The state of the watch.
    public var watching: Control.Watching
    /// The paths with problems, with the reasons.
    public var problems: [Control.Problem]
    /// The entries of the rescue folder.
    public var rescued: [Control.Rescued]
    /// Conflict copies in the folder, absolute.
    public var conflicts: [Control.Path]
    /// The deletions here that wait for a confirmation; nil if there are none.
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

  /// The answer of `status`.
  public struct StatusReply: Codable, Hashable, Sendable {
    /// The process that answers.
    public var daemon: Control.DaemonStatus
    /// The person and the device of the home.
    public var account: Control.AccountStatus
    /// The container of the zones.
    public var container: Control.ContainerStatus
    /// The mounts that were asked for, by path.
    public var mounts: [Control.MountStatus]
    /// The problems of the daemon or the container as a whole.
    public var problems: [Control.Problem]
    /// The entries of the home's rescue folder: files that only the folders of ended shares had.
    public var rescued: [Control.Rescued]
    /// The shares that ended for me within the last thirty days, the newest last.
    public var ended: [Control.Event]
    /// Devices that have changed or deleted unusually many files within a day.
    public var bursts: [Control.Burst]
    /// The invitations that wait for my answer, the oldest first, as this device saw them last.
    public var invitations: [Control.Invitation]
    /// The number of requests for access that wait for my answer.
    public var requests: Int
    /// The changes of my part in shares by others since the daemon started, the newest last.
    public var changed: [Control.Event]

    /// Joins the parts.
    public init(
      daemon: Control.DaemonStatus, account: Control.AccountStatus,
      container: Control.ContainerStatus, mounts: [Control.MountStatus],
      problems: [Control.Problem] = [], rescued: [Control.Rescued] = [],
      ended: [Control.Event] = [], bursts: [Control.Burst] = [],
      invitations: [Control.Invitation] = [], requests: Int = 0, changed: [Control.Event] = []
    ) {
      self.invitations = invitations
      self.requests = requests
      self.changed = changed
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
    /// The longest time; nil for no limit.
    public var timeoutSeconds: Double?

    /// Joins the parts.
    public init(path: Control.Path? = nil, timeoutSeconds: Double? = nil) {
      self.path = path
      self.timeoutSeconds = timeoutSeconds
    }
  }

  /// The answer of `wait`: everything is up to date.
  public struct WaitReply: Codable, Hashable, Sendable {
    /// The mounts that were waited for.
    public var mounts: [Control.MountStatus]

    /// Joins the parts.
    public init(mounts: [Control.MountStatus]) {
      self.mounts = mounts
    }
  }

  /// Lists the entries of a mounted folder with their states.
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
    /// The kind.
    public var kind: Control.EntryKind
    /// Bytes of content; a symlink's is the length of its target, a directory's is 0.
    public var size: Int64
    /// The modification time.
    public var modified: Control.Time
    /// A Boolean value that indicates whether the owner may execute it.
    public var executable: Bool
    /// The state between folder and zone.
    public var state: Control.EntryState
    /// The author of the last change, if it is in the zone.
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

  /// The answer of `ls`.
  public struct ListReply: Codable, Hashable, Sendable {
    /// The mount's id.
    public var mount: String
    /// The absolute path that was listed.
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
