// Generated from openapi.yaml by Sources/CairnControl/generate. Don't edit it.

extension Control {
  /// The actions of `init`, or the planned actions in a dry run.
  public struct SetupReply: Codable, Hashable, Sendable {
    /// True if nothing was done.
    public var dryRun: Bool
    /// The container. Its id is empty if it would be created.
    public var container: Control.ContainerStatus
    /// True if the command created, or would create, the container.
    public var containerCreated: Bool
    /// The person and the device. Their ids are empty in a dry run.
    public var account: Control.AccountStatus
    /// The origin of the keys. Missing in a home without an account.
    public var keys: Control.SetupKeys?
    /// The absolute path of the folder with keys and index.
    public var home: Control.Path
    /// The tested properties of the container's file system.
    public var probes: [Control.Probe]
    /// The actions, or the planned actions, as sentences.
    public var steps: [String]
    /// A warning if the mode of the container excludes all other users.
    public var warnings: [Control.Problem]

    /// Creates a value.
    public init(
      dryRun: Bool, container: Control.ContainerStatus, containerCreated: Bool,
      account: Control.AccountStatus, keys: Control.SetupKeys? = nil, home: Control.Path,
      probes: [Control.Probe], steps: [String], warnings: [Control.Problem] = []
    ) {
      self.dryRun = dryRun
      self.container = container
      self.containerCreated = containerCreated
      self.account = account
      self.keys = keys
      self.home = home
      self.probes = probes
      self.steps = steps
      self.warnings = warnings
    }
  }

  /// The answer of `start`.
  public struct PingReply: Codable, Hashable, Sendable {
    /// The daemon's process id.
    public var pid: Int32
    /// The daemon's version.
    public var version: String

    /// Creates a value.
    public init(pid: Int32, version: String) {
      self.pid = pid
      self.version = version
    }
  }

  /// The answer of `stop`.
  public struct StopReply: Codable, Hashable, Sendable {
    /// The process that stops. Missing if none was running.
    public var pid: Int32?

    /// Creates a value.
    public init(pid: Int32? = nil) {
      self.pid = pid
    }
  }

  /// The answer of `status`.
  public struct StatusReply: Codable, Hashable, Sendable {
    /// The daemon process.
    public var daemon: Control.DaemonStatus
    /// The account of the home.
    public var account: Control.AccountStatus
    /// The container with the zones.
    public var container: Control.ContainerStatus
    /// The requested mounts, sorted by path.
    public var mounts: [Control.MountStatus]
    /// Problems of the daemon, or of the container as a whole.
    public var problems: [Control.Problem]
    /// The files in the home's rescue folder, which only the folders of ended shares had.
    public var rescued: [Control.Rescued]
    /// The shares that ended for you within the last thirty days, at most ten, newest last. Those
    /// that a command on this device ended are left out.
    public var ended: [Control.Event]
    /// Mass-change alerts of the last day.
    public var bursts: [Control.Burst]
    /// The invitations that await your answer, oldest first, as this device last saw them.
    public var invitations: [Control.Invitation]
    /// The number of requests for access that await your answer.
    public var requests: Int
    /// The number of files that wait in your drop boxes. Missing without any.
    public var drops: Int?
    /// The names of the programs that ask for access and await your answer.
    public var programs: [String]
    /// Changes of your role or permission in shares by others since the daemon started, at most
    /// ten, newest last.
    public var changed: [Control.Event]

    /// Creates a value.
    public init(
      daemon: Control.DaemonStatus, account: Control.AccountStatus,
      container: Control.ContainerStatus, mounts: [Control.MountStatus],
      problems: [Control.Problem] = [], rescued: [Control.Rescued] = [],
      ended: [Control.Event] = [], bursts: [Control.Burst] = [],
      invitations: [Control.Invitation] = [], requests: Int = 0, drops: Int? = nil,
      programs: [String] = [], changed: [Control.Event] = []
    ) {
      self.daemon = daemon
      self.account = account
      self.container = container
      self.mounts = mounts
      self.problems = problems
      self.rescued = rescued
      self.ended = ended
      self.bursts = bursts
      self.invitations = invitations
      self.requests = requests
      self.drops = drops
      self.programs = programs
      self.changed = changed
    }
  }

  /// The answer of `wait`: everything is up to date.
  public struct WaitReply: Codable, Hashable, Sendable {
    /// The mounts that were waited for.
    public var mounts: [Control.MountStatus]

    /// Creates a value.
    public init(mounts: [Control.MountStatus]) {
      self.mounts = mounts
    }
  }

  /// An event, printed by `events`.
  public struct Event: Codable, Hashable, Sendable {
    /// The number, counted from the start of the daemon. 0 for an event of an earlier run.
    public var number: UInt64
    /// The time of the event.
    public var time: Control.Time
    /// One of the kinds that cairn-status(1) lists, or a newer word.
    public var kind: String
    /// The id of the mount that the event concerns. Only if it concerns one.
    public var mount: String?
    /// The absolute path of the file or folder that the event concerns. Only if it concerns one.
    public var path: Control.Path?
    /// A sentence for people.
    public var text: String
    /// The name of the event's container. Only if the home has several containers.
    public var containerName: String?
    /// The person who caused it. Only if this person is known, and isn't you.
    public var by: Control.Person?
    /// The kind of the problem: the code of an error, or another word. `notice` is information, and
    /// not a problem. Only for a problem with a path.
    public var code: String?

    /// Creates a value.
    public init(
      number: UInt64, time: Control.Time, kind: String, mount: String? = nil,
      path: Control.Path? = nil, text: String, containerName: String? = nil,
      by: Control.Person? = nil, code: String? = nil
    ) {
      self.number = number
      self.time = time
      self.kind = kind
      self.mount = mount
      self.path = path
      self.text = text
      self.containerName = containerName
      self.by = by
      self.code = code
    }
  }

  /// An event that a person needs to know at once, printed by `events --notify`.
  public struct Notice: Codable, Hashable, Sendable {
    /// The kind of the event, `trouble` or `several`.
    public var about: String
    /// A few words.
    public var title: String
    /// One or two sentences for people, each on a separate line.
    public var text: String
    /// The label of its action.
    public var action: String
    /// The action on a desktop, as the arguments of `cairn`.
    public var show: [String]
    /// The command to type if there is no desktop.
    public var command: String

    /// Creates a value.
    public init(
      about: String, title: String, text: String, action: String, show: [String], command: String
    ) {
      self.about = about
      self.title = title
      self.text = text
      self.action = action
      self.show = show
      self.command = command
    }
  }

  /// The answer of `pause`.
  public struct PauseReply: Codable, Hashable, Sendable {
    /// The start and the end of the pause.
    public var paused: Control.Paused
    /// The absolute paths of the affected folders.
    public var paths: [Control.Path]

    /// Creates a value.
    public init(paused: Control.Paused, paths: [Control.Path]) {
      self.paused = paused
      self.paths = paths
    }
  }

  /// The answer of `resume`.
  public struct ResumeReply: Codable, Hashable, Sendable {
    /// True if something was paused.
    public var resumed: Bool
    /// The folders that it is about, absolute.
    public var paths: [Control.Path]

    /// Creates a value.
    public init(resumed: Bool, paths: [Control.Path]) {
      self.resumed = resumed
      self.paths = paths
    }
  }

  /// The answer of `console`.
  public struct ConsoleReply: Codable, Hashable, Sendable {
    /// The address of the page with the secret, which works once.
    public var url: String
    /// The port on 127.0.0.1.
    public var port: UInt16
    /// The time when the secret expires if nobody uses it.
    public var expires: Control.Time

    /// Creates a value.
    public init(url: String, port: UInt16, expires: Control.Time) {
      self.url = url
      self.port = port
      self.expires = expires
    }
  }

  /// The answer of `ls`.
  public struct ListReply: Codable, Hashable, Sendable {
    /// The mount's id.
    public var mount: String
    /// The absolute path that was listed.
    public var path: Control.Path
    /// The entries. A directory is listed before its contents, and names are sorted by their bytes.
    public var entries: [Control.Entry]

    /// Creates a value.
    public init(mount: String, path: Control.Path, entries: [Control.Entry]) {
      self.mount = mount
      self.path = path
      self.entries = entries
    }
  }

  /// The answer of `ls --at`.
  public struct TreeReply: Codable, Hashable, Sendable {
    /// The log entry after which the directory had this state.
    public var at: Control.LogPlace
    /// The contents, sorted by the bytes of the names. A directory is listed before its contents.
    public var entries: [Control.PastEntry]

    /// Creates a value.
    public init(at: Control.LogPlace, entries: [Control.PastEntry]) {
      self.at = at
      self.entries = entries
    }
  }

  /// The answer of `transfers`.
  public struct TransfersReply: Codable, Hashable, Sendable {
    /// The files, folder by folder, those under way first.
    public var transfers: [Control.Transfer]
    /// The number of files that are not listed.
    public var more: Int

    /// Creates a value.
    public init(transfers: [Control.Transfer], more: Int = 0) {
      self.transfers = transfers
      self.more = more
    }
  }

  /// The answer of `transfers --first`.
  public struct TransferFirstReply: Codable, Hashable, Sendable {
    /// The number of files that come first now.
    public var files: Int

    /// Creates a value.
    public init(files: Int) {
      self.files = files
    }
  }

  /// The answer of `can`.
  public struct CanReply: Codable, Hashable, Sendable {
    /// The absolute path of the file or folder.
    public var path: Control.Path
    /// The database that contains it. Missing if it is in none.
    public var scope: Control.Scope?
    /// The four answers.
    public var permits: [Control.Permit]

    /// Creates a value.
    public init(path: Control.Path, scope: Control.Scope? = nil, permits: [Control.Permit]) {
      self.path = path
      self.scope = scope
      self.permits = permits
    }
  }

  /// The answer of `can modify`.
  public struct CanModifyReply: Codable, Hashable, Sendable {
    /// The database.
    public var scope: Control.Scope
    /// True if the action is allowed.
    public var allowed: Bool
    /// The reason, as a sentence.
    public var reason: String

    /// Creates a value.
    public init(scope: Control.Scope, allowed: Bool, reason: String) {
      self.scope = scope
      self.allowed = allowed
      self.reason = reason
    }
  }

  /// The answer of `add` and `public mount`. The first scan continues in the background.
  public struct AddReply: Codable, Hashable, Sendable {
    /// False if the folder was already mirrored.
    public var created: Bool
    /// True if nothing was done.
    public var dryRun: Bool
    /// The mount. Missing in a dry run.
    public var mount: Control.MountStatus?
    /// The absolute path of the folder.
    public var path: Control.Path
    /// The number of files and symlinks that would be mirrored. Only in a dry run.
    public var files: Int?
    /// The number of directories that would be mirrored. Only in a dry run.
    public var directories: Int?
    /// The size of the content of those files. Only in a dry run.
    public var bytes: Int64?
    /// The number of names that the ignore rules exclude. Only in a dry run.
    public var ignored: Int?
    /// The items that a dry run would skip, with the reason. Otherwise empty.
    public var skipped: [Control.Problem]
    /// The ids of your other zones with the name of the folder. Such a zone is mirrored by no
    /// folder here, or by one that appeared by itself. You may have meant one of them. Missing in a
    /// dry run, with a named zone, and if the folder was already mirrored.
    public var namesakes: [String]?

    /// Creates a value.
    public init(
      created: Bool, dryRun: Bool = false, mount: Control.MountStatus? = nil, path: Control.Path,
      files: Int? = nil, directories: Int? = nil, bytes: Int64? = nil, ignored: Int? = nil,
      skipped: [Control.Problem] = [], namesakes: [String]? = nil
    ) {
      self.created = created
      self.dryRun = dryRun
      self.mount = mount
      self.path = path
      self.files = files
      self.directories = directories
      self.bytes = bytes
      self.ignored = ignored
      self.skipped = skipped
      self.namesakes = namesakes
    }
  }

  /// The answer of `remove` and `public unmount`.
  public struct RemoveReply: Codable, Hashable, Sendable {
    /// The absolute path of the folder that is no longer mirrored.
    public var path: Control.Path
    /// The zone that it mirrored.
    public var zone: String
    /// The number of names with changes that had not reached the zone, and now will not.
    public var pendingLocal: Int

    /// Creates a value.
    public init(path: Control.Path, zone: String, pendingLocal: Int) {
      self.path = path
      self.zone = zone
      self.pendingLocal = pendingLocal
    }
  }

  /// The answer of `move`.
  public struct MoveReply: Codable, Hashable, Sendable {
    /// The former absolute path of the folder.
    public var path: Control.Path
    /// Its absolute path from now on.
    public var place: Control.Path
    /// The zone that it mirrors.
    public var zone: String

    /// Creates a value.
    public init(path: Control.Path, place: Control.Path, zone: String) {
      self.path = path
      self.place = place
      self.zone = zone
    }
  }

  /// The answer of `verify`. Damage is an answer, and not an error. The command then exits with
  /// status 35.
  public struct VerifyReply: Codable, Hashable, Sendable {
    /// The number of zones that were read.
    public var zones: Int
    /// The number of commits that were read and checked.
    public var commits: Int
    /// The number of chunks that were read, opened and compared with their names.
    public var chunks: Int
    /// The number of bytes that were read from the container.
    public var bytes: Int64
    /// The damaged or refused objects.
    public var damage: [Control.Damage]
    /// Other findings, as sentences. They are no damage.
    public var notes: [String]

    /// Creates a value.
    public init(
      zones: Int, commits: Int, chunks: Int, bytes: Int64, damage: [Control.Damage],
      notes: [String] = []
    ) {
      self.zones = zones
      self.commits = commits
      self.chunks = chunks
      self.bytes = bytes
      self.damage = damage
      self.notes = notes
    }
  }

  /// The answer of `repair`.
  public struct RepairReply: Codable, Hashable, Sendable {
    /// The actions, or the planned actions. Empty if nothing is wrong.
    public var steps: [Control.RepairStep]
    /// True if the actions were carried out.
    public var done: Bool

    /// Creates a value.
    public init(steps: [Control.RepairStep], done: Bool) {
      self.steps = steps
      self.done = done
    }
  }

  /// The answer of `gc`.
  public struct GarbageReply: Codable, Hashable, Sendable {
    /// All packs of this person.
    public var all: Control.PackCount
    /// The packs that no entry references.
    public var unnamed: Control.PackCount
    /// The packs that contain only versions which are no longer kept.
    public var unneeded: Control.PackCount
    /// The packs that wait for the end of their grace period.
    public var waiting: Control.PackCount
    /// The time when the next of these packs can be deleted. Only if some packs wait.
    public var next: Control.Time?
    /// The packs that were deleted.
    public var deleted: Control.PackCount
    /// The keys of the packs that the container doesn't let this person delete.
    public var refused: [String]
    /// The packs that were less than half used and were repacked, or would be.
    public var repacked: Control.PackCount
    /// The number of zones in which older packs were closed.
    public var closed: Int
    /// The number of zones in which a snapshot was created, from which new participants start
    /// reading.
    public var floors: Int
    /// The entries below such snapshots that aren't deleted yet. A dry run also counts those below
    /// planned snapshots.
    public var entries: Control.EntryCount
    /// The entries that were deleted.
    public var deletedEntries: Control.EntryCount
    /// The bytes of replaced versions and deleted files of this person's folders.
    public var history: Control.HistoryBytes

    /// Creates a value.
    public init(
      all: Control.PackCount, unnamed: Control.PackCount, unneeded: Control.PackCount,
      waiting: Control.PackCount, next: Control.Time? = nil, deleted: Control.PackCount,
      refused: [String], repacked: Control.PackCount, closed: Int, floors: Int,
      entries: Control.EntryCount, deletedEntries: Control.EntryCount, history: Control.HistoryBytes
    ) {
      self.all = all
      self.unnamed = unnamed
      self.unneeded = unneeded
      self.waiting = waiting
      self.next = next
      self.deleted = deleted
      self.refused = refused
      self.repacked = repacked
      self.closed = closed
      self.floors = floors
      self.entries = entries
      self.deletedEntries = deletedEntries
      self.history = history
    }
  }

  /// The answer of `quota`.
  public struct QuotaReply: Codable, Hashable, Sendable {
    /// The zones, sorted by title.
    public var zones: [Control.ZoneQuota]
    /// The storage that all your zones use in the container. It includes packs and logs, sealed and
    /// padded. Missing while the container can't be reached.
    public var stored: UInt64?
    /// The public database, which belongs to nobody and has no limit. Missing if it is empty, or if
    /// the request named one share.
    public var publicFiles: Control.PublicQuota?

    /// Creates a value.
    public init(
      zones: [Control.ZoneQuota], stored: UInt64? = nil, publicFiles: Control.PublicQuota? = nil
    ) {
      self.zones = zones
      self.stored = stored
      self.publicFiles = publicFiles
    }
  }

  /// The answer of `purge`.
  public struct PurgeReply: Codable, Hashable, Sendable {
    /// The zone's id.
    public var id: String
    /// The share's title, or the zone's name.
    public var title: String
    /// The folders and single files that mirrored it here, absolute.
    public var paths: [Control.Path]
    /// The amount of data in the zone.
    public var amount: Control.Amount
    /// The other people in the share, who lose it. Empty if the share belonged to another person.
    public var people: [Control.Person]
    /// The folder with the files that were in the mirrored folders. Missing if there were none.
    public var rescued: Control.Path?

    /// Creates a value.
    public init(
      id: String, title: String, paths: [Control.Path], amount: Control.Amount,
      people: [Control.Person], rescued: Control.Path? = nil
    ) {
      self.id = id
      self.title = title
      self.paths = paths
      self.amount = amount
      self.people = people
      self.rescued = rescued
    }
  }

  /// The answer of `share leave` and `share stop`.
  public struct LeaveReply: Codable, Hashable, Sendable {
    /// The share's id.
    public var id: String
    /// Its title.
    public var title: String
    /// The folder that mirrored it, or that has the copy. Only if there is one.
    public var path: Control.Path?
    /// True if the files stayed there.
    public var kept: Bool

    /// Creates a value.
    public init(id: String, title: String, path: Control.Path? = nil, kept: Bool) {
      self.id = id
      self.title = title
      self.path = path
      self.kept = kept
    }
  }

  /// The answer of `share decline`.
  public struct DeclineReply: Codable, Hashable, Sendable {
    /// The share's id.
    public var id: String
    /// Its title.
    public var title: String
    /// The inviter.
    public var from: Control.Person

    /// Creates a value.
    public init(id: String, title: String, from: Control.Person) {
      self.id = id
      self.title = title
      self.from = from
    }
  }

  /// The answer of `log`.
  public struct LogReply: Codable, Hashable, Sendable {
    /// The entries of each zone, in the order of its log.
    public var entries: [Control.LogEntry]

    /// Creates a value.
    public init(entries: [Control.LogEntry]) {
      self.entries = entries
    }
  }

  /// The answer of `changes`.
  public struct ChangesReply: Codable, Hashable, Sendable {
    /// The zone's id.
    public var zone: String
    /// The records, earliest change first.
    public var changes: [Control.Change]
    /// The change token for the next request. It is opaque, and belongs to this zone.
    public var token: String

    /// Creates a value.
    public init(zone: String, changes: [Control.Change], token: String) {
      self.zone = zone
      self.changes = changes
      self.token = token
    }
  }

  /// The answer of `why`.
  public struct WhyReply: Codable, Hashable, Sendable {
    /// The absolute path.
    public var path: Control.Path
    /// The zone of the path. Missing if it isn't in a mirrored folder.
    public var zone: String?
    /// The UUID of its record. Only if the zone has one.
    public var record: String?
    /// The current state, pending changes first.
    public var now: [Control.WhyReason]
    /// The cause, latest log entry first.
    public var history: [Control.WhyReason]

    /// Creates a value.
    public init(
      path: Control.Path, zone: String? = nil, record: String? = nil, now: [Control.WhyReason] = [],
      history: [Control.WhyReason] = []
    ) {
      self.path = path
      self.zone = zone
      self.record = record
      self.now = now
      self.history = history
    }
  }

  /// The answer of `zones`.
  public struct ZonesReply: Codable, Hashable, Sendable {
    /// The zones, sorted by name and id.
    public var zones: [Control.ZoneStatus]

    /// Creates a value.
    public init(zones: [Control.ZoneStatus]) {
      self.zones = zones
    }
  }

  /// The answer of `schema`.
  public struct SchemaReply: Codable, Hashable, Sendable {
    /// The zone's id.
    public var zone: String
    /// The types, sorted by name, with those of folders first.
    public var types: [Control.RecordSchema]

    /// Creates a value.
    public init(zone: String, types: [Control.RecordSchema]) {
      self.zone = zone
      self.types = types
    }
  }

  /// The answer of `stat` and `share of`.
  public struct StatReply: Codable, Hashable, Sendable {
    /// The paths, in the order of the request.
    public var paths: [Control.PathStatus]

    /// Creates a value.
    public init(paths: [Control.PathStatus]) {
      self.paths = paths
    }
  }

  /// The answer of `inspect`.
  public struct InspectReply: Codable, Hashable, Sendable {
    /// The container's id.
    public var container: String
    /// The version of the format of all objects in it.
    public var format: Int
    /// The time of its creation, by its founder's clock.
    public var created: Control.Time
    /// The note of its founder for people who find it.
    public var note: String
    /// All people, sorted by id.
    public var users: [Control.InspectedUser]
    /// All zones, sorted by id.
    public var zones: [Control.InspectedZone]

    /// Creates a value.
    public init(
      container: String, format: Int, created: Control.Time, note: String,
      users: [Control.InspectedUser], zones: [Control.InspectedZone]
    ) {
      self.container = container
      self.format = format
      self.created = created
      self.note = note
      self.users = users
      self.zones = zones
    }
  }

  /// The answer of `container copy`. Problems of single objects are an answer, and not an error.
  public struct ContainerCopyReply: Codable, Hashable, Sendable {
    /// The location of the copy.
    public var target: Control.Path
    /// The id of the container, which is also the id of the copy.
    public var container: String
    /// True if there was no copy before.
    public var isNew: Bool
    /// The objects that were copied.
    public var copied: Control.ObjectCount
    /// The objects that the copy already had.
    public var there: Control.ObjectCount
    /// The objects among these that were read on both sides and are equal.
    public var compared: Control.ObjectCount
    /// The objects that the copy has, and that the container no longer has.
    public var kept: Control.ObjectCount
    /// The number of objects that were deleted while they were copied.
    public var gone: Int
    /// Folders of logs in which the copy may have a gap, because others wrote to them too fast.
    public var unsettled: [String]
    /// The number of objects with a problem.
    public var problemCount: Int
    /// The objects with a problem, at most the first thousand.
    public var problems: [Control.CopyProblem]

    /// Creates a value.
    public init(
      target: Control.Path, container: String, isNew: Bool, copied: Control.ObjectCount,
      there: Control.ObjectCount, compared: Control.ObjectCount, kept: Control.ObjectCount,
      gone: Int, unsettled: [String], problemCount: Int, problems: [Control.CopyProblem]
    ) {
      self.target = target
      self.container = container
      self.isNew = isNew
      self.copied = copied
      self.there = there
      self.compared = compared
      self.kept = kept
      self.gone = gone
      self.unsettled = unsettled
      self.problemCount = problemCount
      self.problems = problems
    }
  }

  /// A count of objects.
  public struct ObjectCount: Codable, Hashable, Sendable {
    /// The number of objects.
    public var objects: Int
    /// Their total size.
    public var bytes: Int64

    /// Creates a value.
    public init(objects: Int, bytes: Int64) {
      self.objects = objects
      self.bytes = bytes
    }
  }

  /// An object that isn't equal in the container and in the copy.
  public struct CopyProblem: Codable, Hashable, Sendable {
    /// The key of the object.
    public var object: String
    /// True if the copy has a different object with this key. False if the object can't be read in
    /// the container.
    public var differs: Bool
    /// The error.
    public var message: String

    /// Creates a value.
    public init(object: String, differs: Bool, message: String) {
      self.object = object
      self.differs = differs
      self.message = message
    }
  }

  /// The answer of `container move`. Objects of yours that can't be copied are an answer, and not
  /// an error. Then nothing is moved.
  public struct ContainerMoveReply: Codable, Hashable, Sendable {
    /// The new location.
    public var target: Control.Path
    /// The container's id, which stays the same.
    public var container: String
    /// True if this was a dry run.
    public var dryRun: Bool
    /// True if nobody had moved there before.
    public var isNew: Bool
    /// True if this home uses the new location from now on.
    public var isDone: Bool
    /// Your zones, which continue there.
    public var own: [Control.MovingZone]
    /// Zones of others that have already moved there.
    public var there: [Control.MovingZone]
    /// Zones of others that haven't moved. They can be read, and can be written again when their
    /// owners have moved.
    public var staying: [Control.MovingZone]
    /// The objects that were copied.
    public var copied: Control.ObjectCount
    /// The number of objects with a problem, of all people.
    public var problemCount: Int
    /// The objects with a problem, at most the first thousand.
    public var problems: [Control.CopyProblem]

    /// Creates a value.
    public init(
      target: Control.Path, container: String, dryRun: Bool, isNew: Bool, isDone: Bool,
      own: [Control.MovingZone], there: [Control.MovingZone], staying: [Control.MovingZone],
      copied: Control.ObjectCount, problemCount: Int = 0, problems: [Control.CopyProblem] = []
    ) {
      self.target = target
      self.container = container
      self.dryRun = dryRun
      self.isNew = isNew
      self.isDone = isDone
      self.own = own
      self.there = there
      self.staying = staying
      self.copied = copied
      self.problemCount = problemCount
      self.problems = problems
    }
  }

  /// A zone in a move to another location.
  public struct MovingZone: Codable, Hashable, Sendable {
    /// The zone's id.
    public var zone: String
    /// The zone's title.
    public var title: String
    /// The person who owns it, or publishes it. Missing if the container doesn't show them.
    public var owner: Control.Person?

    /// Creates a value.
    public init(zone: String, title: String, owner: Control.Person? = nil) {
      self.zone = zone
      self.title = title
      self.owner = owner
    }
  }

  /// The answer of `container policy`.
  public struct ContainerPolicyReply: Codable, Hashable, Sendable {
    /// The person who gets the permissions.
    public var person: Control.Person
    /// The policy, in the format of the engine. Missing for a container in a directory.
    public var document: String?
    /// Notes about the policy, as sentences. For a directory, the required actions.
    public var notes: [String]

    /// Creates a value.
    public init(person: Control.Person, document: String? = nil, notes: [String]) {
      self.person = person
      self.document = document
      self.notes = notes
    }
  }

  /// The answer of `container list` and `container rename`.
  public struct ContainerListReply: Codable, Hashable, Sendable {
    /// The containers of this home, the first one first.
    public var containers: [Control.HomeContainer]

    /// Creates a value.
    public init(containers: [Control.HomeContainer]) {
      self.containers = containers
    }
  }

  /// The answer of `container remove`.
  public struct ContainerRemoveReply: Codable, Hashable, Sendable {
    /// The name that the container had in this home.
    public var name: String
    /// The new path of the container's configuration. Its keys are beside this file.
    public var configuration: Control.Path

    /// Creates a value.
    public init(name: String, configuration: Control.Path) {
      self.name = name
      self.configuration = configuration
    }
  }

  /// The answer of `doctor`.
  public struct DoctorReply: Codable, Hashable, Sendable {
    /// The checks.
    public var checks: [Control.Check]

    /// Creates a value.
    public init(checks: [Control.Check]) {
      self.checks = checks
    }
  }

  /// The answer of `doctor --report`.
  public struct ReportReply: Codable, Hashable, Sendable {
    /// The report, as it was written into the file.
    public var text: String
    /// The titles of its sections.
    public var sections: [String]

    /// Creates a value.
    public init(text: String, sections: [String]) {
      self.text = text
      self.sections = sections
    }
  }

  /// The answer of `log-level`.
  public struct LogLevelReply: Codable, Hashable, Sendable {
    /// The levels that are in force, in the form that the command accepts.
    public var levels: String

    /// Creates a value.
    public init(levels: String) {
      self.levels = levels
    }
  }

  /// The answer of `history list`.
  public struct HistoryReply: Codable, Hashable, Sendable {
    /// The changes, newest first.
    public var entries: [Control.HistoryEntry]
    /// True if there are more changes than requested.
    public var isCut: Bool
    /// The entry after which the history begins for you, if you can't see the history before it.
    /// The time is that of the first known entry after it. Missing if the history begins with the
    /// folder.
    public var begins: Control.LogPlace?
    /// The last log position in this answer that this device didn't read itself. For changes up to
    /// there, the folder's owner vouches for the authors. Missing if this device has read
    /// everything.
    public var told: UInt64?

    /// Creates a value.
    public init(
      entries: [Control.HistoryEntry], isCut: Bool = false, begins: Control.LogPlace? = nil,
      told: UInt64? = nil
    ) {
      self.entries = entries
      self.isCut = isCut
      self.begins = begins
      self.told = told
    }
  }

  /// The answer of `history policy`.
  public struct HistoryPolicyReply: Codable, Hashable, Sendable {
    /// The current policy, or the given one in a dry run.
    public var policy: Control.KeptHistory
    /// The time until which versions are kept that the former policy kept. Only for the owner, and
    /// only after a change that keeps less.
    public var formerUntil: Control.Time?
    /// The size of the present past versions that the policy no longer keeps from `freesFrom` on.
    /// Only for the owner, in a dry run, and until a changed policy counts alone.
    public var frees: UInt64?
    /// The time from which the policy counts alone. Only with `frees`.
    public var freesFrom: Control.Time?
    /// The size of more of these versions, which the policy keeps until `freesLaterFrom` because of
    /// their age. Only if there are any.
    public var freesLater: UInt64?
    /// The time from which none of these versions is kept because of its age. Only with
    /// `freesLater`.
    public var freesLaterFrom: Control.Time?

    /// Creates a value.
    public init(
      policy: Control.KeptHistory, formerUntil: Control.Time? = nil, frees: UInt64? = nil,
      freesFrom: Control.Time? = nil, freesLater: UInt64? = nil, freesLaterFrom: Control.Time? = nil
    ) {
      self.policy = policy
      self.formerUntil = formerUntil
      self.frees = frees
      self.freesFrom = freesFrom
      self.freesLater = freesLater
      self.freesLaterFrom = freesLaterFrom
    }
  }

  /// The answer of `history forget`.
  public struct HistoryForgetReply: Codable, Hashable, Sendable {
    /// The forgotten versions, latest first.
    public var versions: [Control.FileVersion]
    /// The size of their contents, with equal contents counted once.
    public var bytes: UInt64
    /// Other versions with some of the same content, which stay; at most 100.
    public var elsewhere: [Control.FileVersion]
    /// The time until which the content stays in the container at least. Missing if nothing was
    /// done.
    public var until: Control.Time?
    /// The data that was deleted at once, and the data that waits. Missing if nothing was done.
    public var garbage: Control.GarbageReply?

    /// Creates a value.
    public init(
      versions: [Control.FileVersion], bytes: UInt64, elsewhere: [Control.FileVersion],
      until: Control.Time? = nil, garbage: Control.GarbageReply? = nil
    ) {
      self.versions = versions
      self.bytes = bytes
      self.elsewhere = elsewhere
      self.until = until
      self.garbage = garbage
    }
  }

  /// The answer of `show`: the data of a version, without its content.
  public struct Shown: Codable, Hashable, Sendable {
    /// The version: the log position of its first entry.
    public var version: UInt64
    /// The id of the former zone whose log has that position. Missing if it is the log of the
    /// folder's zone.
    public var zone: String?
    /// The time when it was made, by its author's clock. Missing if the time is unknown.
    public var time: Control.Time?
    /// The size of the content.
    public var size: Int64

    /// Creates a value.
    public init(version: UInt64, zone: String? = nil, time: Control.Time? = nil, size: Int64) {
      self.version = version
      self.zone = zone
      self.time = time
      self.size = size
    }
  }

  /// The difference between two files, the answer of `diff` and `conflicts diff`.
  public struct FileComparison: Codable, Hashable, Sendable {
    /// The names of both files.
    public var paths: [Control.Path]
    /// The sizes of both files.
    public var sizes: [Int64]
    /// The offset of the first different byte, or of the end of the shorter file. Missing if the
    /// files are equal.
    public var firstDifference: Int64?
    /// True if nothing in the files shows that they aren't text.
    public var isText: Bool

    /// Creates a value.
    public init(
      paths: [Control.Path], sizes: [Int64], firstDifference: Int64? = nil, isText: Bool
    ) {
      self.paths = paths
      self.sizes = sizes
      self.firstDifference = firstDifference
      self.isText = isText
    }
  }

  /// The answer of `restore` and `rewind`.
  public struct RestoreReply: Codable, Hashable, Sendable {
    /// The log entry that the command returned to.
    public var to: Control.LogPlace
    /// The changes, or the planned changes.
    public var paths: [Control.RestoredPath]
    /// True if nothing was done.
    public var dryRun: Bool
    /// The changes of each device since then, for a rewind.
    public var work: [Control.DeviceWork]
    /// The total number of paths.
    public var total: Int
    /// The number of commits, or of planned commits.
    public var commits: Int
    /// The act in the log: the position of its first entry. Missing if nothing was done.
    public var act: UInt64?
    /// True if the folder on this device has the result. False for a dry run, and if the result
    /// arrives later.
    public var applied: Bool
    /// The items that can't be restored, with the reasons.
    public var problems: [Control.Problem]

    /// Creates a value.
    public init(
      to: Control.LogPlace, paths: [Control.RestoredPath] = [], dryRun: Bool,
      work: [Control.DeviceWork] = [], total: Int, commits: Int, act: UInt64? = nil, applied: Bool,
      problems: [Control.Problem] = []
    ) {
      self.to = to
      self.paths = paths
      self.dryRun = dryRun
      self.work = work
      self.total = total
      self.commits = commits
      self.act = act
      self.applied = applied
      self.problems = problems
    }
  }

  /// The answer of `restore --to`.
  public struct FetchReply: Codable, Hashable, Sendable {
    /// The path that was written.
    public var destination: Control.Path
    /// The version of a file, or the log position of a directory.
    public var version: UInt64
    /// The id of the former zone whose log has that position. Missing if it is the log of the
    /// folder's zone.
    public var zone: String?
    /// The time when that version was made, by its author's clock. Missing if the time is unknown.
    public var time: Control.Time?
    /// The number of files and symlinks that were written.
    public var files: Int
    /// Their total size.
    public var bytes: Int64

    /// Creates a value.
    public init(
      destination: Control.Path, version: UInt64, zone: String? = nil, time: Control.Time? = nil,
      files: Int, bytes: Int64
    ) {
      self.destination = destination
      self.version = version
      self.zone = zone
      self.time = time
      self.files = files
      self.bytes = bytes
    }
  }

  /// The answer of `held list`, `held confirm` and `held undo`.
  public struct HeldReply: Codable, Hashable, Sendable {
    /// The mounts in which deletions are or were held.
    public var mounts: [Control.HeldMount]

    /// Creates a value.
    public init(mounts: [Control.HeldMount]) {
      self.mounts = mounts
    }
  }

  /// The answer of `select` and `get`.
  public struct SelectReply: Codable, Hashable, Sendable {
    /// The mount's id.
    public var mount: String
    /// The absolute path of the folder.
    public var path: Control.Path
    /// The decisions, sorted by path. Empty if everything is selected.
    public var selection: [Control.SelectionEntry]
    /// The contents of the zone that aren't selected. Missing if everything is.
    public var leftOut: Control.LeftOut?
    /// The entries of the requested directory. Missing if none was requested.
    public var list: [Control.SelectionChoice]?

    /// Creates a value.
    public init(
      mount: String, path: Control.Path, selection: [Control.SelectionEntry],
      leftOut: Control.LeftOut? = nil, list: [Control.SelectionChoice]? = nil
    ) {
      self.mount = mount
      self.path = path
      self.selection = selection
      self.leftOut = leftOut
      self.list = list
    }
  }

  /// The answer of `viewOpen`.
  public struct ViewReply: Codable, Hashable, Sendable {
    /// The zone's id.
    public var zone: String
    /// The record of the directory.
    public var record: String
    /// The title of the share.
    public var title: String
    /// True if this person may edit.
    public var editable: Bool

    /// Creates a value.
    public init(zone: String, record: String, title: String, editable: Bool) {
      self.zone = zone
      self.record = record
      self.title = title
      self.editable = editable
    }
  }

  /// The answer of `viewFind`.
  public struct ViewFindReply: Codable, Hashable, Sendable {
    /// The entry.
    public var entry: Control.ViewEntry

    /// Creates a value.
    public init(entry: Control.ViewEntry) {
      self.entry = entry
    }
  }

  /// The answer of `viewList`.
  public struct ViewListReply: Codable, Hashable, Sendable {
    /// The entries, sorted by the bytes of their names.
    public var entries: [Control.ViewEntry]
    /// The name after which the next part begins. Missing at the end.
    public var next: Control.Path?

    /// Creates a value.
    public init(entries: [Control.ViewEntry], next: Control.Path? = nil) {
      self.entries = entries
      self.next = next
    }
  }

  /// The answer of `viewChange`.
  public struct ViewChangeReply: Codable, Hashable, Sendable {
    /// The entry after the change. Missing if it was deleted.
    public var entry: Control.ViewEntry?

    /// Creates a value.
    public init(entry: Control.ViewEntry? = nil) {
      self.entry = entry
    }
  }

  /// The answer of `viewPut`.
  public struct ViewPutReply: Codable, Hashable, Sendable {
    /// The file with the bytes.
    public var entry: Control.ViewEntry
    /// True if the entry is a conflict copy.
    public var conflict: Bool

    /// Creates a value.
    public init(entry: Control.ViewEntry, conflict: Bool) {
      self.entry = entry
      self.conflict = conflict
    }
  }

  /// The answer of `viewRead`.
  public struct ViewReadReply: Codable, Hashable, Sendable {
    /// The first byte that the file has now.
    public var offset: Int64
    /// The number of written bytes: whole chunks.
    public var length: Int64

    /// Creates a value.
    public init(offset: Int64, length: Int64) {
      self.offset = offset
      self.length = length
    }
  }

  /// The answer of `metadata`.
  public struct MetadataReply: Codable, Hashable, Sendable {
    /// The mount's id.
    public var mount: String
    /// The absolute path of the folder.
    public var path: Control.Path
    /// True if this person owns the folder.
    public var owned: Bool
    /// The attributes that the folder carries beside the executable bit and the time.
    public var carried: [Control.MetadataKind]
    /// The attributes that this device applies and sends.
    public var applied: [Control.MetadataKind]
    /// True if this device applies what the folder carries.
    public var chosen: Bool

    /// Creates a value.
    public init(
      mount: String, path: Control.Path, owned: Bool, carried: [Control.MetadataKind],
      applied: [Control.MetadataKind], chosen: Bool
    ) {
      self.mount = mount
      self.path = path
      self.owned = owned
      self.carried = carried
      self.applied = applied
      self.chosen = chosen
    }
  }

  /// The answer of `mount`: views of zones in the file system.
  public struct MountedViewsReply: Codable, Hashable, Sendable {
    /// The absolute paths of the views, or of the only one that the command is about.
    public var views: [Control.Path]

    /// Creates a value.
    public init(views: [Control.Path]) {
      self.views = views
    }
  }

  /// The answer of `conflicts list`.
  public struct ConflictsReply: Codable, Hashable, Sendable {
    /// The conflicts, sorted by the paths of their copies.
    public var conflicts: [Control.Conflict]

    /// Creates a value.
    public init(conflicts: [Control.Conflict]) {
      self.conflicts = conflicts
    }
  }

  /// The answer of `conflicts keep`.
  public struct ConflictKeepReply: Codable, Hashable, Sendable {
    /// The absolute path of the version that was kept, or that got a separate name.
    public var path: Control.Path
    /// The other version, in the rescue folder. Missing if both stay, or there was no other.
    public var aside: Control.Rescued?

    /// Creates a value.
    public init(path: Control.Path, aside: Control.Rescued? = nil) {
      self.path = path
      self.aside = aside
    }
  }

  /// The answer of `conflicts merge`.
  public struct ConflictMergeReply: Codable, Hashable, Sendable {
    /// The conflict.
    public var conflict: Control.Conflict
    /// The lines of the file with the original name and of the copy. Equal lines are there once.
    /// Around other lines are the markers of Git, with the version of the file first.
    public var text: String
    /// The number of differing parts.
    public var parts: Int
    /// A digest of both versions, for `conflictSave`.
    public var versions: String

    /// Creates a value.
    public init(conflict: Control.Conflict, text: String, parts: Int, versions: String) {
      self.conflict = conflict
      self.text = text
      self.parts = parts
      self.versions = versions
    }
  }

  /// The answer of `rescue list` and `rescue clear`.
  public struct RescueReply: Codable, Hashable, Sendable {
    /// The files that are in the rescue folders, or were removed, sorted by path.
    public var entries: [Control.RescueEntry]

    /// Creates a value.
    public init(entries: [Control.RescueEntry]) {
      self.entries = entries
    }
  }

  /// The answer of `rescue restore`.
  public struct RescueRestoreReply: Codable, Hashable, Sendable {
    /// The absolute path of the restored file.
    public var path: Control.Path

    /// Creates a value.
    public init(path: Control.Path) {
      self.path = path
    }
  }

  /// The answer of `user list`.
  public struct UserListReply: Codable, Hashable, Sendable {
    /// The people, sorted by handle.
    public var users: [Control.User]
    /// True if the container can't be reached, and the list is what this device has read before.
    /// Only in this case.
    public var isRecalled: Bool?

    /// Creates a value.
    public init(users: [Control.User], isRecalled: Bool? = nil) {
      self.users = users
      self.isRecalled = isRecalled
    }
  }

  /// The answer of `user verify`.
  public struct UserVerifyReply: Codable, Hashable, Sendable {
    /// The person, as known now.
    public var user: Control.User
    /// Twelve groups of five digits, which both must see.
    public var number: String

    /// Creates a value.
    public init(user: Control.User, number: String) {
      self.user = user
      self.number = number
    }
  }

  /// The answer of `drop create`, `drop list`, `drop accept`, `drop discard` and `drop end`.
  public struct DropsReply: Codable, Hashable, Sendable {
    /// The boxes, as they are now.
    public var boxes: [Control.DropBox]
    /// The files that wait, in the order in which this device saw them.
    public var drops: [Control.Drop]
    /// The files that were accepted now.
    public var accepted: [Control.AcceptedDrop]
    /// The files that couldn't be accepted, and accepted files that couldn't be deleted from the
    /// container.
    public var problems: [Control.Problem]

    /// Creates a value.
    public init(
      boxes: [Control.DropBox], drops: [Control.Drop], accepted: [Control.AcceptedDrop],
      problems: [Control.Problem]
    ) {
      self.boxes = boxes
      self.drops = drops
      self.accepted = accepted
      self.problems = problems
    }
  }

  /// A drop box.
  public struct DropBox: Codable, Hashable, Sendable {
    /// The id.
    public var id: String
    /// The title that senders see.
    public var title: String
    /// The link, with its secret.
    public var link: String
    /// The folder for accepted files. Missing if it isn't on this device.
    public var path: Control.Path?
    /// The id of the zone of that folder.
    public var zone: String
    /// The most bytes of a file.
    public var maxSize: UInt64
    /// The most files that may wait at the same time.
    public var maxFiles: UInt32
    /// The end of the link. Missing if it has none.
    public var until: Control.Time?
    /// The number of waiting files beyond the limit. They can't be seen yet.
    public var more: Int

    /// Creates a value.
    public init(
      id: String, title: String, link: String, path: Control.Path? = nil, zone: String,
      maxSize: UInt64, maxFiles: UInt32, until: Control.Time? = nil, more: Int
    ) {
      self.id = id
      self.title = title
      self.link = link
      self.path = path
      self.zone = zone
      self.maxSize = maxSize
      self.maxFiles = maxFiles
      self.until = until
      self.more = more
    }
  }

  /// A file that waits in a drop box.
  public struct Drop: Codable, Hashable, Sendable {
    /// The id.
    public var id: String
    /// The id of the box.
    public var box: String
    /// The name that the sender gave.
    public var name: String
    /// The number of bytes.
    public var size: UInt64
    /// The time of sending, by the sender's clock.
    public var time: Control.Time
    /// The sender. Missing for a sender without an account.
    public var from: Control.Person?
    /// The state.
    public var state: Control.DropState

    /// Creates a value.
    public init(
      id: String, box: String, name: String, size: UInt64, time: Control.Time,
      from: Control.Person? = nil, state: Control.DropState
    ) {
      self.id = id
      self.box = box
      self.name = name
      self.size = size
      self.time = time
      self.from = from
      self.state = state
    }
  }

  /// A file that was accepted from a drop box.
  public struct AcceptedDrop: Codable, Hashable, Sendable {
    /// The id.
    public var id: String
    /// The absolute path of the new file.
    public var path: Control.Path

    /// Creates a value.
    public init(id: String, path: Control.Path) {
      self.id = id
      self.path = path
    }
  }

  /// The answer of `drop put`.
  public struct PutReply: Codable, Hashable, Sendable {
    /// The title of the drop box.
    public var title: String
    /// The owner of the drop box.
    public var owner: Control.Person
    /// The files that are in the box now.
    public var files: [Control.PutFile]

    /// Creates a value.
    public init(title: String, owner: Control.Person, files: [Control.PutFile]) {
      self.title = title
      self.owner = owner
      self.files = files
    }
  }

  /// A file that was put into a drop box.
  public struct PutFile: Codable, Hashable, Sendable {
    /// The name.
    public var name: String
    /// The number of bytes.
    public var size: UInt64

    /// Creates a value.
    public init(name: String, size: UInt64) {
      self.name = name
      self.size = size
    }
  }

  /// The answer of `group list`, `group show`, `group create`, `group add`, `group remove` and
  /// `group delete`.
  public struct GroupReply: Codable, Hashable, Sendable {
    /// The groups, sorted by name. Empty after `group delete`.
    public var groups: [Control.PeopleGroup]
    /// The people who were invited to shares, or removed from them.
    public var changed: [Control.GroupChange]
    /// The shares in which this can't be written now.
    public var missed: [Control.MissedZone]

    /// Creates a value.
    public init(
      groups: [Control.PeopleGroup], changed: [Control.GroupChange], missed: [Control.MissedZone]
    ) {
      self.groups = groups
      self.changed = changed
      self.missed = missed
    }
  }

  /// A group of people.
  public struct PeopleGroup: Codable, Hashable, Sendable {
    /// The name.
    public var name: String
    /// The members.
    public var members: [Control.Person]
    /// The shares of the group, sorted by title.
    public var shares: [Control.GroupShare]

    /// Creates a value.
    public init(name: String, members: [Control.Person], shares: [Control.GroupShare]) {
      self.name = name
      self.members = members
      self.shares = shares
    }
  }

  /// A share of a group.
  public struct GroupShare: Codable, Hashable, Sendable {
    /// The id of the share.
    public var share: String
    /// The title of the share.
    public var title: String
    /// The permission of the members.
    public var permission: Control.Permission

    /// Creates a value.
    public init(share: String, title: String, permission: Control.Permission) {
      self.share = share
      self.title = title
      self.permission = permission
    }
  }

  /// A person who was invited to a share, or removed from it, because a group changed.
  public struct GroupChange: Codable, Hashable, Sendable {
    /// The person.
    public var user: Control.Person
    /// The id of the share.
    public var share: String
    /// The title of the share.
    public var title: String

    /// Creates a value.
    public init(user: Control.Person, share: String, title: String) {
      self.user = user
      self.share = share
      self.title = title
    }
  }

  /// The answer of `user show`.
  public struct UserShowReply: Codable, Hashable, Sendable {
    /// The names of your groups that they are in.
    public var groups: [String]
    /// The person.
    public var user: Control.Person
    /// The shares of yours that they are in or invited to, sorted by title.
    public var shares: [Control.UserAccess]
    /// The shares of yours with a link for anyone. Nobody knows who has such a link.
    public var anyone: [Control.UserAccess]

    /// Creates a value.
    public init(
      groups: [String], user: Control.Person, shares: [Control.UserAccess],
      anyone: [Control.UserAccess]
    ) {
      self.groups = groups
      self.user = user
      self.shares = shares
      self.anyone = anyone
    }
  }

  /// A person's access to a share.
  public struct UserAccess: Codable, Hashable, Sendable {
    /// The id of the share.
    public var share: String
    /// The title of the share.
    public var title: String
    /// The folder of the share on this device. Missing without one.
    public var path: Control.Path?
    /// Their role.
    public var role: Control.Role
    /// Their permission.
    public var permission: Control.Permission
    /// The status of their invitation.
    public var acceptance: Control.Acceptance
    /// The time when they were invited or used a link. Missing if the log doesn't have it any more.
    public var since: Control.Time?
    /// The person who invited them. Missing with a link.
    public var by: Control.Person?
    /// The id of the link that they used. Missing without one.
    public var link: String?
    /// The log entry up to which replaced and deleted content isn't visible to them. Missing for
    /// people who see all kept history.
    public var begins: UInt64?
    /// The end of their access that you have set. Missing without one.
    public var until: Control.Time?
    /// False if the share can't be read now and may have changed.
    public var isCurrent: Bool

    /// Creates a value.
    public init(
      share: String, title: String, path: Control.Path? = nil, role: Control.Role,
      permission: Control.Permission, acceptance: Control.Acceptance, since: Control.Time? = nil,
      by: Control.Person? = nil, link: String? = nil, begins: UInt64? = nil,
      until: Control.Time? = nil, isCurrent: Bool
    ) {
      self.share = share
      self.title = title
      self.path = path
      self.role = role
      self.permission = permission
      self.acceptance = acceptance
      self.since = since
      self.by = by
      self.link = link
      self.begins = begins
      self.until = until
      self.isCurrent = isCurrent
    }
  }

  /// The answer of `user remove`.
  public struct UserRemoveReply: Codable, Hashable, Sendable {
    /// The names of your groups that they left.
    public var groups: [String]
    /// The person.
    public var user: Control.Person
    /// The shares that they lost, as their access was.
    public var shares: [Control.UserAccess]
    /// The shares in which this can't be written now.
    public var missed: [Control.MissedZone]

    /// Creates a value.
    public init(
      groups: [String], user: Control.Person, shares: [Control.UserAccess],
      missed: [Control.MissedZone]
    ) {
      self.groups = groups
      self.user = user
      self.shares = shares
      self.missed = missed
    }
  }

  /// The answer of `device link`.
  public struct DeviceLinkReply: Codable, Hashable, Sendable {
    /// The code for `device join`, which is secret.
    public var code: String
    /// The time when the code expires.
    public var expires: Control.Time

    /// Creates a value.
    public init(code: String, expires: Control.Time) {
      self.code = code
      self.expires = expires
    }
  }

  /// The answer of `device join`.
  public struct JoinReply: Codable, Hashable, Sendable {
    /// The container of the person.
    public var container: Control.ContainerStatus
    /// The person, and this device.
    public var account: Control.AccountStatus
    /// The absolute path of the folder with keys and index.
    public var home: Control.Path
    /// The absolute path of the folder in which the person's folders appear.
    public var folder: Control.Path

    /// Creates a value.
    public init(
      container: Control.ContainerStatus, account: Control.AccountStatus, home: Control.Path,
      folder: Control.Path
    ) {
      self.container = container
      self.account = account
      self.home = home
      self.folder = folder
    }
  }

  /// The answer of `device list`.
  public struct DeviceListReply: Codable, Hashable, Sendable {
    /// The devices, active ones first, then sorted by name.
    public var devices: [Control.Device]

    /// Creates a value.
    public init(devices: [Control.Device]) {
      self.devices = devices
    }
  }

  /// The answer of `device recovery`.
  public struct DeviceRecoveryReply: Codable, Hashable, Sendable {
    /// The recovery sheet as a device.
    public var device: Control.Device
    /// The 24 words of the sheet, in order, which are secret.
    public var words: [String]
    /// The same secret as the text of a QR code, for `init --recover`.
    public var code: String
    /// The container's absolute directory or address.
    public var container: Control.Path
    /// The person, and this device.
    public var account: Control.AccountStatus
    /// The time when the sheet was made.
    public var created: Control.Time

    /// Creates a value.
    public init(
      device: Control.Device, words: [String], code: String, container: Control.Path,
      account: Control.AccountStatus, created: Control.Time
    ) {
      self.device = device
      self.words = words
      self.code = code
      self.container = container
      self.account = account
      self.created = created
    }
  }

  /// The answer of `init --recover`.
  public struct RecoverReply: Codable, Hashable, Sendable {
    /// The container of the person.
    public var container: Control.ContainerStatus
    /// The person, and this device.
    public var account: Control.AccountStatus
    /// The absolute path of the folder with keys and index.
    public var home: Control.Path
    /// The absolute path of the folder in which the person's folders appear.
    public var folder: Control.Path
    /// The recovery sheet, which stays valid.
    public var sheet: Control.Device
    /// The person's other active devices, sorted by name, without recovery sheets.
    public var devices: [Control.Device]

    /// Creates a value.
    public init(
      container: Control.ContainerStatus, account: Control.AccountStatus, home: Control.Path,
      folder: Control.Path, sheet: Control.Device, devices: [Control.Device]
    ) {
      self.container = container
      self.account = account
      self.home = home
      self.folder = folder
      self.sheet = sheet
      self.devices = devices
    }
  }

  /// The answer of `device rename` and of `device recovery --test`.
  public struct DeviceReply: Codable, Hashable, Sendable {
    /// The device in its new state.
    public var device: Control.Device

    /// Creates a value.
    public init(device: Control.Device) {
      self.device = device
    }
  }

  /// The answer of `device revoke`.
  public struct DeviceRevokeReply: Codable, Hashable, Sendable {
    /// The device in its new state.
    public var device: Control.Device
    /// The number of zones, without the account, in which it has no rights any more.
    public var zones: Int
    /// True if the device was revoked already.
    public var before: Bool
    /// True if the container is a bucket: the device has an access key of it.
    public var hasBucketKey: Bool
    /// The number of zones in which this must still be written. The daemon continues by itself.
    public var pending: Int
    /// The number of links that were revoked, because the device knows their secrets.
    public var links: Int
    /// Your active devices that it added, and those that these devices added.
    public var devices: [Control.Device]
    /// The people that only this device brought into a share, or made administrators.
    public var guests: [Control.Guest]
    /// The zones in which the revocation can't be written now.
    public var missed: [Control.MissedZone]

    /// Creates a value.
    public init(
      device: Control.Device, zones: Int, before: Bool, hasBucketKey: Bool, pending: Int,
      links: Int, devices: [Control.Device], guests: [Control.Guest], missed: [Control.MissedZone]
    ) {
      self.device = device
      self.zones = zones
      self.before = before
      self.hasBucketKey = hasBucketKey
      self.pending = pending
      self.links = links
      self.devices = devices
      self.guests = guests
      self.missed = missed
    }
  }

  /// A zone in which a revocation or removal can't be written now.
  public struct MissedZone: Codable, Hashable, Sendable {
    /// The id of the zone.
    public var zone: String
    /// The title of the zone; empty if the zone can't be opened.
    public var title: String
    /// The reason, as a sentence.
    public var reason: String

    /// Creates a value.
    public init(zone: String, title: String, reason: String) {
      self.zone = zone
      self.title = title
      self.reason = reason
    }
  }

  /// The answer of `share create`, `share show` and other commands that change a share.
  public struct ShareReply: Codable, Hashable, Sendable {
    /// The share.
    public var share: Control.Share
    /// True if this request created it.
    public var created: Bool
    /// True if this is the first share of a person without a recovery sheet.
    public var suggestsRecovery: Bool
    /// Items that others don't get as they are here: links that point outside the share.
    public var warnings: [Control.Problem]

    /// Creates a value.
    public init(
      share: Control.Share, created: Bool = false, suggestsRecovery: Bool = false,
      warnings: [Control.Problem] = []
    ) {
      self.share = share
      self.created = created
      self.suggestsRecovery = suggestsRecovery
      self.warnings = warnings
    }
  }

  /// The answer of `share add`.
  public struct ShareAddReply: Codable, Hashable, Sendable {
    /// The share.
    public var share: Control.Share
    /// The mount of the added folder or file.
    public var mount: Control.MountStatus
    /// Its name in the share.
    public var name: Control.Path

    /// Creates a value.
    public init(share: Control.Share, mount: Control.MountStatus, name: Control.Path) {
      self.share = share
      self.mount = mount
      self.name = name
    }
  }

  /// The answer of `share take-out`.
  public struct ShareTakeOutReply: Codable, Hashable, Sendable {
    /// The share that it was taken out of.
    public var share: Control.Share
    /// The folder or file, absolute.
    public var path: Control.Path
    /// True if it is still mirrored, for you alone.
    public var mirrored: Bool

    /// Creates a value.
    public init(share: Control.Share, path: Control.Path, mirrored: Bool) {
      self.share = share
      self.path = path
      self.mirrored = mirrored
    }
  }

  /// The answer of `share invite`, `share approve` and `share create` with `--invite`.
  public struct InviteReply: Codable, Hashable, Sendable {
    /// The share in its new state.
    public var share: Control.Share
    /// The invited people, in the order of the request.
    public var invited: [Control.Participant]
    /// The locator for them. It grants access to nobody else.
    public var link: String
    /// True if the invitations are also in their inboxes in this container.
    public var delivered: Bool
    /// The identity warning about these people, which was shown before, or was requested. Only if
    /// there is one.
    public var warning: String?
    /// The amount of kept history, which they can read, too. Missing if the amount is unknown.
    public var past: Control.PastAmount?
    /// The amount of kept history that isn't shown to them. Missing if they see all of it.
    public var hidden: Control.PastAmount?

    /// Creates a value.
    public init(
      share: Control.Share, invited: [Control.Participant], link: String, delivered: Bool,
      warning: String? = nil, past: Control.PastAmount? = nil, hidden: Control.PastAmount? = nil
    ) {
      self.share = share
      self.invited = invited
      self.link = link
      self.delivered = delivered
      self.warning = warning
      self.past = past
      self.hidden = hidden
    }
  }

  /// The answer of `share link` and `share invite --link`.
  public struct LinkReply: Codable, Hashable, Sendable {
    /// The share in its new state.
    public var share: Control.Share
    /// The link. Its fragment is secret: it grants access to anyone who has it.
    public var link: String
    /// The id of the link in the share, hexadecimal. It isn't secret.
    public var id: String
    /// The time when the link expires. Missing if it never does.
    public var expires: Control.Time?
    /// The amount of kept history, which people who join by the link can read, too. Missing if the
    /// amount is unknown.
    public var past: Control.PastAmount?
    /// The amount of kept history that isn't shown to people who join by the link. Missing if they
    /// see all of it.
    public var hidden: Control.PastAmount?

    /// Creates a value.
    public init(
      share: Control.Share, link: String, id: String, expires: Control.Time? = nil,
      past: Control.PastAmount? = nil, hidden: Control.PastAmount? = nil
    ) {
      self.share = share
      self.link = link
      self.id = id
      self.expires = expires
      self.past = past
      self.hidden = hidden
    }
  }

  /// The answer of `share invitations`, and of `share accept` without an argument.
  public struct InvitationsReply: Codable, Hashable, Sendable {
    /// The invitations, oldest first.
    public var invitations: [Control.Invitation]

    /// Creates a value.
    public init(invitations: [Control.Invitation]) {
      self.invitations = invitations
    }
  }

  /// The answer of `share accept`.
  public struct AcceptReply: Codable, Hashable, Sendable {
    /// The share that you now participate in.
    public var share: Control.Share
    /// The folder that mirrors it.
    public var mount: Control.MountStatus
    /// True if the whole tree has arrived.
    public var complete: Bool
    /// The inviter. Missing if it was accepted before.
    public var from: Control.Person?

    /// Creates a value.
    public init(
      share: Control.Share, mount: Control.MountStatus, complete: Bool, from: Control.Person? = nil
    ) {
      self.share = share
      self.mount = mount
      self.complete = complete
      self.from = from
    }
  }

  /// The answer of `share accept --dry-run`.
  public struct OfferReply: Codable, Hashable, Sendable {
    /// The share's id.
    public var id: String
    /// The share's title.
    public var title: String
    /// The owner of the share.
    public var owner: Control.Person
    /// The inviter, or the creator of the link. If it is already accepted, the owner.
    public var from: Control.Person
    /// Your permission after accepting.
    public var permission: Control.Permission
    /// The amount of data.
    public var amount: Control.Amount
    /// The folder that would mirror it, or does so.
    public var at: Control.Path
    /// True if it is already accepted.
    public var isAccepted: Bool
    /// The identity warning about the inviter. Accepting is then refused, unless requested
    /// explicitly. Only if there is one.
    public var warning: String?

    /// Creates a value.
    public init(
      id: String, title: String, owner: Control.Person, from: Control.Person,
      permission: Control.Permission, amount: Control.Amount, at: Control.Path, isAccepted: Bool,
      warning: String? = nil
    ) {
      self.id = id
      self.title = title
      self.owner = owner
      self.from = from
      self.permission = permission
      self.amount = amount
      self.at = at
      self.isAccepted = isAccepted
      self.warning = warning
    }
  }

  /// The answer of `share list`.
  public struct ShareListReply: Codable, Hashable, Sendable {
    /// The shares, sorted by title.
    public var shares: [Control.Share]

    /// Creates a value.
    public init(shares: [Control.Share]) {
      self.shares = shares
    }
  }

  /// The answer of `share participants`.
  public struct ParticipantsReply: Codable, Hashable, Sendable {
    /// The share's id.
    public var id: String
    /// The participants, with the owner first.
    public var participants: [Control.Participant]

    /// Creates a value.
    public init(id: String, participants: [Control.Participant]) {
      self.id = id
      self.participants = participants
    }
  }

  /// The answer of `share set-public`.
  public struct SetPublicReply: Codable, Hashable, Sendable {
    /// The share in its new state.
    public var share: Control.Share
    /// The people who lost access, and their losses, as sentences.
    public var losses: [String]

    /// Creates a value.
    public init(share: Control.Share, losses: [String]) {
      self.share = share
      self.losses = losses
    }
  }

  /// The answer of `share policy`.
  public struct SharePolicyReply: Codable, Hashable, Sendable {
    /// The people that the share may admit: `any`, `anyone` with the link, or `named` people.
    public var access: String
    /// The single permission that may be granted. Missing if both may be granted.
    public var permission: Control.Permission?
    /// True if participants may invite.
    public var participantsInvite: Bool

    /// Creates a value.
    public init(access: String, permission: Control.Permission? = nil, participantsInvite: Bool) {
      self.access = access
      self.permission = permission
      self.participantsInvite = participantsInvite
    }
  }

  /// The answer of `share request`.
  public struct RequestReply: Codable, Hashable, Sendable {
    /// The outcome for each link, in the order of the request.
    public var outcomes: [Control.RequestOutcome]

    /// Creates a value.
    public init(outcomes: [Control.RequestOutcome]) {
      self.outcomes = outcomes
    }
  }

  /// The answer of `share requests`.
  public struct RequestsReply: Codable, Hashable, Sendable {
    /// The requests, oldest first.
    public var requests: [Control.AccessRequest]

    /// Creates a value.
    public init(requests: [Control.AccessRequest]) {
      self.requests = requests
    }
  }

  /// The answer of `public list`.
  public struct PublicListReply: Codable, Hashable, Sendable {
    /// The author's zone. Missing for the top.
    public var zone: String?
    /// The entries. A directory is listed before its contents, and names are sorted by their bytes.
    public var entries: [Control.PublicEntry]
    /// The zones that can't be read further, with the reasons. Their earlier contents are listed.
    public var problems: [Control.Problem]

    /// Creates a value.
    public init(
      zone: String? = nil, entries: [Control.PublicEntry], problems: [Control.Problem] = []
    ) {
      self.zone = zone
      self.entries = entries
      self.problems = problems
    }
  }

  /// The answer of `public get`, `public put` and `public remove`.
  public struct PublicFileReply: Codable, Hashable, Sendable {
    /// The current entry, or the entry before it was removed.
    public var entry: Control.PublicEntry
    /// True if anything was done. False if the same content was there already.
    public var changed: Bool

    /// Creates a value.
    public init(entry: Control.PublicEntry, changed: Bool) {
      self.entry = entry
      self.changed = changed
    }
  }

  /// The answer of `public export`.
  public struct PublicExportReply: Codable, Hashable, Sendable {
    /// The folder.
    public var path: Control.Path
    /// The number of files.
    public var files: Int
    /// The number of files that this export wrote.
    public var written: Int
    /// The number of files of an earlier export that were removed.
    public var removed: Int
    /// The zones that can't be read further, with the reasons. Their earlier contents are included.
    public var problems: [Control.Problem]

    /// Creates a value.
    public init(
      path: Control.Path, files: Int, written: Int, removed: Int, problems: [Control.Problem]
    ) {
      self.path = path
      self.files = files
      self.written = written
      self.removed = removed
      self.problems = problems
    }
  }

  /// The progress of long work.
  public struct Progress: Codable, Hashable, Sendable {
    /// The number of completed units.
    public var done: Int64
    /// The total number of units. Only once it is known.
    public var total: Int64?
    /// The unit, such as `files`, `bytes` or `changes`.
    public var unit: String
    /// The current action, as in "Reading packs".
    public var what: String
    /// The number of bytes of files that are stored, including those of a file in progress. Only
    /// while files are transferred.
    public var bytes: Int64?
    /// The total number of bytes. Only while files are transferred.
    public var allBytes: Int64?
    /// The transfer rate in bytes per second. Only while files are transferred, and once it is
    /// known.
    public var bytesPerSecond: Int64?
    /// The number of seconds until the end at this rate. Only while it is known. Files that wait
    /// for something else, such as room on a disk, are left out.
    public var secondsLeft: Int64?

    /// Creates a value.
    public init(
      done: Int64, total: Int64? = nil, unit: String, what: String, bytes: Int64? = nil,
      allBytes: Int64? = nil, bytesPerSecond: Int64? = nil, secondsLeft: Int64? = nil
    ) {
      self.done = done
      self.total = total
      self.unit = unit
      self.what = what
      self.bytes = bytes
      self.allBytes = allBytes
      self.bytesPerSecond = bytesPerSecond
      self.secondsLeft = secondsLeft
    }
  }

  /// A request for access.
  public struct AccessRequest: Codable, Hashable, Sendable {
    /// The request's id, hexadecimal.
    public var id: String
    /// The share's id.
    public var share: String
    /// The share's title.
    public var title: String
    /// The person who asks.
    public var from: Control.Person
    /// The message of the person.
    public var text: String
    /// The time of the request, by the person's clock.
    public var time: Control.Time

    /// Creates a value.
    public init(
      id: String, share: String, title: String, from: Control.Person, text: String,
      time: Control.Time
    ) {
      self.id = id
      self.share = share
      self.title = title
      self.from = from
      self.text = text
      self.time = time
    }
  }

  /// The person that this home belongs to, and the device.
  public struct AccountStatus: Codable, Hashable, Sendable {
    /// The person's id, hexadecimal.
    public var user: String
    /// The handle to invite them by.
    public var handle: String
    /// The name to display.
    public var name: String
    /// The id of this device, hexadecimal.
    public var device: String
    /// The name of this device.
    public var deviceName: String

    /// Creates a value.
    public init(user: String, handle: String, name: String, device: String, deviceName: String) {
      self.user = user
      self.handle = handle
      self.name = name
      self.device = device
      self.deviceName = deviceName
    }
  }

  /// The amount of data in a share.
  public struct Amount: Codable, Hashable, Sendable {
    /// The number of files and symbolic links.
    public var files: Int
    /// The number of directories.
    public var directories: Int
    /// The total size of the files.
    public var bytes: Int64

    /// Creates a value.
    public init(files: Int, directories: Int, bytes: Int64) {
      self.files = files
      self.directories = directories
      self.bytes = bytes
    }
  }

  /// A mass-change alert: an unusual number of changes by one device. The cause may be an accident
  /// or an attack.
  public struct Burst: Codable, Hashable, Sendable {
    /// The absolute path of the mirrored folder.
    public var path: Control.Path
    /// The author of the changes.
    public var author: Control.Person
    /// The device's name. Only if it is known.
    public var device: String?
    /// The device's id.
    public var id: String
    /// The number of files with new content at the time of the alert.
    public var changed: Int
    /// The number of deleted files.
    public var deleted: Int
    /// The total number of files.
    public var all: Int
    /// The log entry before the first of these changes.
    public var before: UInt64
    /// The time of the alert, by the clock of this machine.
    public var time: Control.Time

    /// Creates a value.
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
  }

  /// A record that has changed.
  public struct Change: Codable, Hashable, Sendable {
    /// The UUID of the record.
    public var record: String
    /// True if the record was deleted.
    public var deleted: Bool
    /// Its path in the zone. Missing if the record was deleted, or has no path.
    public var path: Control.Path?
    /// `file`, `directory`, `symlink`, `reference`, or the type of a typed record. Missing if the
    /// record was deleted.
    public var type: String?
    /// The log entry that last changed or deleted it. Only if it is known.
    public var sequence: UInt64?
    /// The person who last changed it. Missing if the record was deleted.
    public var changedBy: Control.Person?

    /// Creates a value.
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

  /// One check.
  public struct Check: Codable, Hashable, Sendable {
    /// The name of the check, such as `identity` or `container`.
    public var name: String
    /// The resulting error. Missing if the check succeeded.
    public var code: Control.ErrorCode?
    /// The result.
    public var message: String
    /// The action to take, if the check failed for you or for others.
    public var remedy: String

    /// Creates a value.
    public init(
      name: String, code: Control.ErrorCode? = nil, message: String, remedy: String = ""
    ) {
      self.name = name
      self.code = code
      self.message = message
      self.remedy = remedy
    }
  }

  /// A conflict copy, and the file with the original name.
  public struct Conflict: Codable, Hashable, Sendable {
    /// The copy.
    public var copy: Control.ConflictVersion
    /// The file with the original name. Missing if there is none.
    public var original: Control.ConflictVersion?
    /// The absolute path of the original name.
    public var of: Control.Path
    /// The handle of the author of the copy, from the name of the copy.
    public var who: String
    /// The host, from the name of the copy.
    public var host: String
    /// The time, from the name of the copy.
    public var when: String
    /// True if the copy is your version. Otherwise the file with the original name counts as yours.
    public var isMine: Bool

    /// Creates a value.
    public init(
      copy: Control.ConflictVersion, original: Control.ConflictVersion? = nil, of: Control.Path,
      who: String, host: String, when: String, isMine: Bool
    ) {
      self.copy = copy
      self.original = original
      self.of = of
      self.who = who
      self.host = host
      self.when = when
      self.isMine = isMine
    }
  }

  /// One of two versions.
  public struct ConflictVersion: Codable, Hashable, Sendable {
    /// The absolute path of the version.
    public var path: Control.Path
    /// Its size.
    public var size: Int64
    /// The modification time.
    public var modified: Control.Time
    /// True if it is a regular file.
    public var isFile: Bool

    /// Creates a value.
    public init(path: Control.Path, size: Int64, modified: Control.Time, isFile: Bool) {
      self.path = path
      self.size = size
      self.modified = modified
      self.isFile = isFile
    }
  }

  /// One of the containers of a home.
  public struct HomeContainer: Codable, Hashable, Sendable {
    /// The name in this home.
    public var name: String
    /// The container's id, hexadecimal. Empty if the configuration can't be read.
    public var id: String
    /// The location of the container. Empty if the configuration can't be read.
    public var path: Control.Path
    /// The path of its `cairn.conf`.
    public var configuration: Control.Path
    /// Your handle in it. Missing if it isn't open.
    public var handle: String?
    /// The number of mirrored folders and files.
    public var folders: Int
    /// The reason that it isn't open. Missing if it is.
    public var problem: Control.Problem?

    /// Creates a value.
    public init(
      name: String, id: String, path: Control.Path, configuration: Control.Path,
      handle: String? = nil, folders: Int, problem: Control.Problem? = nil
    ) {
      self.name = name
      self.id = id
      self.path = path
      self.configuration = configuration
      self.handle = handle
      self.folders = folders
      self.problem = problem
    }
  }

  /// The container that the daemon uses.
  public struct ContainerStatus: Codable, Hashable, Sendable {
    /// The container's id, hexadecimal.
    public var id: String
    /// The location of the container.
    public var path: Control.Path
    /// The kernel's name of the file system, or a text for a bucket.
    public var fileSystem: String
    /// True if the last attempt to use it succeeded. False during a pause.
    public var reachable: Bool
    /// The difference between the container and what this device has read of it. Missing if there
    /// is none.
    public var state: Control.LogState?
    /// The way in which this device learns about remote changes. Missing in the answers of init and
    /// device join, because no daemon runs yet.
    public var news: Control.News?
    /// The limits and pauses of the traffic with the container. Only if there are any.
    public var traffic: Control.Traffic?

    /// Creates a value.
    public init(
      id: String, path: Control.Path, fileSystem: String, reachable: Bool,
      state: Control.LogState? = nil, news: Control.News? = nil, traffic: Control.Traffic? = nil
    ) {
      self.id = id
      self.path = path
      self.fileSystem = fileSystem
      self.reachable = reachable
      self.state = state
      self.news = news
      self.traffic = traffic
    }
  }

  /// The daemon process.
  public struct DaemonStatus: Codable, Hashable, Sendable {
    /// The process id.
    public var pid: Int32
    /// The version that `--version` prints.
    public var version: String
    /// The time of its start.
    public var startedAt: Control.Time
    /// The version of the program that has replaced its program file. The daemon becomes this
    /// program when it is idle. Only after such an upgrade.
    public var replacedBy: String?

    /// Creates a value.
    public init(pid: Int32, version: String, startedAt: Control.Time, replacedBy: String? = nil) {
      self.pid = pid
      self.version = version
      self.startedAt = startedAt
      self.replacedBy = replacedBy
    }
  }

  /// A finding of `verify`.
  public struct Damage: Codable, Hashable, Sendable {
    /// The zone of the object. Only if it belongs to one.
    public var zone: String?
    /// The key of the object in the container.
    public var object: String
    /// The kind of damage.
    public var code: Control.ErrorCode
    /// A description of the damage.
    public var message: String
    /// The damaged or refused commit. Only if the object is a commit.
    public var sequence: UInt64?
    /// The files with unavailable content, as absolute paths or relative to the zone's root.
    public var paths: [Control.Path]
    /// The action to take.
    public var remedy: String

    /// Creates a value.
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

  /// A device of this person.
  public struct Device: Codable, Hashable, Sendable {
    /// The device's id, hexadecimal.
    public var device: String
    /// The name that the person gave it.
    public var name: String
    /// True if it is in use, and not revoked.
    public var isActive: Bool
    /// The time when it was revoked, by the clock of the device that did it. Missing for an active
    /// device.
    public var revoked: Control.Time?
    /// True if it is the device that answers.
    public var isThis: Bool
    /// True if it is a recovery sheet.
    public var isRecovery: Bool

    /// Creates a value.
    public init(
      device: String, name: String, isActive: Bool, revoked: Control.Time? = nil, isThis: Bool,
      isRecovery: Bool = false
    ) {
      self.device = device
      self.name = name
      self.isActive = isActive
      self.revoked = revoked
      self.isThis = isThis
      self.isRecovery = isRecovery
    }
  }

  /// The changes from a device since a point in time.
  public struct DeviceWork: Codable, Hashable, Sendable {
    /// The author of the changes.
    public var author: Control.Person
    /// The device's name. Only if it is known.
    public var device: String?
    /// The device's id.
    public var id: String
    /// The number of files that it made, changed or moved.
    public var changed: Int
    /// The number of files that it deleted.
    public var deleted: Int
    /// True if these changes are reverted.
    public var isUndone: Bool

    /// Creates a value.
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

  /// One name in a mirrored folder.
  public struct Entry: Codable, Hashable, Sendable {
    /// The path relative to the requested one. For a requested file, its last name.
    public var path: Control.Path
    /// The kind of the item.
    public var kind: Control.EntryKind
    /// The size of the content. For a symlink the length of its target, and for a directory 0.
    public var size: Int64
    /// The modification time.
    public var modified: Control.Time
    /// True if the owner can execute it.
    public var executable: Bool
    /// The sync state of the item.
    public var state: Control.EntryState
    /// The person who last changed it. Only if it is in the zone.
    public var changedBy: Control.Person?
    /// The commit that last changed it. Only if it is in the zone.
    public var sequence: UInt64?
    /// The record's UUID. Only if it is in the zone.
    public var record: String?
    /// The people who have the file open on other devices. Missing if nobody has.
    public var openBy: [Control.Opener]?

    /// Creates a value.
    public init(
      path: Control.Path, kind: Control.EntryKind, size: Int64, modified: Control.Time,
      executable: Bool, state: Control.EntryState, changedBy: Control.Person? = nil,
      sequence: UInt64? = nil, record: String? = nil, openBy: [Control.Opener]? = nil
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
      self.openBy = openBy
    }
  }

  /// A count of log entries.
  public struct EntryCount: Codable, Hashable, Sendable {
    /// The number of entries.
    public var entries: Int
    /// Their total size.
    public var bytes: UInt64

    /// Creates a value.
    public init(entries: Int, bytes: UInt64) {
      self.entries = entries
      self.bytes = bytes
    }
  }

  /// A version of a file.
  public struct FileVersion: Codable, Hashable, Sendable {
    /// The absolute path that it had. Missing if the path wasn't in the folder.
    public var path: Control.Path?
    /// Its number. Missing for the current version.
    public var version: UInt64?
    /// The id of the former zone whose log has that position. Missing if it is the log of the
    /// folder's zone.
    public var zone: String?
    /// The time when it was made, by its author's clock.
    public var time: Control.Time
    /// The size of the file.
    public var size: Int64

    /// Creates a value.
    public init(
      path: Control.Path? = nil, version: UInt64? = nil, zone: String? = nil, time: Control.Time,
      size: Int64
    ) {
      self.path = path
      self.version = version
      self.zone = zone
      self.time = time
      self.size = size
    }
  }

  /// A person that a revoked device of yours brought into a share.
  public struct Guest: Codable, Hashable, Sendable {
    /// The zone's id.
    public var zone: String
    /// The share's title.
    public var title: String
    /// The person.
    public var person: Control.Person
    /// The status of the invitation. It is `removed` if the revocation removed the person.
    public var acceptance: Control.Acceptance
    /// True if the device made them an administrator, and they still are.
    public var isAdministrator: Bool

    /// Creates a value.
    public init(
      zone: String, title: String, person: Control.Person, acceptance: Control.Acceptance,
      isAdministrator: Bool
    ) {
      self.zone = zone
      self.title = title
      self.person = person
      self.acceptance = acceptance
      self.isAdministrator = isAdministrator
    }
  }

  /// The amount of held deletions in one mount.
  public struct Held: Codable, Hashable, Sendable {
    /// The number of deleted files and symlinks.
    public var files: Int
    /// The number of deleted directories.
    public var directories: Int
    /// The number of files and symlinks in the last synced state.
    public var of: Int
    /// The time since which the deletions are held.
    public var since: Control.Time

    /// Creates a value.
    public init(files: Int, directories: Int, of: Int, since: Control.Time) {
      self.files = files
      self.directories = directories
      self.of = of
      self.since = since
    }
  }

  /// The deletions that are or were held in one mount.
  public struct HeldMount: Codable, Hashable, Sendable {
    /// The mount's id.
    public var mount: String
    /// The absolute path of the folder.
    public var path: Control.Path
    /// The amount of deletions.
    public var held: Control.Held
    /// The absolute deleted paths, sorted by their bytes, at most as many as requested.
    public var paths: [Control.Path]

    /// Creates a value.
    public init(mount: String, path: Control.Path, held: Control.Held, paths: [Control.Path]) {
      self.mount = mount
      self.path = path
      self.held = held
      self.paths = paths
    }
  }

  /// The part of something that a device gets from the beginning.
  public struct InitialSelection: Codable, Hashable, Sendable {
    /// Either `only` or `without`.
    public var change: Control.SelectionChange
    /// The paths of files and directories, without a slash at the beginning.
    public var paths: [Control.Path]
    /// True to select entries that others add later beside the named paths. Without it, true for
    /// `without` and false for `only`.
    public var addsNew: Bool?

    /// Creates a value.
    public init(change: Control.SelectionChange, paths: [Control.Path], addsNew: Bool? = nil) {
      self.change = change
      self.paths = paths
      self.addsNew = addsNew
    }
  }

  /// A decision about a file or directory, and about its contents without a decision of their own.
  public struct SelectionEntry: Codable, Hashable, Sendable {
    /// The absolute path.
    public var path: Control.Path
    /// The decision.
    public var mark: Control.SelectionMark

    /// Creates a value.
    public init(path: Control.Path, mark: Control.SelectionMark) {
      self.path = path
      self.mark = mark
    }
  }

  /// An entry of a directory of the zone, with its size.
  public struct SelectionChoice: Codable, Hashable, Sendable {
    /// The absolute path.
    public var path: Control.Path
    /// True for a directory.
    public var directory: Bool
    /// The number of files and symlinks below a directory; 1 for a file.
    public var files: Int
    /// Their total size.
    public var bytes: Int64
    /// True if it is selected.
    public var selected: Bool
    /// True if a decision of its own exists for something below it.
    public var partly: Bool

    /// Creates a value.
    public init(
      path: Control.Path, directory: Bool, files: Int, bytes: Int64, selected: Bool, partly: Bool
    ) {
      self.path = path
      self.directory = directory
      self.files = files
      self.bytes = bytes
      self.selected = selected
      self.partly = partly
    }
  }

  /// The contents of a zone that aren't selected for this device.
  public struct LeftOut: Codable, Hashable, Sendable {
    /// The number of files and symlinks.
    public var files: Int
    /// The number of directories.
    public var directories: Int
    /// The total size of the files.
    public var bytes: Int64

    /// Creates a value.
    public init(files: Int, directories: Int, bytes: Int64) {
      self.files = files
      self.directories = directories
      self.bytes = bytes
    }
  }

  /// The bytes that only replaced versions and deleted files need.
  public struct HistoryBytes: Codable, Hashable, Sendable {
    /// All of them.
    public var bytes: UInt64
    /// Those in folders that keep every version.
    public var forever: UInt64
    /// Those that changed policies no longer keep from `expiringFrom` on.
    public var expiring: UInt64
    /// The time from which the last changed policy counts alone. Only with `expiring`.
    public var expiringFrom: Control.Time?

    /// Creates a value.
    public init(
      bytes: UInt64 = 0, forever: UInt64 = 0, expiring: UInt64 = 0,
      expiringFrom: Control.Time? = nil
    ) {
      self.bytes = bytes
      self.forever = forever
      self.expiring = expiring
      self.expiringFrom = expiringFrom
    }
  }

  /// A change of a file, directory or symlink.
  public struct HistoryEntry: Codable, Hashable, Sendable {
    /// The version that began with the change: its log position. A record has at most one version
    /// with this number.
    public var version: UInt64
    /// The id of the former zone whose log has that position. Missing if it is the log of the
    /// folder's zone.
    public var zone: String?
    /// The absolute path at that time. Missing if it was outside the folder.
    public var path: Control.Path?
    /// The path before the change. Only if it was different.
    public var from: Control.Path?
    /// The record's UUID.
    public var record: String
    /// The kind of the item.
    public var kind: Control.EntryKind
    /// `made`, `edited`, `restored`, `renamed`, `moved`, `attributes` or `deleted`, and several of
    /// them if they were one change. Newer versions may have others.
    public var what: [String]
    /// The size after the change, or before a deletion.
    public var size: Int64
    /// The time of the change, by the author's clock.
    public var time: Control.Time
    /// The author of the change.
    public var author: Control.Person
    /// The name of the device. Only if it is known.
    public var device: String?
    /// The restore or rewind that the change is a part of: the log position of its first entry.
    /// Missing if there is none, or if this device didn't read that entry.
    public var act: UInt64?
    /// True if the entry changed several items. Then a version is named by its number and the
    /// record.
    public var several: Bool

    /// Creates a value.
    public init(
      version: UInt64, zone: String? = nil, path: Control.Path? = nil, from: Control.Path? = nil,
      record: String, kind: Control.EntryKind, what: [String], size: Int64, time: Control.Time,
      author: Control.Person, device: String? = nil, act: UInt64? = nil, several: Bool = false
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
      self.several = several
    }
  }

  /// The names that rules exclude from a zone, and the contents of the zone that aren't selected.
  public struct Ignored: Codable, Hashable, Sendable {
    /// The number of names. A directory counts as one name.
    public var names: Int
    /// At most ten rules, the rule with the most names first.
    public var rules: [Control.IgnoredBy]
    /// The contents of the zone that aren't selected for this device. Missing if everything is.
    public var leftOut: Control.LeftOut?

    /// Creates a value.
    public init(names: Int = 0, rules: [Control.IgnoredBy] = [], leftOut: Control.LeftOut? = nil) {
      self.names = names
      self.rules = rules
      self.leftOut = leftOut
    }
  }

  /// A rule, and the number of names that it excludes.
  public struct IgnoredBy: Codable, Hashable, Sendable {
    /// The pattern, as it is written.
    public var pattern: Control.Path
    /// The absolute path of the .cairnignore that contains it. Missing for a built-in pattern.
    public var file: Control.Path?
    /// The number of names.
    public var names: Int

    /// Creates a value.
    public init(pattern: Control.Path, file: Control.Path? = nil, names: Int) {
      self.pattern = pattern
      self.file = file
      self.names = names
    }
  }

  /// A person, as the container shows them.
  public struct InspectedUser: Codable, Hashable, Sendable {
    /// The person's id.
    public var user: String
    /// The number of entries in the log of their identity.
    public var entries: Int
    /// The number of sealed messages in their inbox.
    public var messages: Int
    /// The number of packs of content that they own.
    public var packs: Int
    /// The total size of these packs.
    public var bytes: Int64

    /// Creates a value.
    public init(user: String, entries: Int, messages: Int, packs: Int, bytes: Int64) {
      self.user = user
      self.entries = entries
      self.messages = messages
      self.packs = packs
      self.bytes = bytes
    }
  }

  /// A zone, as the container shows it.
  public struct InspectedZone: Codable, Hashable, Sendable {
    /// The zone's id.
    public var zone: String
    /// The number of entries in the log.
    public var entries: Int
    /// The size of the log.
    public var bytes: Int64

    /// Creates a value.
    public init(zone: String, entries: Int, bytes: Int64) {
      self.zone = zone
      self.entries = entries
      self.bytes = bytes
    }
  }

  /// An invitation that awaits your answer.
  public struct Invitation: Codable, Hashable, Sendable {
    /// The id for `share accept`, hexadecimal.
    public var id: String
    /// The title of the share.
    public var title: String
    /// The inviter.
    public var from: Control.Person
    /// Your permission after accepting.
    public var permission: Control.Permission
    /// The share's zone.
    public var zone: String
    /// The time of sending, by the sender's clock.
    public var time: Control.Time

    /// Creates a value.
    public init(
      id: String, title: String, from: Control.Person, permission: Control.Permission, zone: String,
      time: Control.Time
    ) {
      self.id = id
      self.title = title
      self.from = from
      self.permission = permission
      self.zone = zone
      self.time = time
    }
  }

  /// The replaced and deleted versions that are kept. A version is kept if one of these members
  /// keeps it.
  public struct KeptHistory: Codable, Hashable, Sendable {
    /// True if all versions are kept. Then no other member is present.
    public var forever: Bool
    /// The number of seconds for which each version is kept after it was replaced. Only with this
    /// rule.
    public var all: UInt64?
    /// The number of seconds for which the last version of each day is kept. Only with this rule.
    public var daily: UInt64?
    /// The number of latest versions of each file that are kept. Only with this rule.
    public var versions: UInt32?

    /// Creates a value.
    public init(
      forever: Bool = false, all: UInt64? = nil, daily: UInt64? = nil, versions: UInt32? = nil
    ) {
      self.forever = forever
      self.all = all
      self.daily = daily
      self.versions = versions
    }
  }

  /// The maximum transfer rates, in bytes per second.
  public struct Limits: Codable, Hashable, Sendable {
    /// The maximum rate to the container. Missing if there is no limit.
    public var upload: Int64?
    /// The maximum rate from the container. Missing if there is no limit.
    public var download: Int64?
    /// The times at which the limits apply, as in cairn.conf(5). Empty if they always apply.
    public var times: [String]
    /// True if the limits apply now.
    public var active: Bool

    /// Creates a value.
    public init(upload: Int64? = nil, download: Int64? = nil, times: [String], active: Bool) {
      self.upload = upload
      self.download = download
      self.times = times
      self.active = active
    }
  }

  /// A link that grants access, as a share shows it, without the secret.
  public struct Link: Codable, Hashable, Sendable {
    /// The link's id, hexadecimal.
    public var id: String
    /// True if it is for one person.
    public var oneTime: Bool
    /// The permission of people who join by it.
    public var permission: Control.Permission
    /// The time when it expires. Missing if it never does.
    public var expires: Control.Time?

    /// Creates a value.
    public init(
      id: String, oneTime: Bool, permission: Control.Permission, expires: Control.Time? = nil
    ) {
      self.id = id
      self.oneTime = oneTime
      self.permission = permission
      self.expires = expires
    }
  }

  /// One change in a log entry.
  public struct LogChange: Codable, Hashable, Sendable {
    /// `created`, `changed`, `moved`, `deleted`, `reversal`, `share` or `zone`. Newer versions may
    /// have others.
    public var what: String
    /// The path in the zone. The path of a deleted name may be unknown. Only if it is known.
    public var path: Control.Path?
    /// The record's UUID. Only if the change concerns a record.
    public var record: String?
    /// The same as a sentence.
    public var text: String

    /// Creates a value.
    public init(what: String, path: Control.Path? = nil, record: String? = nil, text: String) {
      self.what = what
      self.path = path
      self.record = record
      self.text = text
    }
  }

  /// An entry of a zone's log: a batch of changes by one person.
  public struct LogEntry: Codable, Hashable, Sendable {
    /// The zone's id.
    public var zone: String
    /// The zone's title or name.
    public var title: String
    /// The position in the zone's log.
    public var sequence: UInt64
    /// The key of the object in the container. Missing if this device can't compute it.
    public var object: String?
    /// The time of the author's clock.
    public var time: Control.Time
    /// The person who signed it. Missing if the entry can't be opened.
    public var author: Control.Person?
    /// The name of the device. Only if it is known.
    public var device: String?
    /// The changes.
    public var changes: [Control.LogChange]
    /// The reason why the entry can no longer be opened here. Missing if it can.
    public var problem: String?

    /// Creates a value.
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

  /// The log entry for a point in time.
  public struct LogPlace: Codable, Hashable, Sendable {
    /// Its position in the log.
    public var place: UInt64
    /// The id of the former zone whose log has that position. Missing if it is the log of the
    /// folder's zone.
    public var zone: String?
    /// The time when it was made, by its author's clock. Missing if the time is unknown.
    public var time: Control.Time?
    /// Its author. Missing if the author is unknown.
    public var author: Control.Person?

    /// Creates a value.
    public init(
      place: UInt64, zone: String? = nil, time: Control.Time? = nil, author: Control.Person? = nil
    ) {
      self.place = place
      self.zone = zone
      self.time = time
      self.author = author
    }
  }

  /// Your own participation in a share.
  public struct Membership: Codable, Hashable, Sendable {
    /// Your role in the share.
    public var role: Control.Role
    /// Your permission.
    public var permission: Control.Permission
    /// The status of your invitation.
    public var acceptance: Control.Acceptance

    /// Creates a value.
    public init(
      role: Control.Role, permission: Control.Permission, acceptance: Control.Acceptance
    ) {
      self.role = role
      self.permission = permission
      self.acceptance = acceptance
    }
  }

  /// One local folder that mirrors a zone.
  public struct MountStatus: Codable, Hashable, Sendable {
    /// The mount's id, hexadecimal.
    public var id: String
    /// The absolute path of the folder.
    public var path: Control.Path
    /// The zone's id, hexadecimal.
    public var zone: String
    /// The share's title, or the folder's name.
    public var title: String
    /// The database of the zone.
    public var scope: Control.Scope
    /// Your role.
    public var role: Control.Role
    /// Your permission.
    public var permission: Control.Permission
    /// The current phase of the mount.
    public var phase: Control.Phase
    /// The number of files and symlinks in the zone.
    public var files: Int
    /// The number of directories in the zone, without the root.
    public var directories: Int
    /// The total size of all files in the zone.
    public var bytes: Int64
    /// The last commit of the zone's log that the folder shows.
    public var sequence: UInt64
    /// The pending work, and its progress.
    public var work: Control.Work
    /// The names that rules exclude.
    public var ignored: Control.Ignored
    /// The state of the watches.
    public var watching: Control.Watching
    /// The paths with a problem, and the reasons.
    public var problems: [Control.Problem]
    /// The files in the rescue folder.
    public var rescued: [Control.Rescued]
    /// The absolute paths of conflict copies in the folder.
    public var conflicts: [Control.Path]
    /// The deletions that await confirmation. Missing if there are none.
    public var held: Control.Held?
    /// The difference between the zone's log and what this device has read of it. Missing if there
    /// is none.
    public var state: Control.LogState?
    /// The participant with the owner's offer of the ownership. Only for the owner and this
    /// participant. Missing if there is no offer.
    public var offeredTo: Control.Person?
    /// The people who may take the share over without its owner's help. Missing if nobody may.
    public var succession: Control.Succession?

    /// Creates a value.
    public init(
      id: String, path: Control.Path, zone: String, title: String, scope: Control.Scope,
      role: Control.Role, permission: Control.Permission, phase: Control.Phase, files: Int,
      directories: Int, bytes: Int64, sequence: UInt64,
      work: Control.Work = Control.Work(pendingLocal: 0, pendingRemote: 0),
      ignored: Control.Ignored = Control.Ignored(names: 0, rules: []), watching: Control.Watching,
      problems: [Control.Problem] = [], rescued: [Control.Rescued] = [],
      conflicts: [Control.Path] = [], held: Control.Held? = nil, state: Control.LogState? = nil,
      offeredTo: Control.Person? = nil, succession: Control.Succession? = nil
    ) {
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
      self.state = state
      self.offeredTo = offeredTo
      self.succession = succession
    }
  }

  /// The way in which a device learns about remote changes in the container.
  public struct News: Codable, Hashable, Sendable {
    /// True if the container notifies. False if the device polls.
    public var told: Bool
    /// The current maximum delay in seconds, if no change marker is lost.
    public var lateSeconds: Double
    /// The maximum delay in seconds after a long time without changes.
    public var longestSeconds: Double
    /// True if the container seemed to notify, and turned out not to.
    public var deaf: Bool
    /// The state of push messages. Missing if they are off.
    public var wakes: Control.Wakes?

    /// Creates a value.
    public init(
      told: Bool, lateSeconds: Double, longestSeconds: Double, deaf: Bool,
      wakes: Control.Wakes? = nil
    ) {
      self.told = told
      self.lateSeconds = lateSeconds
      self.longestSeconds = longestSeconds
      self.deaf = deaf
      self.wakes = wakes
    }
  }

  /// A count of packs.
  public struct PackCount: Codable, Hashable, Sendable {
    /// The number of packs.
    public var packs: Int
    /// Their total size.
    public var bytes: UInt64

    /// Creates a value.
    public init(packs: Int, bytes: UInt64) {
      self.packs = packs
      self.bytes = bytes
    }
  }

  /// A person in a share.
  public struct Participant: Codable, Hashable, Sendable {
    /// The person's id, hexadecimal. Missing if it isn't known yet.
    public var user: String?
    /// The handle to invite them by. Only if it is known.
    public var handle: String?
    /// The name to display. Only if it is known.
    public var name: String?
    /// Their role in the share.
    public var role: Control.Role
    /// Their permission.
    public var permission: Control.Permission
    /// The permission before the invitation. Only in the answer to an invitation that changed it.
    public var formerPermission: Control.Permission?
    /// The status of the invitation.
    public var acceptance: Control.Acceptance
    /// The id of the link that admits them. Only for a person who isn't known yet.
    public var link: String?
    /// The certainty of their identity. Only in the answer to an invitation.
    public var verification: Control.Verification?
    /// The log entry up to which replaced and deleted content isn't visible to them. Missing for
    /// people who see all kept history.
    public var begins: UInt64?
    /// The end of their access that you have set. Missing without one.
    public var until: Control.Time?

    /// Creates a value.
    public init(
      user: String? = nil, handle: String? = nil, name: String? = nil, role: Control.Role,
      permission: Control.Permission, formerPermission: Control.Permission? = nil,
      acceptance: Control.Acceptance, link: String? = nil,
      verification: Control.Verification? = nil, begins: UInt64? = nil, until: Control.Time? = nil
    ) {
      self.user = user
      self.handle = handle
      self.name = name
      self.role = role
      self.permission = permission
      self.formerPermission = formerPermission
      self.acceptance = acceptance
      self.link = link
      self.verification = verification
      self.begins = begins
      self.until = until
    }
  }

  /// The amount of kept history of a zone, which its readers can also read.
  public struct PastAmount: Codable, Hashable, Sendable {
    /// The number of replaced and deleted versions.
    public var versions: Int
    /// The number of deleted files among them.
    public var deleted: Int

    /// Creates a value.
    public init(versions: Int, deleted: Int) {
      self.versions = versions
      self.deleted = deleted
    }
  }

  /// A file, directory or symlink at an earlier point in time.
  public struct PastEntry: Codable, Hashable, Sendable {
    /// Its absolute path at that time.
    public var path: Control.Path
    /// The kind of the item.
    public var kind: Control.EntryKind
    /// The size of a file.
    public var size: Int64
    /// The modification time.
    public var modified: Control.Time
    /// True if it was executable.
    public var executable: Bool
    /// The version: the log position of its first entry.
    public var version: UInt64
    /// The id of the former zone whose log has that position. Missing if it is the log of the
    /// folder's zone.
    public var zone: String?
    /// The author of this version.
    public var changedBy: Control.Person
    /// The record's UUID.
    public var record: String

    /// Creates a value.
    public init(
      path: Control.Path, kind: Control.EntryKind, size: Int64, modified: Control.Time,
      executable: Bool, version: UInt64, zone: String? = nil, changedBy: Control.Person,
      record: String
    ) {
      self.path = path
      self.kind = kind
      self.size = size
      self.modified = modified
      self.executable = executable
      self.version = version
      self.zone = zone
      self.changedBy = changedBy
      self.record = record
    }
  }

  /// An entry of a zone, as a view of the zone shows it.
  public struct ViewEntry: Codable, Hashable, Sendable {
    /// The name in its directory.
    public var name: Control.Path
    /// The id of the zone. A folder with a share of its own has another zone than its directory.
    public var zone: String
    /// The record's id.
    public var record: String
    /// The kind of the entry.
    public var kind: Control.EntryKind
    /// The size of a file in bytes.
    public var size: Int64
    /// The modification time.
    public var modified: Control.Time
    /// True for an executable file.
    public var executable: Bool
    /// The id of a file's content. Equal contents have equal ids.
    public var content: String?
    /// The target of a symlink.
    public var target: Control.Path?

    /// Creates a value.
    public init(
      name: Control.Path, zone: String, record: String, kind: Control.EntryKind, size: Int64,
      modified: Control.Time, executable: Bool, content: String? = nil, target: Control.Path? = nil
    ) {
      self.name = name
      self.zone = zone
      self.record = record
      self.kind = kind
      self.size = size
      self.modified = modified
      self.executable = executable
      self.content = content
      self.target = target
    }
  }

  /// A person who has a file open on another device, according to the lock file of an office
  /// program there.
  public struct Opener: Codable, Hashable, Sendable {
    /// The person.
    public var person: Control.Person
    /// The device's name, or its id if the name isn't known.
    public var device: String
    /// The time when it was opened, by the device's clock.
    public var since: Control.Time
    /// The time of the last sign, by the device's clock.
    public var seen: Control.Time

    /// Creates a value.
    public init(person: Control.Person, device: String, since: Control.Time, seen: Control.Time) {
      self.person = person
      self.device = device
      self.since = since
      self.seen = seen
    }
  }

  /// The status of one path.
  public struct PathStatus: Codable, Hashable, Sendable {
    /// The path.
    public var path: Control.Path
    /// The kind of thing that the path names.
    public var target: Control.TargetKind
    /// The way in which it is shared, if it is.
    public var shared: Control.Sharing
    /// The share's id. Only if it is shared.
    public var share: String?
    /// The share's title. Only if it is shared.
    public var title: String?
    /// The database of its zone. Missing if it isn't mirrored.
    public var scope: Control.Scope?
    /// The zone's id. Missing if it isn't mirrored.
    public var zone: String?
    /// The owner of its zone. Missing if it isn't mirrored, or is in the public database.
    public var owner: Control.Person?
    /// The record's UUID. Only if it is in the zone.
    public var record: String?
    /// A tag that differs after each change of the record, and is the same for everybody. Missing
    /// if it isn't in the zone.
    public var changeTag: String?
    /// The person who created the record. Only if it is in the zone.
    public var createdBy: Control.Person?
    /// The person who last changed the record. Only if it is in the zone.
    public var changedBy: Control.Person?
    /// The sync state of the item. Missing if it isn't mirrored or doesn't exist.
    public var state: Control.EntryState?
    /// The people who have the file open on other devices. Missing if nobody has.
    public var openBy: [Control.Opener]?

    /// Creates a value.
    public init(
      path: Control.Path, target: Control.TargetKind = .elsewhere, shared: Control.Sharing,
      share: String? = nil, title: String? = nil, scope: Control.Scope? = nil, zone: String? = nil,
      owner: Control.Person? = nil, record: String? = nil, changeTag: String? = nil,
      createdBy: Control.Person? = nil, changedBy: Control.Person? = nil,
      state: Control.EntryState? = nil, openBy: [Control.Opener]? = nil
    ) {
      self.path = path
      self.target = target
      self.shared = shared
      self.share = share
      self.title = title
      self.scope = scope
      self.zone = zone
      self.owner = owner
      self.record = record
      self.changeTag = changeTag
      self.createdBy = createdBy
      self.changedBy = changedBy
      self.state = state
      self.openBy = openBy
    }
  }

  /// A pause of the traffic.
  public struct Paused: Codable, Hashable, Sendable {
    /// The start of the pause.
    public var since: Control.Time
    /// The end of the pause. Missing if only resume ends it.
    public var until: Control.Time?

    /// Creates a value.
    public init(since: Control.Time, until: Control.Time? = nil) {
      self.since = since
      self.until = until
    }
  }

  /// A folder with paused traffic.
  public struct PausedFolder: Codable, Hashable, Sendable {
    /// The absolute path of the folder.
    public var path: Control.Path
    /// The pause.
    public var paused: Control.Paused

    /// Creates a value.
    public init(path: Control.Path, paused: Control.Paused) {
      self.path = path
      self.paused = paused
    }
  }

  /// The permission for one action, and the reason.
  public struct Permit: Codable, Hashable, Sendable {
    /// The action.
    public var verb: Control.Verb
    /// True if the action is allowed.
    public var allowed: Bool
    /// The reason, as a sentence.
    public var reason: String

    /// Creates a value.
    public init(verb: Control.Verb, allowed: Bool, reason: String) {
      self.verb = verb
      self.allowed = allowed
      self.reason = reason
    }
  }

  /// A person of the container.
  public struct Person: Codable, Hashable, Sendable {
    /// The person's permanent id, hexadecimal.
    public var user: String
    /// The handle to invite them by. Only if it is known.
    public var handle: String?
    /// The name to display. Only if it is known.
    public var name: String?
    /// The certainty of their identity. Only where this matters, and not for yourself.
    public var verification: Control.Verification?
    /// The number of people who claim the handle. More than one is a warning. Only where this
    /// matters.
    public var claimedBy: Int?

    /// Creates a value.
    public init(
      user: String, handle: String? = nil, name: String? = nil,
      verification: Control.Verification? = nil, claimedBy: Int? = nil
    ) {
      self.user = user
      self.handle = handle
      self.name = name
      self.verification = verification
      self.claimedBy = claimedBy
    }
  }

  /// One test of the container's file system.
  public struct Probe: Codable, Hashable, Sendable {
    /// The name of the test, such as `link` or `fsync`.
    public var name: String
    /// True if the test succeeded.
    public var works: Bool
    /// The consequence.
    public var note: String

    /// Creates a value.
    public init(name: String, works: Bool, note: String) {
      self.name = name
      self.works = works
      self.note = note
    }
  }

  /// One problem, with its reason. Everything else continues.
  public struct Problem: Codable, Hashable, Sendable {
    /// The absolute path of the file or folder. Only if the problem concerns one.
    public var path: Control.Path?
    /// The kind of the problem.
    public var code: Control.ErrorCode
    /// A sentence that says what happened, and to what.
    public var message: String
    /// The action to take. Empty if there is nothing to do.
    public var remedy: String

    /// Creates a value.
    public init(
      path: Control.Path? = nil, code: Control.ErrorCode, message: String, remedy: String
    ) {
      self.path = path
      self.code = code
      self.message = message
      self.remedy = remedy
    }
  }

  /// A file, directory or symlink of the public database.
  public struct PublicEntry: Codable, Hashable, Sendable {
    /// Its path in the public database.
    public var path: Control.Path
    /// The kind of the item.
    public var kind: Control.EntryKind
    /// The size of the content. For a symlink the length of its target, and for a directory 0.
    public var size: Int64
    /// The modification time. For an author's whole directory, the time of their first publication.
    public var modified: Control.Time
    /// True if it is executable.
    public var executable: Bool
    /// The target of a symlink. Only for a symlink.
    public var target: Control.Path?
    /// The author, who alone can change or delete it.
    public var author: Control.Person
    /// True if you are the author.
    public var isMine: Bool
    /// The record's UUID.
    public var record: String
    /// The commit that last changed it.
    public var sequence: UInt64
    /// The id of the content, which is equal for equal bytes. Only for a file.
    public var content: String?

    /// Creates a value.
    public init(
      path: Control.Path, kind: Control.EntryKind, size: Int64, modified: Control.Time,
      executable: Bool, target: Control.Path? = nil, author: Control.Person, isMine: Bool,
      record: String, sequence: UInt64, content: String? = nil
    ) {
      self.path = path
      self.kind = kind
      self.size = size
      self.modified = modified
      self.executable = executable
      self.target = target
      self.author = author
      self.isMine = isMine
      self.record = record
      self.sequence = sequence
      self.content = content
    }
  }

  /// The storage that the files of the public database use.
  public struct PublicQuota: Codable, Hashable, Sendable {
    /// The total size of the files that you published, in bytes.
    public var used: UInt64
    /// The total size of the files of all people.
    public var everybody: UInt64

    /// Creates a value.
    public init(used: UInt64, everybody: UInt64) {
      self.used = used
      self.everybody = everybody
    }
  }

  /// A type of records.
  public struct RecordSchema: Codable, Hashable, Sendable {
    /// `file`, `directory`, `symlink`, `reference`, or the name that a program gives to its own
    /// type.
    public var type: String
    /// True if it is one of the four types in folders.
    public var builtIn: Bool
    /// The number of records of this type.
    public var records: Int
    /// Their fields, sorted by name.
    public var fields: [Control.SchemaField]

    /// Creates a value.
    public init(type: String, builtIn: Bool, records: Int, fields: [Control.SchemaField]) {
      self.type = type
      self.builtIn = builtIn
      self.records = records
      self.fields = fields
    }
  }

  /// A step of a repair: planned, done, or left to a person.
  public struct RepairStep: Codable, Hashable, Sendable {
    /// The zone of the step. Missing if the step concerns identities.
    public var zone: String?
    /// The zone's title.
    public var title: String
    /// The folder that mirrors it here. Only if there is one.
    public var path: Control.Path?
    /// The state of the log in the container.
    public var state: Control.LogState
    /// The action, as a sentence.
    public var what: String
    /// True if this device can do it.
    public var possible: Bool
    /// The remaining action for you or another person.
    public var remedy: String
    /// The affected files.
    public var paths: [Control.Path]

    /// Creates a value.
    public init(
      zone: String? = nil, title: String, path: Control.Path? = nil, state: Control.LogState,
      what: String, possible: Bool, remedy: String = "", paths: [Control.Path] = []
    ) {
      self.zone = zone
      self.title = title
      self.path = path
      self.state = state
      self.what = what
      self.possible = possible
      self.remedy = remedy
      self.paths = paths
    }
  }

  /// The outcome of a request for one share.
  public struct RequestOutcome: Codable, Hashable, Sendable {
    /// The link, without a secret.
    public var link: String
    /// The reason why the request failed. Missing if it succeeded.
    public var error: ControlError?

    /// Creates a value.
    public init(link: String, error: ControlError? = nil) {
      self.link = link
      self.error = error
    }
  }

  /// A file in a rescue folder.
  public struct RescueEntry: Codable, Hashable, Sendable {
    /// Its path, its original path, the reason and the time.
    public var rescued: Control.Rescued
    /// Its size.
    public var size: Int64
    /// The mount's id. Missing in the home's rescue folder.
    public var mount: String?

    /// Creates a value.
    public init(rescued: Control.Rescued, size: Int64, mount: String? = nil) {
      self.rescued = rescued
      self.size = size
      self.mount = mount
    }
  }

  /// Content that could stay neither in the folder nor in the zone, and its path.
  public struct Rescued: Codable, Hashable, Sendable {
    /// Its absolute path.
    public var path: Control.Path
    /// The absolute path of the file that it came from.
    public var of: Control.Path
    /// The reason.
    public var reason: String
    /// The time when it was rescued.
    public var time: Control.Time

    /// Creates a value.
    public init(path: Control.Path, of: Control.Path, reason: String, time: Control.Time) {
      self.path = path
      self.of = of
      self.reason = reason
      self.time = time
    }
  }

  /// The change of one path.
  public struct RestoredPath: Codable, Hashable, Sendable {
    /// `brought-back`, `changed`, `moved` or `removed`. Newer versions may have others.
    public var what: String
    /// The absolute path after the change. For a removed item, the path before the change.
    public var path: Control.Path
    /// The path before the change. Only if it is different.
    public var from: Control.Path?
    /// The size of a file.
    public var size: Int64

    /// Creates a value.
    public init(what: String, path: Control.Path, from: Control.Path? = nil, size: Int64 = 0) {
      self.what = what
      self.path = path
      self.from = from
      self.size = size
    }
  }

  /// A field of the records of a type. A name is listed twice if some records have it with another
  /// kind of value.
  public struct SchemaField: Codable, Hashable, Sendable {
    /// The name of the field.
    public var name: String
    /// The kind of its value, or of each value in its list. Missing for empty lists.
    public var kind: Control.FieldKind?
    /// True if it is a list.
    public var list: Bool
    /// The number of records that have it.
    public var records: Int

    /// Creates a value.
    public init(name: String, kind: Control.FieldKind? = nil, list: Bool = false, records: Int) {
      self.name = name
      self.kind = kind
      self.list = list
      self.records = records
    }
  }

  /// A share: one zone and the people in it.
  public struct Share: Codable, Hashable, Sendable {
    /// The share's id, which is also the id of its zone, hexadecimal.
    public var id: String
    /// The title that invitations show.
    public var title: String
    /// The owner of the share.
    public var owner: Control.Person
    /// Your own participation.
    public var me: Control.Membership
    /// The permission of anyone with the public link.
    public var publicPermission: Control.Permission
    /// The locator, which says where the share is, and grants no access.
    public var link: String
    /// All people, with the owner first.
    public var participants: [Control.Participant]
    /// The absolute path of the folder that mirrors it here. Only if there is one.
    public var path: Control.Path?
    /// The database of the share, which shows if you own it.
    public var scope: Control.Scope
    /// The links that grant access.
    public var links: [Control.Link]
    /// True if people who aren't invited may ask for access.
    public var takesRequests: Bool
    /// The people who may neither join nor ask.
    public var blocked: [Control.Person]
    /// The participant with the owner's offer of the ownership. Missing if there is no offer.
    public var offeredTo: Control.Person?
    /// The people who may take the share over without its owner's help. Missing if nobody may.
    public var succession: Control.Succession?

    /// Creates a value.
    public init(
      id: String, title: String, owner: Control.Person, me: Control.Membership,
      publicPermission: Control.Permission, link: String, participants: [Control.Participant],
      path: Control.Path? = nil, scope: Control.Scope, links: [Control.Link] = [],
      takesRequests: Bool = false, blocked: [Control.Person] = [], offeredTo: Control.Person? = nil,
      succession: Control.Succession? = nil
    ) {
      self.id = id
      self.title = title
      self.owner = owner
      self.me = me
      self.publicPermission = publicPermission
      self.link = link
      self.participants = participants
      self.path = path
      self.scope = scope
      self.links = links
      self.takesRequests = takesRequests
      self.blocked = blocked
      self.offeredTo = offeredTo
      self.succession = succession
    }
  }

  /// The owner's decision about who may take a share over without the owner's help, and the claims.
  /// Everybody in the share sees it.
  public struct Succession: Codable, Hashable, Sendable {
    /// The successors who are still in the share.
    public var people: [Control.Person]
    /// The number of successors who must confirm a claim, its author among them. If fewer
    /// successors are left, nobody can take the share over.
    public var needed: Int
    /// The waiting time of a claim in seconds.
    public var waitSeconds: Int64
    /// The claims, the oldest first.
    public var claims: [Control.SuccessionClaim]

    /// Creates a value.
    public init(
      people: [Control.Person], needed: Int, waitSeconds: Int64,
      claims: [Control.SuccessionClaim] = []
    ) {
      self.people = people
      self.needed = needed
      self.waitSeconds = waitSeconds
      self.claims = claims
    }
  }

  /// A successor's claim to the ownership of a share.
  public struct SuccessionClaim: Codable, Hashable, Sendable {
    /// The successor.
    public var person: Control.Person
    /// The time of the claim, by the successor's clock.
    public var claimed: Control.Time
    /// The time from which the successor's program takes the share over.
    public var due: Control.Time
    /// The successors who confirm the claim, its author among them.
    public var confirmedBy: [Control.Person]
    /// True if enough successors confirm the claim.
    public var isConfirmed: Bool

    /// Creates a value.
    public init(
      person: Control.Person, claimed: Control.Time, due: Control.Time,
      confirmedBy: [Control.Person], isConfirmed: Bool
    ) {
      self.person = person
      self.claimed = claimed
      self.due = due
      self.confirmedBy = confirmedBy
      self.isConfirmed = isConfirmed
    }
  }

  /// The limits and pauses of the traffic with the container.
  public struct Traffic: Codable, Hashable, Sendable {
    /// The pause of all traffic. Missing if there is none.
    public var paused: Control.Paused?
    /// The folders that are paused separately.
    public var folders: [Control.PausedFolder]
    /// The maximum transfer rates. Missing if there are none.
    public var limits: Control.Limits?

    /// Creates a value.
    public init(
      paused: Control.Paused? = nil, folders: [Control.PausedFolder] = [],
      limits: Control.Limits? = nil
    ) {
      self.paused = paused
      self.folders = folders
      self.limits = limits
    }
  }

  /// A file whose bytes are transferred, or wait for that.
  public struct Transfer: Codable, Hashable, Sendable {
    /// The direction of the bytes.
    public var direction: Control.TransferDirection
    /// The absolute path of the file.
    public var path: Control.Path
    /// The mirrored folder.
    public var folder: Control.Path
    /// The number of finished bytes.
    public var bytes: Int64
    /// The size of the file.
    public var allBytes: Int64
    /// The rate since the transfer began. Only once it is known.
    public var bytesPerSecond: Int64?
    /// The reason that it waits. Only if it isn't under way.
    public var reason: String?

    /// Creates a value.
    public init(
      direction: Control.TransferDirection, path: Control.Path, folder: Control.Path, bytes: Int64,
      allBytes: Int64, bytesPerSecond: Int64? = nil, reason: String? = nil
    ) {
      self.direction = direction
      self.path = path
      self.folder = folder
      self.bytes = bytes
      self.allBytes = allBytes
      self.bytesPerSecond = bytesPerSecond
      self.reason = reason
    }
  }

  /// A person who can be invited.
  public struct User: Codable, Hashable, Sendable {
    /// The person's id, hexadecimal.
    public var user: String
    /// The handle to invite them by.
    public var handle: String
    /// The name to display.
    public var name: String
    /// The number of their active devices, with recovery sheets.
    public var devices: Int
    /// True if it is you.
    public var isMe: Bool
    /// The certainty of their identity. Missing for yourself.
    public var verification: Control.Verification?
    /// The number of people who claim the handle. More than one is a warning. Missing if the
    /// container can't tell.
    public var claimedBy: Int?
    /// True if the container doesn't show them now, although this device has read them before or
    /// the account knows them. Only in this case.
    public var isHidden: Bool?

    /// Creates a value.
    public init(
      user: String, handle: String, name: String, devices: Int, isMe: Bool,
      verification: Control.Verification? = nil, claimedBy: Int? = nil, isHidden: Bool? = nil
    ) {
      self.user = user
      self.handle = handle
      self.name = name
      self.devices = devices
      self.isMe = isMe
      self.verification = verification
      self.claimedBy = claimedBy
      self.isHidden = isHidden
    }
  }

  /// The push messages of this device.
  public struct Wakes: Codable, Hashable, Sendable {
    /// The announced addresses of this device, with ports.
    public var addresses: [String]
    /// The number of other devices that are known to listen.
    public var devices: Int
    /// The number of messages for this device since the daemon started.
    public var heard: Int
    /// The number of sent messages, one for each address of each device.
    public var sent: Int

    /// Creates a value.
    public init(addresses: [String] = [], devices: Int = 0, heard: Int = 0, sent: Int = 0) {
      self.addresses = addresses
      self.devices = devices
      self.heard = heard
      self.sent = sent
    }
  }

  /// The watches of a mount.
  public struct Watching: Codable, Hashable, Sendable {
    /// The number of watched directories.
    public var directories: Int
    /// The number of directories that could not be watched, and are scanned instead.
    public var unwatched: Int
    /// The reason, and the action to take. Only if some directories can't be watched.
    public var note: String?
    /// The number of seconds between two scans of the directories that aren't watched. A scan takes
    /// at most 5 % of one processor. Only if some directories aren't watched.
    public var scanSeconds: Double?
    /// The limits of the folder's file system, as sentences. Only if it has any.
    public var fileSystem: [String]?

    /// Creates a value.
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

  /// One reason for the state of a path.
  public struct WhyReason: Codable, Hashable, Sendable {
    /// The rule.
    public var rule: Control.WhyRule
    /// A sentence for people.
    public var text: String
    /// The action to take. Only if there is something to do.
    public var remedy: String?
    /// The log entry that caused it, with the changes that concern the path. Only for reasons from
    /// the log.
    public var entry: Control.LogEntry?

    /// Creates a value.
    public init(
      rule: Control.WhyRule, text: String, remedy: String? = nil, entry: Control.LogEntry? = nil
    ) {
      self.rule = rule
      self.text = text
      self.remedy = remedy
      self.entry = entry
    }
  }

  /// The pending work of a mount, and its progress.
  public struct Work: Codable, Hashable, Sendable {
    /// The number of names that changed here and aren't durable in the zone yet.
    public var pendingLocal: Int
    /// The number of records that changed in the zone and aren't in the folder yet.
    public var pendingRemote: Int
    /// The number of names that the current scan of the folder has seen. Only during a scan.
    public var looked: Int64?
    /// The data that is being sent to the zone. Only while there is any.
    public var sending: Control.WorkAmount?
    /// The data that is being applied to the folder. Only while there is any.
    public var receiving: Control.WorkAmount?
    /// The transfer rate in bytes per second. Only while files are transferred, and once it is
    /// known.
    public var bytesPerSecond: Int64?
    /// The number of seconds until the end at this rate. Only while it is known. Files that wait
    /// for something else, such as room on a disk, are left out.
    public var secondsLeft: Int64?

    /// Creates a value.
    public init(
      pendingLocal: Int = 0, pendingRemote: Int = 0, looked: Int64? = nil,
      sending: Control.WorkAmount? = nil, receiving: Control.WorkAmount? = nil,
      bytesPerSecond: Int64? = nil, secondsLeft: Int64? = nil
    ) {
      self.pendingLocal = pendingLocal
      self.pendingRemote = pendingRemote
      self.looked = looked
      self.sending = sending
      self.receiving = receiving
      self.bytesPerSecond = bytesPerSecond
      self.secondsLeft = secondsLeft
    }
  }

  /// The progress in one direction since the folder was last up to date.
  public struct WorkAmount: Codable, Hashable, Sendable {
    /// The number of completed names.
    public var names: Int64
    /// The total number of names.
    public var allNames: Int64
    /// The number of bytes of files that are stored, including those of a file in progress.
    public var bytes: Int64
    /// The total number of bytes of files.
    public var allBytes: Int64

    /// Creates a value.
    public init(names: Int64, allNames: Int64, bytes: Int64, allBytes: Int64) {
      self.names = names
      self.allNames = allNames
      self.bytes = bytes
      self.allBytes = allBytes
    }
  }

  /// The storage that a zone uses, and its limit.
  public struct ZoneQuota: Codable, Hashable, Sendable {
    /// The zone's id.
    public var id: String
    /// Its title.
    public var title: String
    /// The folder that mirrors it here. Only if there is one.
    public var path: Control.Path?
    /// The total size of all current files in it, in bytes.
    public var used: UInt64
    /// The owner's limit for this size. Missing if there is none.
    public var limit: UInt64?
    /// The number of bytes that are only in replaced or deleted versions. Equal pieces count once,
    /// and no limit counts them.
    public var history: UInt64
    /// The part of `history` that belongs to deleted files.
    public var deleted: UInt64
    /// The part of `history` that the folder's policy no longer keeps, and that cairn-gc(1) frees.
    public var expired: UInt64
    /// The part of `history` that the folder's policy no longer keeps from `formerUntil` on.
    public var expiring: UInt64
    /// True if the folder keeps every version.
    public var keepsAll: Bool
    /// The time until which everything is still kept after a change of the policy. Missing if no
    /// change was made within the last seven days.
    public var formerUntil: Control.Time?

    /// Creates a value.
    public init(
      id: String, title: String, path: Control.Path? = nil, used: UInt64, limit: UInt64? = nil,
      history: UInt64, deleted: UInt64 = 0, expired: UInt64 = 0, expiring: UInt64 = 0,
      keepsAll: Bool = true, formerUntil: Control.Time? = nil
    ) {
      self.id = id
      self.title = title
      self.path = path
      self.used = used
      self.limit = limit
      self.history = history
      self.deleted = deleted
      self.expired = expired
      self.expiring = expiring
      self.keepsAll = keepsAll
      self.formerUntil = formerUntil
    }
  }

  /// A zone of the account.
  public struct ZoneStatus: Codable, Hashable, Sendable {
    /// The zone's id, which is the same for all participants.
    public var zone: String
    /// The name that its owner gave it.
    public var name: String
    /// The owner.
    public var owner: Control.Person
    /// The database of the zone on this device.
    public var scope: Control.Scope
    /// The title of its share. Missing if it isn't shared.
    public var title: String?
    /// The log position up to which this device has replayed it.
    public var sequence: UInt64
    /// The epoch of the current key.
    public var epoch: UInt64
    /// The folder here that mirrors it. Only if there is one.
    public var path: Control.Path?

    /// Creates a value.
    public init(
      zone: String, name: String, owner: Control.Person, scope: Control.Scope, title: String? = nil,
      sequence: UInt64, epoch: UInt64, path: Control.Path? = nil
    ) {
      self.zone = zone
      self.name = name
      self.owner = owner
      self.scope = scope
      self.title = title
      self.sequence = sequence
      self.epoch = epoch
      self.path = path
    }
  }

  /// The answer of `directories`.
  public struct DirectoriesReply: Codable, Hashable, Sendable {
    /// The absolute path of the listed directory.
    public var path: Control.Path
    /// The absolute path of the home folder.
    public var home: Control.Path
    /// The names of the directories in it, sorted by their bytes: at most 5,000.
    public var names: [Control.Path]
    /// A Boolean value that indicates whether there are more.
    public var isCut: Bool

    /// Creates a value.
    public init(path: Control.Path, home: Control.Path, names: [Control.Path], isCut: Bool) {
      self.path = path
      self.home = home
      self.names = names
      self.isCut = isCut
    }
  }

  /// The answer of `settings`: the values in effect.
  public struct SettingsReply: Codable, Hashable, Sendable {
    /// A Boolean value that indicates whether the desktop shows notifications.
    public var notifications: Bool
    /// The upload limit in bytes per second. Missing if there is none.
    public var uploadLimit: Int64?
    /// The download limit in bytes per second. Missing if there is none.
    public var downloadLimit: Int64?
    /// The times at which the limits apply. Empty if they always apply.
    public var limitWhen: [String]
    /// The configuration file.
    public var file: Control.Path

    /// Creates a value.
    public init(
      notifications: Bool, uploadLimit: Int64? = nil, downloadLimit: Int64? = nil,
      limitWhen: [String], file: Control.Path
    ) {
      self.notifications = notifications
      self.uploadLimit = uploadLimit
      self.downloadLimit = downloadLimit
      self.limitWhen = limitWhen
      self.file = file
    }
  }

  /// The answer of `upload`.
  public struct UploadReply: Codable, Hashable, Sendable {
    /// The number of bytes that were received so far.
    public var size: Int64
    /// The absolute path of the file. Missing before the last piece.
    public var path: Control.Path?

    /// Creates a value.
    public init(size: Int64, path: Control.Path? = nil) {
      self.size = size
      self.path = path
    }
  }

  /// The answer of `qrCode`.
  public struct CodeReply: Codable, Hashable, Sendable {
    /// The rows of squares from the top, without the light margin: 1 is dark, 0 is light.
    public var rows: [String]

    /// Creates a value.
    public init(rows: [String]) {
      self.rows = rows
    }
  }

  /// The answer of `content`.
  public struct ContentReply: Codable, Hashable, Sendable {
    /// The bytes of the file in order, each piece in base64.
    public var pieces: [String]
    /// The size of the file in bytes.
    public var size: Int64

    /// Creates a value.
    public init(pieces: [String], size: Int64) {
      self.pieces = pieces
      self.size = size
    }
  }

  /// The answer of `program list`, `program allow` and `program revoke`.
  public struct ProgramsReply: Codable, Hashable, Sendable {
    /// The programs, sorted by name.
    public var programs: [Control.Program]

    /// Creates a value.
    public init(programs: [Control.Program]) {
      self.programs = programs
    }
  }

  /// A program that uses zones of this person, or asks to.
  public struct Program: Codable, Hashable, Sendable {
    /// The name that the program gave.
    public var name: String
    /// The answer of the person.
    public var state: Control.ProgramState
    /// The names of the private zones that it may use.
    public var zones: [String]
    /// The titles of further zones that it may use.
    public var others: [String]
    /// True if it may share zones and accept invitations.
    public var sharing: Bool
    /// The names of the zones that it asks for. Missing if it doesn't ask.
    public var asks: [String]?
    /// True if it asks to share zones and accept invitations. Missing if it doesn't ask.
    public var asksSharing: Bool?
    /// The time of the last request or answer.
    public var time: Control.Time

    /// Creates a value.
    public init(
      name: String, state: Control.ProgramState, zones: [String], others: [String], sharing: Bool,
      asks: [String]? = nil, asksSharing: Bool? = nil, time: Control.Time
    ) {
      self.name = name
      self.state = state
      self.zones = zones
      self.others = others
      self.sharing = sharing
      self.asks = asks
      self.asksSharing = asksSharing
      self.time = time
    }
  }

  /// The answer of `programAsk`.
  public struct ProgramAskReply: Codable, Hashable, Sendable {
    /// The answer of the person.
    public var state: Control.ProgramState
    /// The id of the person. Missing before they allow the program.
    public var me: String?

    /// Creates a value.
    public init(state: Control.ProgramState, me: String? = nil) {
      self.state = state
      self.me = me
    }
  }

  /// A zone that a program may use.
  public struct ProgramZone: Codable, Hashable, Sendable {
    /// The id of the zone.
    public var id: String
    /// The name of the zone.
    public var name: String
    /// The id of the owner.
    public var owner: String
    /// True if this person can save records in it.
    public var canEdit: Bool

    /// Creates a value.
    public init(id: String, name: String, owner: String, canEdit: Bool) {
      self.id = id
      self.name = name
      self.owner = owner
      self.canEdit = canEdit
    }
  }

  /// The answer of `programZones`, and of operations that make a zone.
  public struct ProgramZonesReply: Codable, Hashable, Sendable {
    /// The zones.
    public var zones: [Control.ProgramZone]

    /// Creates a value.
    public init(zones: [Control.ProgramZone]) {
      self.zones = zones
    }
  }

  /// The answer of `programDatabase`.
  public struct ProgramDatabaseReply: Codable, Hashable, Sendable {
    /// The ids of new and changed zones.
    public var changed: [String]
    /// The ids of zones that are gone.
    public var deleted: [String]
    /// The token for the next request.
    public var token: String

    /// Creates a value.
    public init(changed: [String], deleted: [String], token: String) {
      self.changed = changed
      self.deleted = deleted
      self.token = token
    }
  }

  /// The bytes of a file in a field.
  public struct ProgramAsset: Codable, Hashable, Sendable {
    /// The digest of the bytes in hexadecimal digits.
    public var id: String
    /// The number of bytes.
    public var size: UInt64
    /// The names of its chunks in order.
    public var chunks: [String]

    /// Creates a value.
    public init(id: String, size: UInt64, chunks: [String]) {
      self.id = id
      self.size = size
      self.chunks = chunks
    }
  }

  /// A point on the earth.
  public struct ProgramLocation: Codable, Hashable, Sendable {
    /// Degrees north.
    public var latitude: Double
    /// Degrees east.
    public var longitude: Double

    /// Creates a value.
    public init(latitude: Double, longitude: Double) {
      self.latitude = latitude
      self.longitude = longitude
    }
  }

  /// A value of a field. It has one member.
  public struct ProgramValue: Codable, Hashable, Sendable {
    /// Bytes in base64. Missing for other kinds.
    public var bytes: String?
    /// A text. Missing for other kinds.
    public var text: String?
    /// A signed number. Missing for other kinds.
    public var integer: Int64?
    /// A floating-point number. Missing for other kinds.
    public var number: Double?
    /// Yes or no. Missing for other kinds.
    public var boolean: Bool?
    /// A time in nanoseconds since 1970. Missing for other kinds.
    public var date: Int64?
    /// A point on the earth. Missing for other kinds.
    public var location: Control.ProgramLocation?
    /// Values of one kind. Missing for other kinds.
    public var list: [Control.ProgramValue]?
    /// The id of a record. Missing for other kinds.
    public var reference: String?
    /// The bytes of a file. Missing for other kinds.
    public var asset: Control.ProgramAsset?

    /// Creates a value.
    public init(
      bytes: String? = nil, text: String? = nil, integer: Int64? = nil, number: Double? = nil,
      boolean: Bool? = nil, date: Int64? = nil, location: Control.ProgramLocation? = nil,
      list: [Control.ProgramValue]? = nil, reference: String? = nil,
      asset: Control.ProgramAsset? = nil
    ) {
      self.bytes = bytes
      self.text = text
      self.integer = integer
      self.number = number
      self.boolean = boolean
      self.date = date
      self.location = location
      self.list = list
      self.reference = reference
      self.asset = asset
    }
  }

  /// A field of a record.
  public struct ProgramField: Codable, Hashable, Sendable {
    /// The name.
    public var name: String
    /// The value.
    public var value: Control.ProgramValue

    /// Creates a value.
    public init(name: String, value: Control.ProgramValue) {
      self.name = name
      self.value = value
    }
  }

  /// A change of a record.
  public struct ProgramStamp: Codable, Hashable, Sendable {
    /// The id of the author.
    public var person: String
    /// The author's clock in nanoseconds since 1970.
    public var time: Int64
    /// The position in the log of the zone.
    public var position: UInt64

    /// Creates a value.
    public init(person: String, time: Int64, position: UInt64) {
      self.person = person
      self.time = time
      self.position = position
    }
  }

  /// A record with fields. In a request, `fields` are the new ones.
  public struct ProgramRecord: Codable, Hashable, Sendable {
    /// The id.
    public var id: String
    /// The type.
    public var type: String
    /// The first save. Missing for a new record.
    public var created: Control.ProgramStamp?
    /// The last save. Missing for a new record.
    public var changed: Control.ProgramStamp?
    /// The fields, by name.
    public var fields: [Control.ProgramField]
    /// The names of the fields that the program has changed. Missing in an answer.
    public var changedKeys: [String]?
    /// The earlier values of these fields. Missing in an answer.
    public var before: [Control.ProgramField]?

    /// Creates a value.
    public init(
      id: String, type: String, created: Control.ProgramStamp? = nil,
      changed: Control.ProgramStamp? = nil, fields: [Control.ProgramField],
      changedKeys: [String]? = nil, before: [Control.ProgramField]? = nil
    ) {
      self.id = id
      self.type = type
      self.created = created
      self.changed = changed
      self.fields = fields
      self.changedKeys = changedKeys
      self.before = before
    }
  }

  /// A condition on the fields of a record. `parts` belong to `and`, `or` and `not`.
  public struct ProgramFilter: Codable, Hashable, Sendable {
    /// The kind.
    public var kind: Control.ProgramFilterKind
    /// The name of a field. Missing if there are parts.
    public var field: String?
    /// The value. Missing if there are parts.
    public var value: Control.ProgramValue?
    /// The conditions that are combined.
    public var parts: [Control.ProgramFilter]

    /// Creates a value.
    public init(
      kind: Control.ProgramFilterKind, field: String? = nil, value: Control.ProgramValue? = nil,
      parts: [Control.ProgramFilter]
    ) {
      self.kind = kind
      self.field = field
      self.value = value
      self.parts = parts
    }
  }

  /// A rule of an order.
  public struct ProgramSort: Codable, Hashable, Sendable {
    /// The name of the field.
    public var field: String
    /// True for the largest value first.
    public var descending: Bool

    /// Creates a value.
    public init(field: String, descending: Bool) {
      self.field = field
      self.descending = descending
    }
  }

  /// A search for records of one type.
  public struct ProgramQuery: Codable, Hashable, Sendable {
    /// The type.
    public var type: String
    /// The condition.
    public var filter: Control.ProgramFilter
    /// The order.
    public var sort: [Control.ProgramSort]

    /// Creates a value.
    public init(type: String, filter: Control.ProgramFilter, sort: [Control.ProgramSort]) {
      self.type = type
      self.filter = filter
      self.sort = sort
    }
  }

  /// The answer of `programRecords` and `programHistory`.
  public struct ProgramRecordsReply: Codable, Hashable, Sendable {
    /// The records.
    public var records: [Control.ProgramRecord]
    /// The position of the next page in base64. Missing after the last page.
    public var cursor: String?
    /// The position of the zone before the records were read.
    public var sequence: UInt64

    /// Creates a value.
    public init(records: [Control.ProgramRecord], cursor: String? = nil, sequence: UInt64) {
      self.records = records
      self.cursor = cursor
      self.sequence = sequence
    }
  }

  /// The answer of `programChanges`.
  public struct ProgramChangesReply: Codable, Hashable, Sendable {
    /// New and changed records.
    public var changed: [Control.ProgramRecord]
    /// The deleted records.
    public var deleted: [Control.ProgramDeletion]
    /// The token for the next request.
    public var token: String
    /// True if there are more changes already.
    public var moreComing: Bool
    /// True if this person can save records in the zone.
    public var canEdit: Bool

    /// Creates a value.
    public init(
      changed: [Control.ProgramRecord], deleted: [Control.ProgramDeletion], token: String,
      moreComing: Bool, canEdit: Bool
    ) {
      self.changed = changed
      self.deleted = deleted
      self.token = token
      self.moreComing = moreComing
      self.canEdit = canEdit
    }
  }

  /// A deleted record.
  public struct ProgramDeletion: Codable, Hashable, Sendable {
    /// The id.
    public var id: String
    /// The type that the record had.
    public var type: String

    /// Creates a value.
    public init(id: String, type: String) {
      self.id = id
      self.type = type
    }
  }

  /// The answer of `programFollow`, which has no end.
  public struct ProgramFollowReply: Codable, Hashable, Sendable {
    /// The ids of zones that may have changed.
    public var zones: [String]

    /// Creates a value.
    public init(zones: [String]) {
      self.zones = zones
    }
  }

  /// A record that somebody else changed first.
  public struct ProgramConflict: Codable, Hashable, Sendable {
    /// The id.
    public var id: String
    /// The record in the zone. Missing if it is deleted.
    public var server: Control.ProgramRecord?

    /// Creates a value.
    public init(id: String, server: Control.ProgramRecord? = nil) {
      self.id = id
      self.server = server
    }
  }

  /// The answer of `programModify`. Nothing is saved if it has an error.
  public struct ProgramModifyReply: Codable, Hashable, Sendable {
    /// The saved records.
    public var records: [Control.ProgramRecord]
    /// The records that others changed first.
    public var conflicts: [Control.ProgramConflict]
    /// The ids of the records that caused the error.
    public var failed: [String]
    /// The error. Missing if everything is saved.
    public var error: ControlError?

    /// Creates a value.
    public init(
      records: [Control.ProgramRecord], conflicts: [Control.ProgramConflict], failed: [String],
      error: ControlError? = nil
    ) {
      self.records = records
      self.conflicts = conflicts
      self.failed = failed
      self.error = error
    }
  }

  /// The answer of `programUpload`.
  public struct ProgramUploadReply: Codable, Hashable, Sendable {
    /// The number of bytes that were received so far.
    public var size: Int64
    /// The asset. Missing before the last piece.
    public var asset: Control.ProgramAsset?

    /// Creates a value.
    public init(size: Int64, asset: Control.ProgramAsset? = nil) {
      self.size = size
      self.asset = asset
    }
  }

  /// The answer of `programPerson`.
  public struct ProgramPersonReply: Codable, Hashable, Sendable {
    /// The id of the person. Missing if there is nobody.
    public var person: String?
    /// The handle of the person.
    public var handle: String?
    /// The display name of the person.
    public var name: String?

    /// Creates a value.
    public init(person: String? = nil, handle: String? = nil, name: String? = nil) {
      self.person = person
      self.handle = handle
      self.name = name
    }
  }

  /// An invitation that awaits an answer.
  public struct ProgramInvitation: Codable, Hashable, Sendable {
    /// The id of the shared zone.
    public var zone: String
    /// The title of the share.
    public var title: String
    /// The id of the inviter.
    public var inviter: String
    /// The permission.
    public var permission: Control.Permission

    /// Creates a value.
    public init(zone: String, title: String, inviter: String, permission: Control.Permission) {
      self.zone = zone
      self.title = title
      self.inviter = inviter
      self.permission = permission
    }
  }

  /// The answer of `programInvitations`.
  public struct ProgramInvitationsReply: Codable, Hashable, Sendable {
    /// The invitations.
    public var invitations: [Control.ProgramInvitation]

    /// Creates a value.
    public init(invitations: [Control.ProgramInvitation]) {
      self.invitations = invitations
    }
  }

  /// The answer of `programLink`.
  public struct ProgramLinkReply: Codable, Hashable, Sendable {
    /// The link with its secret.
    public var link: String

    /// Creates a value.
    public init(link: String) {
      self.link = link
    }
  }

  /// A person in a share.
  public struct ProgramParticipant: Codable, Hashable, Sendable {
    /// The id of the person.
    public var person: String
    /// The permission.
    public var permission: Control.Permission
    /// True after the person has accepted.
    public var hasAccepted: Bool

    /// Creates a value.
    public init(person: String, permission: Control.Permission, hasAccepted: Bool) {
      self.person = person
      self.permission = permission
      self.hasAccepted = hasAccepted
    }
  }

  /// The answer of `programShare`.
  public struct ProgramShareReply: Codable, Hashable, Sendable {
    /// The title of the share. Missing if the zone isn't shared.
    public var title: String?
    /// The id of the owner. Missing if the zone isn't shared.
    public var owner: String?
    /// The permission of everybody with the link. Missing if only invited people may join.
    public var publicPermission: Control.Permission?
    /// Everybody except the owner.
    public var participants: [Control.ProgramParticipant]

    /// Creates a value.
    public init(
      title: String? = nil, owner: String? = nil, publicPermission: Control.Permission? = nil,
      participants: [Control.ProgramParticipant]
    ) {
      self.title = title
      self.owner = owner
      self.publicPermission = publicPermission
      self.participants = participants
    }
  }

  /// The answer of `whoami`.
  public struct WhoAmIReply: Codable, Hashable, Sendable {
    /// The person and the device.
    public var account: Control.AccountStatus

    /// Creates a value.
    public init(account: Control.AccountStatus) {
      self.account = account
    }
  }

  /// The answer of `events` after the last event.
  public struct EventsReply: Codable, Hashable, Sendable {
    /// The number of the last event, for `since` of the next request.
    public var last: UInt64

    /// Creates a value.
    public init(last: UInt64) {
      self.last = last
    }
  }

  /// A point in the history of a folder: a log position, or a time. One of the two must be given.
  public struct Moment: Codable, Hashable, Sendable {
    /// The log position. The point is after its entry.
    public var place: UInt64?
    /// The id of the former zone of the log, or its beginning. Without it, the folder's zone.
    public var zone: String?
    /// The time, by the clocks of the authors. The point is after the last entry before it.
    public var time: Control.Time?

    /// Creates a value.
    public init(place: UInt64? = nil, zone: String? = nil, time: Control.Time? = nil) {
      self.place = place
      self.zone = zone
      self.time = time
    }
  }

  /// The settings for a bucket beside its location: the source of its credentials, and the form of
  /// requests. They never contain a key.
  public struct Bucket: Codable, Hashable, Sendable {
    /// The region for signatures. Without it, the region from the environment, or the default.
    public var region: String?
    /// The position of the bucket's name in an address, `path` or `virtual`. Without it, the
    /// engine's default.
    public var style: String?
    /// The absolute path of a file with keys in the form of `~/.aws/credentials`. Without it, that
    /// file.
    public var credentialsFile: String?
    /// The profile in that file. Without it, the profile from the environment, or `default`.
    public var profile: String?
    /// A command that prints a key.
    public var credentialProcess: String?

    /// Creates a value.
    public init(
      region: String? = nil, style: String? = nil, credentialsFile: String? = nil,
      profile: String? = nil, credentialProcess: String? = nil
    ) {
      self.region = region
      self.style = style
      self.credentialsFile = credentialsFile
      self.profile = profile
      self.credentialProcess = credentialProcess
    }
  }
}

extension Control.ListReply: ControlListReply {
  /// The name of the member `entries`.
  public static let listName = "entries"
  /// The elements of `entries`.
  public var items: [Control.Entry] {
    get { entries }
    set { entries = newValue }
  }
}

extension Control.TreeReply: ControlListReply {
  /// The name of the member `entries`.
  public static let listName = "entries"
  /// The elements of `entries`.
  public var items: [Control.PastEntry] {
    get { entries }
    set { entries = newValue }
  }
}

extension Control.VerifyReply: ControlListReply {
  /// The name of the member `damage`.
  public static let listName = "damage"
  /// The elements of `damage`.
  public var items: [Control.Damage] {
    get { damage }
    set { damage = newValue }
  }
}

extension Control.QuotaReply: ControlListReply {
  /// The name of the member `zones`.
  public static let listName = "zones"
  /// The elements of `zones`.
  public var items: [Control.ZoneQuota] {
    get { zones }
    set { zones = newValue }
  }
}

extension Control.LogReply: ControlListReply {
  /// The name of the member `entries`.
  public static let listName = "entries"
  /// The elements of `entries`.
  public var items: [Control.LogEntry] {
    get { entries }
    set { entries = newValue }
  }
}

extension Control.ChangesReply: ControlListReply {
  /// The name of the member `changes`.
  public static let listName = "changes"
  /// The elements of `changes`.
  public var items: [Control.Change] {
    get { changes }
    set { changes = newValue }
  }
}

extension Control.ZonesReply: ControlListReply {
  /// The name of the member `zones`.
  public static let listName = "zones"
  /// The elements of `zones`.
  public var items: [Control.ZoneStatus] {
    get { zones }
    set { zones = newValue }
  }
}

extension Control.SchemaReply: ControlListReply {
  /// The name of the member `types`.
  public static let listName = "types"
  /// The elements of `types`.
  public var items: [Control.RecordSchema] {
    get { types }
    set { types = newValue }
  }
}

extension Control.StatReply: ControlListReply {
  /// The name of the member `paths`.
  public static let listName = "paths"
  /// The elements of `paths`.
  public var items: [Control.PathStatus] {
    get { paths }
    set { paths = newValue }
  }
}

extension Control.ContainerCopyReply: ControlListReply {
  /// The name of the member `problems`.
  public static let listName = "problems"
  /// The elements of `problems`.
  public var items: [Control.CopyProblem] {
    get { problems }
    set { problems = newValue }
  }
}

extension Control.ContainerMoveReply: ControlListReply {
  /// The name of the member `problems`.
  public static let listName = "problems"
  /// The elements of `problems`.
  public var items: [Control.CopyProblem] {
    get { problems }
    set { problems = newValue }
  }
}

extension Control.HistoryReply: ControlListReply {
  /// The name of the member `entries`.
  public static let listName = "entries"
  /// The elements of `entries`.
  public var items: [Control.HistoryEntry] {
    get { entries }
    set { entries = newValue }
  }
}

extension Control.RestoreReply: ControlListReply {
  /// The name of the member `paths`.
  public static let listName = "paths"
  /// The elements of `paths`.
  public var items: [Control.RestoredPath] {
    get { paths }
    set { paths = newValue }
  }
}

extension Control.HeldReply: ControlListReply {
  /// The name of the member `mounts`.
  public static let listName = "mounts"
  /// The elements of `mounts`.
  public var items: [Control.HeldMount] {
    get { mounts }
    set { mounts = newValue }
  }
}

extension Control.ViewListReply: ControlListReply {
  /// The name of the member `entries`.
  public static let listName = "entries"
  /// The elements of `entries`.
  public var items: [Control.ViewEntry] {
    get { entries }
    set { entries = newValue }
  }
}

extension Control.ConflictsReply: ControlListReply {
  /// The name of the member `conflicts`.
  public static let listName = "conflicts"
  /// The elements of `conflicts`.
  public var items: [Control.Conflict] {
    get { conflicts }
    set { conflicts = newValue }
  }
}

extension Control.RescueReply: ControlListReply {
  /// The name of the member `entries`.
  public static let listName = "entries"
  /// The elements of `entries`.
  public var items: [Control.RescueEntry] {
    get { entries }
    set { entries = newValue }
  }
}

extension Control.UserListReply: ControlListReply {
  /// The name of the member `users`.
  public static let listName = "users"
  /// The elements of `users`.
  public var items: [Control.User] {
    get { users }
    set { users = newValue }
  }
}

extension Control.InvitationsReply: ControlListReply {
  /// The name of the member `invitations`.
  public static let listName = "invitations"
  /// The elements of `invitations`.
  public var items: [Control.Invitation] {
    get { invitations }
    set { invitations = newValue }
  }
}

extension Control.ShareListReply: ControlListReply {
  /// The name of the member `shares`.
  public static let listName = "shares"
  /// The elements of `shares`.
  public var items: [Control.Share] {
    get { shares }
    set { shares = newValue }
  }
}

extension Control.ParticipantsReply: ControlListReply {
  /// The name of the member `participants`.
  public static let listName = "participants"
  /// The elements of `participants`.
  public var items: [Control.Participant] {
    get { participants }
    set { participants = newValue }
  }
}

extension Control.RequestsReply: ControlListReply {
  /// The name of the member `requests`.
  public static let listName = "requests"
  /// The elements of `requests`.
  public var items: [Control.AccessRequest] {
    get { requests }
    set { requests = newValue }
  }
}

extension Control.PublicListReply: ControlListReply {
  /// The name of the member `entries`.
  public static let listName = "entries"
  /// The elements of `entries`.
  public var items: [Control.PublicEntry] {
    get { entries }
    set { entries = newValue }
  }
}

extension Control.ContentReply: ControlListReply {
  /// The name of the member `pieces`.
  public static let listName = "pieces"
  /// The elements of `pieces`.
  public var items: [String] {
    get { pieces }
    set { pieces = newValue }
  }
}

extension Control.ProgramRecordsReply: ControlListReply {
  /// The name of the member `records`.
  public static let listName = "records"
  /// The elements of `records`.
  public var items: [Control.ProgramRecord] {
    get { records }
    set { records = newValue }
  }
}

extension Control.ProgramChangesReply: ControlListReply {
  /// The name of the member `changed`.
  public static let listName = "changed"
  /// The elements of `changed`.
  public var items: [Control.ProgramRecord] {
    get { changed }
    set { changed = newValue }
  }
}

extension Control.ProgramFollowReply: ControlListReply {
  /// The name of the member `zones`.
  public static let listName = "zones"
  /// The elements of `zones`.
  public var items: [String] {
    get { zones }
    set { zones = newValue }
  }
}
