// What was set aside in the rescue folders: where it is, and how it gets out.

extension Control {
  /// What lies in the rescue folders of the mounts and of the home.
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
    /// Where it is, where it was, why and when.
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

  /// What `rescueList` and `rescueClear` answer.
  public struct RescueReply: Codable, Hashable, Sendable {
    /// What lies there, or was removed, by its path.
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

    /// Where it lies, absolute, as `rescueList` says.
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

  /// What `rescueRestore` answers.
  public struct RescueRestoreReply: Codable, Hashable, Sendable {
    /// Where it is now, absolute.
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

    /// What, absolute, as `rescueList` says; none: everything.
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
