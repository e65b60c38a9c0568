/// The changes of a node by aspect: place, bytes and attributes are compared separately.
public struct NodeChanges: OptionSet, Hashable, Sendable {
  /// The aspects as bits.
  public let rawValue: Int

  /// Creates a set from its bits.
  public init(rawValue: Int) { self.rawValue = rawValue }

  /// It is new.
  public static let made = NodeChanges(rawValue: 1)
  /// It is gone.
  public static let deleted = NodeChanges(rawValue: 2)
  /// Another directory or name.
  public static let moved = NodeChanges(rawValue: 4)
  /// Other bytes, another target, or bytes that were not read yet.
  public static let edited = NodeChanges(rawValue: 8)
  /// Another executable bit or time.
  public static let attributes = NodeChanges(rawValue: 16)

  /// Compares a node with its earlier state; empty if nothing changed.
  public init(from old: Node?, to new: Node?) {
    switch (old, new) {
    case (nil, nil): self = []
    case (nil, _): self = .made
    case (_, nil): self = .deleted
    case (let old?, let new?):
      var changes: NodeChanges = []
      if old.place != new.place { changes.insert(.moved) }
      if old.kind != new.kind || new.kind == .file(nil) { changes.insert(.edited) }
      if old.attributes != new.attributes { changes.insert(.attributes) }
      self = changes
    }
  }
}
