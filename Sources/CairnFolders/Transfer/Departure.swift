import CairnReplica
import CairnZone

/// The reason why a mount ends without `cairn remove`.
public enum Departure: String, Sendable {
  /// The person was removed or blocked, or lost the permission to view.
  case removed
  /// The owner stopped the share.
  case stopped
  /// The owner deleted the zone.
  case purged
  /// The person left, by `cairn share leave` or on another device.
  case left
  /// The person deleted the folder's root, which means leaving.
  case rootDeleted
  /// The directory that the folder mirrors was deleted from the zone. Remaining files stay.
  case partDeleted

  /// The reason why the person has lost access to the zone, by its replayed state; nil while they
  /// have it, or while the log is not read to its end: before they joined they had none, either.
  public init?(from zone: Zone) throws {
    guard zone.scope != .public, !zone.mayRead else { return nil }
    let found: Departure? = try zone.read { view in
      guard view.header.genesis != nil, !view.rights.contains(.read) else { return nil }
      if view.header.isPurged { return .purged }
      guard zone.isReadThrough else { return nil }
      if view.header.share == nil { return .stopped }
      return view.isShareLastChangedHere ? .left : .removed
    }
    guard let found else { return nil }
    self = found
  }
}

/// A file that only the folder had, and its new path.
public struct MovedAway: Sendable, Hashable {
  /// The earlier path, relative to the folder.
  public var of: [UInt8]
  /// The new absolute path.
  public var path: [UInt8]
}
