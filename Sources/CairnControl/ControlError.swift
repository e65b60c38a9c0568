/// Why an operation failed: for programs a code, for people what happened to what, and what to do
/// now. It goes over the socket as it is.
public struct ControlError: Error, Codable, Hashable, Sendable {
  /// CloudKit's name of the failure, or ours.
  public var code: Control.ErrorCode
  /// What happened, to what: a sentence.
  public var message: String
  /// What to do now: a sentence; empty if there is nothing to do.
  public var remedy: String
  /// The file or folder that it is about, absolute, if it is about one.
  public var path: Control.Path?

  /// Joins the parts.
  public init(
    _ code: Control.ErrorCode, _ message: String, remedy: String = "", path: Control.Path? = nil
  ) {
    self.code = code
    self.message = message
    self.remedy = remedy
    self.path = path
  }

  /// What `cairn` exits with; the table is in cairn(1).
  public var exitStatus: Int32 { code.exitStatus }
}

extension ControlError: CustomStringConvertible {
  /// Message and remedy in one line, safe for a terminal.
  public var description: String {
    let line = remedy.isEmpty ? message : message + " " + remedy
    return Control.Path.sentence(line) + " [" + code.rawValue + "]"
  }
}
