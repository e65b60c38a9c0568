/// Stored bytes that can't be read: damaged, truncated, made by somebody hostile, or by a newer
/// version. It knows neither where the bytes came from nor what happens next.
public struct FormatError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What was being read, such as "log entry".
  public let what: String
  /// What is wrong with it.
  public let why: String
  /// Whether it says something that only a newer version of Cairn knows. Then it isn't rubbish,
  /// even if nobody had a right to put it there: it must not be taken away on that ground (see
  /// `Growth`).
  public let isNewer: Bool

  /// Joins the two; it is damage.
  public init(_ what: String, _ why: String) { self.init(what, why, isNewer: false) }

  private init(_ what: String, _ why: String, isNewer: Bool) {
    self.what = what
    self.why = why
    self.isNewer = isNewer
  }

  /// What a newer version of Cairn has written.
  static func newer(_ what: String) -> FormatError {
    FormatError(what, "a newer version of Cairn wrote it: install that one", isNewer: true)
  }

  /// A sentence for people.
  public var description: String { "The \(what) can't be read: \(why)." }
}
