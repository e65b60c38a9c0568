// The diagnostic log and a report about the daemon: `logLevel`, `report`, and their answers.

extension Control {
  /// Shows the daemon's log levels, or sets them until it ends.
  public struct LogLevel: ControlOperation {
    /// The answer.
    public typealias Reply = Control.LogLevelReply
    /// `POST /v1/logLevel`.
    public static let name = "logLevel"

    /// The new levels: a level, or `SCOPE=LEVEL`, separated by commas. Nil changes nothing.
    public var levels: String?

    /// Creates a request that sets `levels`, or only asks for them.
    public init(levels: String? = nil) { self.levels = levels }
  }

  /// The answer of `logLevel`.
  public struct LogLevelReply: Codable, Hashable, Sendable {
    /// The levels that are now in force, in the form that the request accepts.
    public var levels: String

    /// Creates an answer.
    public init(levels: String) { self.levels = levels }
  }

  /// A report about the daemon for somebody who helps, without names, contents or keys.
  public struct Report: ControlOperation {
    /// The answer.
    public typealias Reply = Control.ReportReply
    /// `POST /v1/report`.
    public static let name = "report"
    /// The report includes the checks of `doctor`, which contact the container.
    public static let mayWait = true

    /// Creates a request.
    public init() {}
  }

  /// The answer of `report`.
  public struct ReportReply: Codable, Hashable, Sendable {
    /// The report: sections with a title line each.
    public var text: String
    /// The titles of its sections, in order.
    public var sections: [String]

    /// Creates an answer.
    public init(text: String, sections: [String]) {
      (self.text, self.sections) = (text, sections)
    }
  }
}
