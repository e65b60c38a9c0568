/// The state of a record in the log, from the point of view of one mount. A mount may show only a
/// part of a zone, so "the mount doesn't show the record" doesn't mean "the record was deleted".
public enum Presence: Hashable, Sendable {
  /// The record exists, and the mount shows it as this node.
  case here(Node)
  /// The record exists in the zone, but the mount doesn't show it: the record is in another part.
  case elsewhere
  /// The record moved to another zone of the same owner. This zone may get its id back.
  case inAnotherZone
  /// The record was deleted, or was never created.
  case nowhere

  /// The node that the mount shows; nil in each of the other cases.
  public var node: Node? {
    if case .here(let node) = self { node } else { nil }
  }

  /// A Boolean value that indicates whether a commit may create a record with this id.
  public var isFree: Bool {
    switch self {
    case .here, .elsewhere: false
    case .inAnotherZone, .nowhere: true
    }
  }
}
