extension Control {
  /// Whether everything is there that Cairn needs on this machine.
  public struct Doctor: ControlOperation {
    /// The answer.
    public typealias Reply = Control.DoctorReply
    /// `POST /v1/doctor`.
    public static let name = "doctor"
    /// Has a thread of its own in the daemon.
    public static let mayWait = true

    /// Asks for nothing more.
    public init() {}
  }

  /// One thing that was looked at.
  public struct Check: Codable, Hashable, Sendable {
    /// A word for it: `identity`, `container`, …
    public var name: String
    /// The error that it leads to; nil if it is in order.
    public var code: Control.ErrorCode?
    /// What was found.
    public var message: String
    /// What to do, if it isn't in order, or isn't for others.
    public var remedy: String

    /// Joins the parts.
    public init(
      name: String, code: Control.ErrorCode? = nil, message: String, remedy: String = ""
    ) {
      self.name = name
      self.code = code
      self.message = message
      self.remedy = remedy
    }
  }

  /// What `doctor` answers.
  public struct DoctorReply: Codable, Hashable, Sendable {
    /// What was looked at.
    public var checks: [Control.Check]

    /// Joins the parts.
    public init(checks: [Control.Check]) { self.checks = checks }

    /// The first thing that isn't in order.
    public var failure: Control.ErrorCode? { checks.lazy.compactMap(\.code).first }
  }
}
