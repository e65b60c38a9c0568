public import Logging

/// The diagnostic log of the program's parts, one channel each. A program that uses Cairn as a
/// library receives the same lines through its own `LoggingSystem.bootstrap`.
///
/// Secrets and file content are never logged.
public enum Diagnostics {
  /// Scans of a mounted folder.
  public static let scan = Channel("scan")
  /// Plans: what a sync cycle decided to do, and what it postponed.
  public static let plan = Channel("plan")
  /// The logs of zones: entries that were read or stored.
  public static let log = Channel("log")
  /// Requests to the container.
  public static let store = Channel("store")
  /// File content on its way into packs and out of them.
  public static let transfer = Channel("transfer")

  /// The labels of the channels above.
  public static let labels = ["scan", "plan", "log", "store", "transfer"]

  /// One part of the diagnostic log. A line has a fixed message; everything that varies is a field.
  public struct Channel: Sendable {
    private let logger: Logger

    init(_ label: String) { logger = Logger(label: label) }

    /// Logs a line at level debug. The fields are only computed if the line is logged.
    public func debug(_ message: StaticString, _ fields: @autoclosure () -> [Field]) {
      logger.debug("\(message)", metadata: Field.metadata(fields()))
    }

    /// Logs a line at level trace. The fields are only computed if the line is logged.
    public func trace(_ message: StaticString, _ fields: @autoclosure () -> [Field]) {
      logger.trace("\(message)", metadata: Field.metadata(fields()))
    }

    /// A Boolean value that indicates whether lines of level trace are logged.
    public var isTracing: Bool { logger.logLevel <= .trace }
  }

  /// A part of a line that varies.
  public struct Field {
    let key: StaticString
    let value: Logger.MetadataValue

    /// An id or a number, which a report may show to strangers.
    public static func value(
      _ key: StaticString, _ value: some CustomStringConvertible & Sendable
    ) -> Field {
      Field(key: key, value: .stringConvertible(value))
    }

    /// A name that a person chose, or an address that leads to a person. It is printed from debug
    /// level on, and never enters a report.
    public static func name(_ key: StaticString, _ text: String) -> Field {
      Field(key: key, value: .stringConvertible(Name(text)))
    }

    static func metadata(_ fields: [Field]) -> Logger.Metadata {
      var metadata: Logger.Metadata = [:]
      for field in fields { metadata["\(field.key)"] = field.value }
      return metadata
    }
  }

  /// A name in the metadata of a log line.
  public struct Name: CustomStringConvertible, Sendable {
    /// The name itself.
    public let description: String

    /// Creates a name.
    public init(_ text: String) { description = text }

    /// A Boolean value that indicates whether a metadata value is a name.
    public static func isName(_ value: Logger.MetadataValue) -> Bool {
      guard case .stringConvertible(let value) = value else { return false }
      return value is Name
    }
  }
}
