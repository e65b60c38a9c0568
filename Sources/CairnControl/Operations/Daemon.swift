// The daemon itself: `ping`, `stop`, `whoami`, `events`, and their answers.

extension Control {
  /// Asks whether the daemon is there.
  public struct Ping: ControlOperation {
    /// The answer.
    public typealias Reply = Control.PingReply
    /// `POST /v1/ping`.
    public static let name = "ping"

    /// Asks for nothing more.
    public init() {}
  }

  /// The answer of `ping`.
  public struct PingReply: Codable, Hashable, Sendable {
    /// The daemon's process id.
    public var pid: Int32
    /// Its version.
    public var version: String

    /// Joins the parts.
    public init(pid: Int32, version: String) {
      self.pid = pid
      self.version = version
    }
  }

  /// Ends the daemon, after the step that it is in. Nothing is lost: the next start goes on.
  public struct Stop: ControlOperation {
    /// The answer.
    public typealias Reply = Control.StopReply
    /// `POST /v1/stop`.
    public static let name = "stop"

    /// Asks for nothing more.
    public init() {}
  }

  /// The answer of `stop`, before the daemon ends.
  public struct StopReply: Codable, Hashable, Sendable {
    /// The process that ends; nil if none was running.
    public var pid: Int32?

    /// Joins the parts.
    public init(pid: Int32? = nil) {
      self.pid = pid
    }
  }

  /// Returns the person and the device of this home.
  public struct WhoAmI: ControlOperation {
    /// The answer.
    public typealias Reply = Control.WhoAmIReply
    /// `POST /v1/whoami`.
    public static let name = "whoami"

    /// Asks for nothing more.
    public init() {}
  }

  /// The answer of `whoami`.
  public struct WhoAmIReply: Codable, Hashable, Sendable {
    /// The person and the device.
    public var account: Control.AccountStatus

    /// Joins the parts.
    public init(account: Control.AccountStatus) {
      self.account = account
    }
  }

  /// Reports events. Each is an `event` line; the reply comes after the last.
  public struct Events: TargetedOperation {
    /// The answer.
    public typealias Reply = Control.EventsReply
    /// `POST /v1/events`.
    public static let name = "events"
    /// The accepted targets.
    public static let targets: Control.Targets = .anyPath
    /// Has a thread of its own in the daemon.
    public static let mayWait = true

    /// Go on with what happens from here on, until the client goes away.
    public var follow: Bool
    /// Only events after this number; nil: all that the daemon still remembers.
    public var since: UInt64?
    /// Only the mount that holds this absolute path; nil: all.
    public var path: Control.Path?

    /// Joins the parts.
    public init(follow: Bool = false, since: UInt64? = nil, path: Control.Path? = nil) {
      self.follow = follow
      self.since = since
      self.path = path
    }
  }

  /// The answer of `events` after the last event.
  public struct EventsReply: Codable, Hashable, Sendable {
    /// The number of the last event so far: what `since` takes next time.
    public var last: UInt64

    /// Joins the parts.
    public init(last: UInt64) {
      self.last = last
    }
  }

  /// One thing that happened (NSPersistentCloudKitContainer's export and import events, for
  /// folders).
  public struct Event: Codable, Hashable, Sendable {
    /// Counts up by one from the daemon's start; 0 for what an earlier run of it told.
    public var number: UInt64
    /// The time.
    public var time: Control.Time
    /// The kind: one of `Control.EventKind`, or a newer word.
    public var kind: String
    /// The mount that it is about.
    public var mount: String?
    /// The file or folder that it is about, absolute.
    public var path: Control.Path?
    /// A sentence for people.
    public var text: String
    /// The person who did it, if known and another one than the daemon's.
    public var by: Control.Person?
    /// Of a problem, what kind of trouble it is.
    public var code: String?

    /// The code of a notice that is no problem.
    public static let codeOfNews = "notice"

    /// Joins the parts.
    public init(
      number: UInt64, time: Control.Time, kind: String, mount: String? = nil,
      path: Control.Path? = nil, text: String,
      by: Control.Person? = nil, code: String? = nil
    ) {
      self.by = by
      self.code = code
      self.number = number
      self.time = time
      self.kind = kind
      self.mount = mount
      self.path = path
      self.text = text
    }
  }
}
