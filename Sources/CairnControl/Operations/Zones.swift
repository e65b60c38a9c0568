// What there is: `zones`, `stat` and `inspect`, and their answers.

extension Control {
  /// The zones that this person's account has, of all databases.
  public struct Zones: ControlOperation {
    /// The answer.
    public typealias Reply = Control.ZonesReply
    /// `POST /v1/zones`.
    public static let name = "zones"

    /// Only those of this database; nil: all.
    public var scope: Control.Scope?

    /// Joins the parts.
    public init(scope: Control.Scope? = nil) { self.scope = scope }
  }

  /// A zone of the account.
  public struct ZoneStatus: Codable, Hashable, Sendable {
    /// The zone's id; the same for all members.
    public var zone: String
    /// Its name, which its owner gave it.
    public var name: String
    /// The owner.
    public var owner: Control.Person
    /// In which database it is here.
    public var scope: Control.Scope
    /// The title of its share; nil if it isn't shared.
    public var title: String?
    /// The last entry of its log that was replayed here.
    public var sequence: UInt64
    /// The epoch of the key in force.
    public var epoch: UInt64
    /// The folder here that mirrors it, if one does.
    public var path: Control.Path?

    /// Joins the parts.
    public init(
      zone: String, name: String, owner: Control.Person, scope: Control.Scope,
      title: String? = nil, sequence: UInt64, epoch: UInt64, path: Control.Path? = nil
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

  /// The answer of `zones`.
  public struct ZonesReply: Codable, Hashable, Sendable {
    /// The zones, by name and id.
    public var zones: [Control.ZoneStatus]

    /// Joins the parts.
    public init(zones: [Control.ZoneStatus]) { self.zones = zones }
  }

  /// Returns whether paths are shared, and how; reads only the index.
  public struct Stat: TargetedOperation {
    /// The answer.
    public typealias Reply = Control.StatReply
    /// `POST /v1/stat`.
    public static let name = "stat"
    /// The accepted targets.
    public static let targets: Control.Targets = .anyPath

    /// Absolute paths, in mounts or elsewhere.
    public var paths: [Control.Path]
    /// Only those that are shared and durable in the zone (CKShare's `fetchShares(matching:)`).
    public var onlyShared: Bool

    /// Joins the parts.
    public init(paths: [Control.Path], onlyShared: Bool = false) {
      self.paths = paths
      self.onlyShared = onlyShared
    }
  }

  /// The relation of this person to a share.
  public enum Sharing: String, Codable, Hashable, Sendable, CaseIterable {
    /// Not shared, or not mirrored at all.
    case no
    /// This person shares it.
    case owner
    /// Somebody else shares it with this person.
    case participant
    /// In the public database.
    case `public`
  }

  /// The state of one path.
  public struct PathStatus: Codable, Hashable, Sendable {
    /// The path.
    public var path: Control.Path
    /// The sharing of the path.
    public var shared: Control.Sharing
    /// The share's id, if it is shared.
    public var share: String?
    /// The share's title, if it is shared.
    public var title: String?
    /// The database that its zone is in; nil if it isn't mirrored.
    public var scope: Control.Scope?
    /// The zone's id; nil if it isn't mirrored.
    public var zone: String?
    /// The owner of the zone; nil if it isn't mirrored, or is in the public database.
    public var owner: Control.Person?
    /// The record's UUID, if it is in the zone.
    public var record: String?
    /// Another one after each change of the record, the same for everybody
    /// (CKRecord.recordChangeTag); nil if it isn't in the zone.
    public var changeTag: String?
    /// The author of the record.
    public var createdBy: Control.Person?
    /// The author of the last change.
    public var changedBy: Control.Person?
    /// The state between folder and zone; nil if it isn't mirrored or doesn't exist.
    public var state: Control.EntryState?
    /// The kind of thing that the path names.
    public let target: Control.TargetKind

    /// Joins the parts.
    public init(
      path: Control.Path, target: Control.TargetKind = .elsewhere, shared: Control.Sharing,
      share: String? = nil, title: String? = nil,
      scope: Control.Scope? = nil, record: String? = nil, state: Control.EntryState? = nil
    ) {
      self.path = path
      self.target = target
      self.shared = shared
      self.share = share
      self.title = title
      self.scope = scope
      self.record = record
      self.state = state
    }
  }

  /// The answer of `stat`.
  public struct StatReply: Codable, Hashable, Sendable {
    /// The paths, in the order in which they were asked for.
    public var paths: [Control.PathStatus]

    /// Joins the parts.
    public init(paths: [Control.PathStatus]) { self.paths = paths }
  }

  /// Lists the contents of the container as its keeper can see them: without any key.
  public struct Inspect: ControlOperation {
    /// The answer.
    public typealias Reply = Control.InspectReply
    /// `POST /v1/inspect`.
    public static let name = "inspect"
    /// Has a thread of its own in the daemon.
    public static let mayWait = true

    /// Asks for nothing more.
    public init() {}
  }

  /// A zone as the container shows it.
  public struct InspectedZone: Codable, Hashable, Sendable {
    /// The zone's id.
    public var zone: String
    /// The number of entries in the log.
    public var entries: Int
    /// The bytes of the log.
    public var bytes: Int64

    /// Joins the parts.
    public init(zone: String, entries: Int, bytes: Int64) {
      self.zone = zone
      self.entries = entries
      self.bytes = bytes
    }
  }

  /// A person as the container shows them.
  public struct InspectedUser: Codable, Hashable, Sendable {
    /// The person's id.
    public var user: String
    /// The number of entries in their identity's log.
    public var entries: Int
    /// The number of sealed messages in their inbox.
    public var messages: Int
    /// The number of packs of content that they own.
    public var packs: Int
    /// The bytes of these packs.
    public var bytes: Int64

    /// Joins the parts.
    public init(user: String, entries: Int, messages: Int, packs: Int, bytes: Int64) {
      self.user = user
      self.entries = entries
      self.messages = messages
      self.packs = packs
      self.bytes = bytes
    }
  }

  /// The answer of `inspect`.
  public struct InspectReply: Codable, Hashable, Sendable {
    /// The container's id.
    public var container: String
    /// The version of the format that everything in it has.
    public var format: Int
    /// The time of its creation, by its founder's clock.
    public var created: Control.Time
    /// The founder's note for people who find it.
    public var note: String
    /// Everybody, by id.
    public var users: [Control.InspectedUser]
    /// All zones, by id.
    public var zones: [Control.InspectedZone]

    /// Joins the parts.
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
}
