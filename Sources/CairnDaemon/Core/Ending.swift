/// The reason that a daemon ends.
enum Ending: Sendable {
  /// A command ended it, or its account was deleted.
  case stopped
  /// Another program takes its place.
  case replaced
  /// The configuration has another container now: the home is opened again.
  case reopened
}
