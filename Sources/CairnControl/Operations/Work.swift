// What a mount has to do and how far it is, and what it leaves out.

extension Control {
  /// The finished and waiting work in one direction since the folder was last up to date.
  public struct WorkAmount: Codable, Hashable, Sendable {
    /// Names that are done.
    public var names: Int64
    /// Names in all.
    public var allNames: Int64
    /// Bytes of files that are done, also of one that is on its way.
    public var bytes: Int64
    /// Bytes of files in all.
    public var allBytes: Int64

    /// Joins the parts.
    public init(names: Int64, allNames: Int64, bytes: Int64, allBytes: Int64) {
      self.names = names
      self.allNames = allNames
      self.bytes = bytes
      self.allBytes = allBytes
    }
  }

  /// The waiting and finished work of a mount.
  public struct Work: Codable, Hashable, Sendable {
    /// Names changed here and not yet durable in the zone.
    public var pendingLocal: Int
    /// Records changed in the zone and not yet in the folder.
    public var pendingRemote: Int
    /// Names that the look at the folder has seen, if one is under way.
    public var looked: Int64?
    /// The work to the zone, if there is any.
    public var sending: Control.WorkAmount?
    /// The work to the folder, if there is any.
    public var receiving: Control.WorkAmount?
    /// The bytes per second in both directions, if known.
    public var bytesPerSecond: Int64?
    /// In how many seconds it is done if that goes on, if that is known.
    public var secondsLeft: Int64?

    /// Joins the parts.
    public init(
      pendingLocal: Int = 0, pendingRemote: Int = 0, looked: Int64? = nil,
      sending: Control.WorkAmount? = nil, receiving: Control.WorkAmount? = nil,
      bytesPerSecond: Int64? = nil, secondsLeft: Int64? = nil
    ) {
      self.pendingLocal = pendingLocal
      self.pendingRemote = pendingRemote
      self.looked = looked
      self.sending = sending
      self.receiving = receiving
      self.bytesPerSecond = bytesPerSecond
      self.secondsLeft = secondsLeft
    }
  }

  /// A rule, and how many names it leaves out.
  public struct IgnoredBy: Codable, Hashable, Sendable {
    /// The pattern, as it is written.
    public var pattern: Control.Path
    /// The `.cairnignore` that it stands in, absolute; nil: a pattern that Cairn has by itself.
    public var file: Control.Path?
    /// The number of names.
    public var names: Int

    /// Joins the parts.
    public init(pattern: Control.Path, file: Control.Path? = nil, names: Int) {
      self.pattern = pattern
      self.file = file
      self.names = names
    }
  }

  /// The ignored names of a mount, and what isn't selected of its zone.
  public struct Ignored: Codable, Hashable, Sendable {
    /// The number of names; of a directory only its own counts.
    public var names: Int
    /// By which rules, the one with the most names first; ten of them at most.
    public var rules: [Control.IgnoredBy]
    /// The contents of the zone that aren't selected for this device; nil if everything is.
    public var leftOut: Control.LeftOut?

    /// Joins the parts.
    public init(
      names: Int = 0, rules: [Control.IgnoredBy] = [], leftOut: Control.LeftOut? = nil
    ) {
      self.names = names
      self.rules = rules
      self.leftOut = leftOut
    }
  }

  /// Reports the states of the daemon, the container and the mounts, and again after each change:
  /// each is a `status` line, until the client goes away.
  public struct StatusWatch: TargetedOperation {
    /// The answer after the last line.
    public typealias Reply = Control.StatusReply
    /// `POST /v1/statusWatch`.
    public static let name = "statusWatch"
    /// The accepted targets.
    public static let targets: Control.Targets = .path
    /// Has a thread of its own in the daemon.
    public static let mayWait = true

    /// Only the mount that holds this absolute path; nil: all mounts.
    public var path: Control.Path?

    /// Joins the parts.
    public init(path: Control.Path? = nil) { self.path = path }
  }
}
