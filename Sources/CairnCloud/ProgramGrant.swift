/// The zones of a person that a program may use.
@_spi(Served) public protocol ProgramGrant: Sendable {
  /// The names of the private zones.
  var names: [String] { get }
  /// A Boolean value that indicates whether the program may share zones and accept invitations.
  var mayShare: Bool { get }
  /// Returns whether the program may use a zone, given by its id.
  func mayUse(_ zone: String) -> Bool
  /// Adds a zone that the program made or accepted.
  func add(_ zone: String) throws
}
