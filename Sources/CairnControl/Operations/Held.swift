// Deletions that wait for a word of the person, since they are so much at once.

extension Control {
  /// The waiting deletions of one mount.
  public struct Held: Codable, Hashable, Sendable {
    /// Deleted files and symlinks.
    public var files: Int
    /// Deleted directories.
    public var directories: Int
    /// The number of files and symbolic links on which folder and zone had agreed.
    public var of: Int
    /// Since when it waits.
    public var since: Control.Time

    /// Joins the parts.
    public init(files: Int, directories: Int, of: Int, since: Control.Time) {
      self.files = files
      self.directories = directories
      self.of = of
      self.since = since
    }
  }

  /// Lists the deletions in the mounts that wait.
  public struct HeldList: TargetedOperation {
    /// The answer.
    public typealias Reply = Control.HeldReply
    /// `POST /v1/heldList`.
    public static let name = "heldList"
    /// The accepted targets.
    public static let targets: Control.Targets = .path
    /// Has a thread of its own in the daemon.
    public static let mayWait = true

    /// Only the mount that holds this absolute path; nil: all mounts.
    public var path: Control.Path?
    /// The largest number of paths of each mount; nil for 1000.
    public var limit: Int?

    /// Joins the parts.
    public init(path: Control.Path? = nil, limit: Int? = nil) {
      self.path = path
      self.limit = limit
    }
  }

  /// The deletions that wait in a mount were meant: they go to the zone, and so to everybody.
  public struct HeldConfirm: TargetedOperation {
    /// The answer: what waited.
    public typealias Reply = Control.HeldReply
    /// `POST /v1/heldConfirm`.
    public static let name = "heldConfirm"
    /// The accepted targets.
    public static let targets: Control.Targets = .mirrored
    /// Has a thread of its own in the daemon.
    public static let mayWait = true

    /// An absolute path in the mount.
    public var path: Control.Path

    /// Names the mount.
    public init(path: Control.Path) { self.path = path }
  }

  /// The deletions that wait in a mount were not meant: the zone's files come back.
  public struct HeldUndo: TargetedOperation {
    /// The answer: what waited.
    public typealias Reply = Control.HeldReply
    /// `POST /v1/heldUndo`.
    public static let name = "heldUndo"
    /// The accepted targets.
    public static let targets: Control.Targets = .mirrored
    /// Has a thread of its own in the daemon.
    public static let mayWait = true

    /// An absolute path in the mount.
    public var path: Control.Path

    /// Names the mount.
    public init(path: Control.Path) { self.path = path }
  }

  /// The deletions that wait, or waited, in one mount.
  public struct HeldMount: Codable, Hashable, Sendable {
    /// The mount's id.
    public var mount: String
    /// The folder, absolute.
    public var path: Control.Path
    /// The amount.
    public var held: Control.Held
    /// The deleted paths, absolute, in the order of their bytes; not more than were asked for.
    public var paths: [Control.Path]

    /// Joins the parts.
    public init(mount: String, path: Control.Path, held: Control.Held, paths: [Control.Path]) {
      self.mount = mount
      self.path = path
      self.held = held
      self.paths = paths
    }
  }

  /// The answer of `heldList`, `heldConfirm` and `heldUndo`.
  public struct HeldReply: Codable, Hashable, Sendable {
    /// The mounts in which something waits, or waited.
    public var mounts: [Control.HeldMount]

    /// Joins the parts.
    public init(mounts: [Control.HeldMount]) { self.mounts = mounts }
  }
}
