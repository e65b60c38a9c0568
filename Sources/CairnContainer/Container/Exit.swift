public import CairnZone

/// The future of a mount that is being taken out of its share.
public enum Exit: Hashable, Sendable {
  /// The folder mirrors another zone.
  case to(ZoneID)
  /// The file isn't mirrored any more.
  case unmirrored

  /// The other zone; nil if there is none.
  public var target: ZoneID? {
    switch self {
    case .to(let zone): zone
    case .unmirrored: nil
    }
  }
}
