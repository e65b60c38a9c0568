public import CairnZone

/// A folder of one device that mirrors a zone or a part of it.
public struct MountEntry: Hashable, Sendable {
  /// The zone.
  public var zone: ZoneID
  /// The directory of the zone for the folder, or the one file; `.root` for the whole zone.
  public var record: RecordID
  /// The device.
  public var device: DeviceID
  /// The absolute path of the folder, or of the file.
  public var path: [UInt8]

  /// A Boolean value that indicates whether `path` is a single mirrored file, and `record` that
  /// file.
  public var isFile: Bool
  /// The author of a mirrored public zone.
  public var author: UserID?

  /// The mirrored part.
  public var part: ZonePart { ZonePart(zone, base: record) }

  /// Creates an entry.
  public init(
    zone: ZoneID, record: RecordID = .root, device: DeviceID, path: [UInt8], isFile: Bool = false,
    author: UserID? = nil
  ) {
    self.zone = zone
    self.record = record
    self.device = device
    self.path = path
    self.isFile = isFile
    self.author = author
  }
}
