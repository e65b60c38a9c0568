// The move of a mirrored folder to another place on this device: `move`, and its answer.

extension Control {
  /// Moves a mirrored folder to another place of this device. It stays the mirror of its zone, and
  /// nothing changes for others.
  public struct Move: TargetedOperation {
    /// The answer.
    public typealias Reply = Control.MoveReply
    /// `POST /v1/move`.
    public static let name = "move"
    /// The accepted targets.
    public static let targets: Control.Targets = .mirrored
    /// Has a thread of its own in the daemon.
    public static let mayWait = true

    /// The folder, absolute: where it is, or where it was before somebody moved it to the place.
    public var path: Control.Path
    /// The new path, absolute; an existing folder means a path in it, with the same name.
    public var place: Control.Path

    /// Joins the parts.
    public init(path: Control.Path, place: Control.Path) {
      self.path = path
      self.place = place
    }
  }

  /// The answer of `move`.
  public struct MoveReply: Codable, Hashable, Sendable {
    /// The former path.
    public var path: Control.Path
    /// The path from now on.
    public var place: Control.Path
    /// The id of the mirrored zone.
    public var zone: String

    /// Joins the parts.
    public init(path: Control.Path, place: Control.Path, zone: String) {
      self.path = path
      self.place = place
      self.zone = zone
    }
  }
}
