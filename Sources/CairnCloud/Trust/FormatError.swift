/// Stored bytes that aren't what they should be: damaged, truncated, or made by somebody hostile.
/// It knows neither where the bytes came from nor what happens next.
public struct FormatError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What was being read, such as "log entry".
  public let what: String
  /// What is wrong with it.
  public let why: String

  /// Joins the two.
  public init(_ what: String, _ why: String) {
    self.what = what
    self.why = why
  }

  /// A sentence for people.
  public var description: String { "The \(what) can't be read: \(why)." }
}
