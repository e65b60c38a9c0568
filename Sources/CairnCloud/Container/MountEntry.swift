public import CairnZone

/// A folder of one device that mirrors a zone or a part of it.
public struct MountEntry: Hashable, Sendable {
  /// The zone.
  public var zone: ZoneID
  /// The directory of the zone that the folder is, or the one file; `.root` for all of the zone.
  public var record: RecordID
  /// The device.
  public var device: DeviceID
  /// The absolute path of the folder, or of the file.
  public var path: [UInt8]

  /// Whether `path` is one file that is mirrored by itself, and `record` that file.
  public var isFile: Bool
  /// Who publishes what is mirrored, if that is a public zone.
  public var author: UserID?

  /// What is mirrored.
  public var part: ZonePart { ZonePart(zone, base: record) }

  /// Joins the parts.
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
