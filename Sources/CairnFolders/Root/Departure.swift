public import CairnCloud
import CairnZone

/// Why a mount ends for its person without their having said `cairn remove`.
public enum Departure: String, Sendable {
  /// They were removed or shut out, or lost the permission to read.
  case removed
  /// The owner stopped the share.
  case stopped
  /// The owner ended the zone for good.
  case purged
  /// They left, by `cairn share leave` or on another device.
  case left
  /// They deleted the folder's root, which is leaving.
  case rootDeleted

  /// Why the person has no business in the zone any more, by what is folded of it; nil as long as
  /// they have, or as long as the log isn't read to its end: before they were let in they had none
  /// either.
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

/// What a folder held beside what the zone has, and where it is now.
public struct MovedAway: Sendable, Hashable {
  /// Where it stood, relative to the folder.
  public var of: [UInt8]
  /// Where it is, absolute.
  public var path: [UInt8]
}
