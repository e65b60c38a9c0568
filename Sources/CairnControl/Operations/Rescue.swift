// What was set aside in the rescue folders: where it is, and how it gets out.

extension Control {
  /// Lists the entries of the rescue folders of the mounts and of the home.
  public struct RescueList: TargetedOperation {
    /// The answer.
    public typealias Reply = Control.RescueReply
    /// `POST /v1/rescueList`.
    public static let name = "rescueList"
    /// The accepted targets.
    public static let targets: Control.Targets = .path
    /// Has a thread of its own in the daemon.
    public static let mayWait = true

    /// Only what lies in the mount that holds this absolute path; nil: everything.
    public var path: Control.Path?

    /// Joins the parts.
    public init(path: Control.Path? = nil) { self.path = path }
  }

  /// One thing that was set aside.
  public struct RescueEntry: Codable, Hashable, Sendable {
    /// The entry with its path, its earlier path, the reason and the time.
    public var rescued: Control.Rescued
    /// Bytes.
    public var size: Int64
    /// The mount's id; nil for the home's rescue folder.
    public var mount: String?

    /// Joins the parts.
    public init(rescued: Control.Rescued, size: Int64, mount: String? = nil) {
      self.rescued = rescued
      self.size = size
      self.mount = mount
    }
  }

  /// The answer of `rescueList` and `rescueClear`.
  public struct RescueReply: Codable, Hashable, Sendable {
    /// The present or removed entries by path.
    public var entries: [Control.RescueEntry]

    /// Joins the parts.
    public init(entries: [Control.RescueEntry]) { self.entries = entries }
  }

  /// Puts something back that was set aside.
  public struct RescueRestore: ControlOperation {
    /// The answer.
    public typealias Reply = Control.RescueRestoreReply
    /// `POST /v1/rescueRestore`.
    public static let name = "rescueRestore"
    /// Has a thread of its own in the daemon.
    public static let mayWait = true

    /// The absolute path, as `rescueList` returns it.
    public var path: Control.Path
    /// A directory to put it into, or the name that it gets, absolute; nil: where it was, under a
    /// name that is free.
    public var destination: Control.Path?

    /// Joins the parts.
    public init(path: Control.Path, destination: Control.Path? = nil) {
      self.path = path
      self.destination = destination
    }
  }

  /// The answer of `rescueRestore`.
  public struct RescueRestoreReply: Codable, Hashable, Sendable {
    /// The absolute path now.
    public var path: Control.Path

    /// Joins the parts.
    public init(path: Control.Path) { self.path = path }
  }

  /// Removes what was set aside, for good.
  public struct RescueClear: ControlOperation {
    /// The answer: what was removed.
    public typealias Reply = Control.RescueReply
    /// `POST /v1/rescueClear`.
    public static let name = "rescueClear"
    /// Has a thread of its own in the daemon.
    public static let mayWait = true

    /// The absolute paths, as `rescueList` returns them; none for everything.
    public var paths: [Control.Path]
    /// Only what was set aside before this moment; nil: no matter when.
    public var before: Control.Time?

    /// Joins the parts.
    public init(paths: [Control.Path] = [], before: Control.Time? = nil) {
      self.paths = paths
      self.before = before
    }
  }
}
