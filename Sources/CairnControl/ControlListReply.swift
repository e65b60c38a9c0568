/// A reply with a list that may be long. It is sent in batches of the list, followed by the reply
/// with an empty list. So neither daemon nor command holds the whole list.
public protocol ControlListReply: Codable, Sendable {
  /// The type of the list's elements.
  associatedtype Item: Codable & Sendable
  /// The name of the list's member in the JSON object.
  static var listName: String { get }
  /// The list.
  var items: [Item] { get set }
}

extension ControlOperation where Reply: ControlListReply {
  /// True: a slow reader of a list blocks a thread.
  public static var mayWait: Bool { true }
}

extension Control.ListReply: ControlListReply {
  /// The member `entries`.
  public static let listName = "entries"
  /// The entries.
  public var items: [Control.Entry] {
    get { entries }
    set { entries = newValue }
  }
}

extension Control.LogReply: ControlListReply {
  /// The member `entries`.
  public static let listName = "entries"
  /// The entries.
  public var items: [Control.LogEntry] {
    get { entries }
    set { entries = newValue }
  }
}

extension Control.PublicListReply: ControlListReply {
  /// The member `entries`.
  public static let listName = "entries"
  /// The entries.
  public var items: [Control.PublicEntry] {
    get { entries }
    set { entries = newValue }
  }
}

extension Control.VerifyReply: ControlListReply {
  /// The member `damage`.
  public static let listName = "damage"
  /// The damaged objects.
  public var items: [Control.Damage] {
    get { damage }
    set { damage = newValue }
  }
}

extension Control.ConflictsReply: ControlListReply {
  /// The member `conflicts`.
  public static let listName = "conflicts"
  /// The conflicts.
  public var items: [Control.Conflict] {
    get { conflicts }
    set { conflicts = newValue }
  }
}

extension Control.RescueReply: ControlListReply {
  /// The member `entries`.
  public static let listName = "entries"
  /// The rescued files.
  public var items: [Control.RescueEntry] {
    get { entries }
    set { entries = newValue }
  }
}

extension Control.ShareListReply: ControlListReply {
  /// The member `shares`.
  public static let listName = "shares"
  /// The shares.
  public var items: [Control.Share] {
    get { shares }
    set { shares = newValue }
  }
}

extension Control.ParticipantsReply: ControlListReply {
  /// The member `participants`.
  public static let listName = "participants"
  /// The participants.
  public var items: [Control.Participant] {
    get { participants }
    set { participants = newValue }
  }
}

extension Control.InvitationsReply: ControlListReply {
  /// The member `invitations`.
  public static let listName = "invitations"
  /// The invitations.
  public var items: [Control.Invitation] {
    get { invitations }
    set { invitations = newValue }
  }
}

extension Control.RequestsReply: ControlListReply {
  /// The member `requests`.
  public static let listName = "requests"
  /// The requests.
  public var items: [Control.AccessRequest] {
    get { requests }
    set { requests = newValue }
  }
}

extension Control.UserListReply: ControlListReply {
  /// The member `users`.
  public static let listName = "users"
  /// The people.
  public var items: [Control.User] {
    get { users }
    set { users = newValue }
  }
}

extension Control.ZonesReply: ControlListReply {
  /// The member `zones`.
  public static let listName = "zones"
  /// The zones.
  public var items: [Control.ZoneStatus] {
    get { zones }
    set { zones = newValue }
  }
}

extension Control.QuotaReply: ControlListReply {
  /// The member `zones`.
  public static let listName = "zones"
  /// The zones.
  public var items: [Control.ZoneQuota] {
    get { zones }
    set { zones = newValue }
  }
}

extension Control.StatReply: ControlListReply {
  /// The member `paths`.
  public static let listName = "paths"
  /// The paths.
  public var items: [Control.PathStatus] {
    get { paths }
    set { paths = newValue }
  }
}

extension Control.HeldReply: ControlListReply {
  /// The member `mounts`.
  public static let listName = "mounts"
  /// The mounts with waiting deletions.
  public var items: [Control.HeldMount] {
    get { mounts }
    set { mounts = newValue }
  }
}
