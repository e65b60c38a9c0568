/// The future of a mount that is being taken out of its share.
public enum Exit: Hashable, Sendable {
  /// The folder mirrors a private zone of its own.
  case to(NewZone)
  /// The file isn't mirrored any more.
  case unmirrored

  /// The other zone; nil if there is none.
  public var target: NewZone? {
    switch self {
    case .to(let zone): zone
    case .unmirrored: nil
    }
  }
}
