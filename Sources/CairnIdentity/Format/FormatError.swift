/// The error for stored bytes that cannot be read: damaged, truncated, hostile, or of a newer
/// version. It knows neither their source nor the consequences.
public struct FormatError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The object that was read, such as "log entry".
  public let what: String
  /// The problem.
  public let why: String
  /// A Boolean value that indicates whether only a newer version of Cairn knows its content. Then
  /// it is not garbage, even without a right to put it there, and must not be removed as garbage
  /// (see `Growth`).
  public let isNewer: Bool

  /// Creates an error for damage.
  public init(_ what: String, _ why: String) { self.init(what, why, isNewer: false) }

  private init(_ what: String, _ why: String, isNewer: Bool) {
    self.what = what
    self.why = why
    self.isNewer = isNewer
  }

  /// Creates an error for content of a newer version.
  public static func newer(_ what: String) -> FormatError {
    FormatError(what, "a newer version of Cairn wrote it: install that one", isNewer: true)
  }

  /// A sentence for people.
  public var description: String { "The \(what) can't be read: \(why)." }
}
