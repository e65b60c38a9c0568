public import CairnZone

/// What a container shows to whoever has its objects and no key.
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
    /// Entries of the log; in which order they stand, only who reads the zone can tell.
    public var entries = 0
    /// The bytes of the log.
    public var bytes: Int64 = 0
  }

  /// Which container it is, of what age, and what its founder wrote for people.
  public var file: ContainerFile
  /// Everybody, by id.
  public var users: [User] = []
  /// All zones, by id.
  public var zones: [Zone] = []
}
