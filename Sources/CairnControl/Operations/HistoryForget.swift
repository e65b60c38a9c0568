// Taking something out of the past for good: `history forget`.

extension Control {
  /// Has past versions of a file be forgotten by everybody; only its folder's owner may.
  public struct HistoryForget: TargetedOperation {
    /// The answer.
    public typealias Reply = Control.HistoryForgetReply
    /// `POST /v1/historyForget`.
    public static let name = "historyForget"
    /// The accepted targets.
    public static let targets: Control.Targets = .path
    /// Has a thread of its own in the daemon.
    public static let mayWait = true

    /// An absolute path in a mount, also one where nothing stands any more.
    public var path: Control.Path
    /// The version, and with it all that have the same content; nil: all that differ from what
    /// stands there now.
    public var version: UInt64?
    /// The former zone that numbers it: its id, or the beginning; nil: the folder's zone does.
    public var zone: String?
    /// The record whose version is meant: its id, or the end of it; nil: the only record with the
    /// path that the entry changed.
    public var record: String?
    /// Say what would go, and do nothing.
    public var dryRun: Bool

    /// Joins the parts.
    public init(
      path: Control.Path, version: UInt64? = nil, zone: String? = nil, record: String? = nil,
      dryRun: Bool = false
    ) {
      self.zone = zone
      self.record = record
      self.path = path
      self.version = version
      self.dryRun = dryRun
    }
  }

  /// A version of a file.
  public struct FileVersion: Codable, Hashable, Sendable {
    /// The path that it had, absolute; nil: it wasn't in the folder.
    public var path: Control.Path?
    /// Its number; nil: it is what the file is now.
    public var version: UInt64?
    /// The id of the former zone that numbers it; nil: the folder's zone does.
    public var zone: String?
    /// The time by its author's clock.
    public var time: Control.Time
    /// The bytes of the file.
    public var size: Int64

    /// Joins the parts.
    public init(
      path: Control.Path?, version: UInt64?, zone: String? = nil, time: Control.Time, size: Int64
    ) {
      self.zone = zone
      self.path = path
      self.version = version
      self.time = time
      self.size = size
    }
  }

  /// The answer of `history forget`.
  public struct HistoryForgetReply: Codable, Hashable, Sendable {
    /// The versions that go, the latest first.
    public var versions: [Control.FileVersion]
    /// The bytes of their contents, each counted once.
    public var bytes: UInt64
    /// Other versions with some of the same bytes, which stay; 100 at most.
    public var elsewhere: [Control.FileVersion]
    /// Until then their bytes stand in the container at least; nil: nothing was done.
    public var until: Control.Time?
    /// The garbage that was deleted at once, and that waits; nil if nothing was done.
    public var garbage: Control.GarbageReply?

    /// Joins the parts.
    public init(
      versions: [Control.FileVersion], bytes: UInt64, elsewhere: [Control.FileVersion],
      until: Control.Time? = nil, garbage: Control.GarbageReply? = nil
    ) {
      self.versions = versions
      self.bytes = bytes
      self.elsewhere = elsewhere
      self.until = until
      self.garbage = garbage
    }
  }
}
