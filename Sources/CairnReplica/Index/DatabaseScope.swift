/// The three databases of a container (CKDatabase.Scope).
public enum DatabaseScope: String, Hashable, Sendable, CaseIterable {
  /// Zones that this person owns.
  case `private`
  /// Zones that others own and this person participates in.
  case shared
  /// A world-readable zone for each publisher.
  case `public`
}
