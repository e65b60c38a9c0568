import CairnIdentity
public import CairnZone

/// The view of a container without any key.
public struct ContainerSurvey: Hashable, Sendable {
  /// A person's folder.
  public struct User: Hashable, Sendable {
    /// The person.
    public var user: UserID
    /// Entries of the identity's log.
    public var entries = 0
    /// Sealed messages in the inbox.
    public var messages = 0
    /// Packs of content.
    public var packs = 0
    /// The bytes of the packs.
    public var bytes: Int64 = 0
  }

  /// A zone's folder.
  public struct Zone: Hashable, Sendable {
    /// The zone.
    public var zone: ZoneID
    /// The number of log entries. Only readers of the zone know their order.
    public var entries = 0
    /// The bytes of the log.
    public var bytes: Int64 = 0
  }

  /// The id and the age of the container, and its founder's note.
  public var file: ContainerFile
  /// Everybody, by id.
  public var users: [User] = []
  /// All zones, by id.
  public var zones: [Zone] = []
}
