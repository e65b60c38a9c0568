// Why a path is as it is: `why` and its answer.

extension Control {
  /// Asks which entry of the log made a path what it is, and what waits at it for which reason.
  public struct Why: TargetedOperation {
    /// The answer.
    public typealias Reply = Control.WhyReply
    /// `POST /v1/why`.
    public static let name = "why"
    /// The accepted targets.
    public static let targets: Control.Targets = .anyPath
    /// Reads the zone's log, and so has a thread of its own in the daemon.
    public static let mayWait = true

    /// The absolute path; it need not exist any more.
    public var path: Control.Path

    /// Joins the parts.
    public init(path: Control.Path) { self.path = path }
  }

  /// The rule by which something came about. Newer versions may have others.
  public enum WhyRule: String, Codable, Hashable, Sendable, CaseIterable {
    /// It isn't in a folder that is mirrored.
    case notMirrored = "not-mirrored"
    /// A pattern keeps it out of the zone.
    case ignored
    /// A socket, FIFO or device, or something on another file system.
    case special
    /// The last entry of the log that is about an aspect decides it.
    case lastInLog = "last-in-log"
    /// Folder and zone agree.
    case agreed
    /// It changed here: it goes to the zone.
    case sending
    /// It changed in the zone: it comes to the folder.
    case receiving
    /// It changed on both sides: the first in the log keeps the name, the other becomes a copy.
    case firstInLog = "first-in-log"
    /// An edit wins over a deletion.
    case editWins = "edit-wins"
    /// It isn't selected for this device.
    case notSelected = "not-selected"
    /// It has to wait, for the reason given.
    case waiting
    /// It is in trouble.
    case problem
    /// Bytes were set aside.
    case rescued
    /// The mount as a whole doesn't go on.
    case mount
  }

  /// One reason why a path is as it is.
  public struct WhyReason: Codable, Hashable, Sendable {
    /// By which rule.
    public var rule: Control.WhyRule
    /// A sentence for people.
    public var text: String
    /// The advice, if there is any.
    public var remedy: String?
    /// The entry of the log that did it, with the changes that concern the path.
    public var entry: Control.LogEntry?

    /// Joins the parts.
    public init(
      _ rule: Control.WhyRule, _ text: String, remedy: String? = nil,
      entry: Control.LogEntry? = nil
    ) {
      self.rule = rule
      self.text = text
      self.remedy = remedy
      self.entry = entry
    }
  }

  /// The answer of `why`.
  public struct WhyReply: Codable, Hashable, Sendable {
    /// The path, absolute.
    public var path: Control.Path
    /// The zone that it belongs to; nil: none.
    public var zone: String?
    /// Its record's UUID, if the zone has one.
    public var record: String?
    /// The present state, waiting changes first.
    public var now: [Control.WhyReason]
    /// The history, the latest entry of the log first.
    public var history: [Control.WhyReason]

    /// Joins the parts.
    public init(
      path: Control.Path, zone: String? = nil, record: String? = nil,
      now: [Control.WhyReason] = [], history: [Control.WhyReason] = []
    ) {
      self.path = path
      self.zone = zone
      self.record = record
      self.now = now
      self.history = history
    }
  }
}
