extension Control {
  /// Checks this machine for everything that Cairn needs.
  public struct Doctor: ControlOperation {
    /// The answer.
    public typealias Reply = Control.DoctorReply
    /// `POST /v1/doctor`.
    public static let name = "doctor"
    /// True: the operation runs on a thread of its own.
    public static let mayWait = true

    /// Creates a request.
    public init() {}
  }

  /// One check.
  public struct Check: Codable, Hashable, Sendable {
    /// The name of the check: `identity`, `container`, …
    public var name: String
    /// The error that it causes; nil if it is in order.
    public var code: Control.ErrorCode?
    /// The finding.
    public var message: String
    /// The next action, if something is wrong here or for others.
    public var remedy: String

    /// Creates a value with these properties.
    public init(
      name: String, code: Control.ErrorCode? = nil, message: String, remedy: String = ""
    ) {
      self.name = name
      self.code = code
      self.message = message
      self.remedy = remedy
    }
  }

  /// The answer of `doctor`.
  public struct DoctorReply: Codable, Hashable, Sendable {
    /// All checks.
    public var checks: [Control.Check]

    /// Creates a value with these properties.
    public init(checks: [Control.Check]) { self.checks = checks }

    /// The error of the first failed check.
    public var failure: Control.ErrorCode? { checks.lazy.compactMap(\.code).first }
  }
}
