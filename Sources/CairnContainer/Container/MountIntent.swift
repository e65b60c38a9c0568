public import CairnZone

/// The intent of a command that mirrors folders and files in a zone. It is noted in the home before
/// the first step. After an interruption, the daemon completes the command.
public struct MountIntent: Hashable, Sendable {
  /// A folder or file that gets a mount.
  public struct Item: Hashable, Sendable {
    /// The part of the zone.
    public var part: ZonePart
    /// The absolute path.
    public var path: [UInt8]
    /// A Boolean value that indicates whether it is a single file. Its record is created with its
    /// content.
    public var isFile: Bool
    /// The zone that the folder mirrored until now; nil if it mirrored none. The content of a
    /// private zone is copied. This person leaves the share of another person.
    public var source: ZoneID?
    /// A Boolean value that indicates whether the folder had the mark of the part before.
    public var wasMarked: Bool
    /// A Boolean value that indicates whether the command makes the folder.
    public var isMade: Bool

    /// Creates an item.
    public init(
      part: ZonePart, path: [UInt8], isFile: Bool = false, source: ZoneID? = nil,
      wasMarked: Bool = false, isMade: Bool = false
    ) {
      self.part = part
      self.path = path
      self.isFile = isFile
      self.source = source
      self.wasMarked = wasMarked
      self.isMade = isMade
    }
  }

  /// The zone.
  public var zone: ZoneID
  /// The zone to create; nil if it exists.
  public var new: NewZone?
  /// The title under which the zone is shared afterwards; nil if it isn't, or is shared already.
  public var title: String?
  /// The folders and files.
  public var items: [Item]
  /// A Boolean value that indicates whether the command has failed. Its steps are undone.
  public var isWithdrawn = false

  /// The parts that get mounts.
  public var parts: [ZonePart] { items.map(\.part) }

  /// Returns whether both are of the same command.
  public func isAbout(_ other: MountIntent) -> Bool { zone == other.zone && parts == other.parts }

  /// Creates an intent about an existing zone.
  public init(zone: ZoneID, title: String? = nil, items: [Item]) {
    self.zone = zone
    self.title = title
    self.items = items
  }

  /// Creates an intent about a new zone.
  public init(new: NewZone, title: String? = nil, items: [Item]) {
    self.init(zone: new.id, title: title, items: items)
    self.new = new
  }
}

extension Container {
  /// Notes an intent before its first step.
  /// - Throws: `CloudError` if the note can't be written.
  public func note(_ intent: MountIntent) throws {
    try ownMounts?.change(read: savedMounts) { saved in
      saved.intents.removeAll { $0.isAbout(intent) }
      saved.intents.append(intent)
    }
  }

  /// Drops an intent that is complete or undone.
  /// - Throws: `CloudError` if the note can't be written.
  public func drop(_ intent: MountIntent) throws {
    try ownMounts?.change(read: savedMounts) { $0.intents.removeAll { $0.isAbout(intent) } }
  }

  /// Returns the intents that are neither complete nor undone.
  /// - Throws: `CloudError` if the notes can't be read.
  public func intents() throws -> [MountIntent] { try ownFolders().intents }
}
