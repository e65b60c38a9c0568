/// The reason why an operation failed: a code for programs, and for people the event, its object,
/// and the next action. It is sent over the socket unchanged.
public struct ControlError: Error, Codable, Hashable, Sendable {
  /// CloudKit's name of the failure, or one of Cairn.
  public var code: Control.ErrorCode
  /// The event and its object: a sentence.
  public var message: String
  /// The next action: a sentence; empty if there is none.
  public var remedy: String
  /// The absolute path of the file or folder that the error is about; nil if there is none.
  public var path: Control.Path?
  /// The member of the request that confirms it, if a confirmation is all that is missing.
  public var confirm: Control.Confirmation?

  /// Creates an error.
  public init(
    _ code: Control.ErrorCode, _ message: String, remedy: String = "", path: Control.Path? = nil,
    confirm: Control.Confirmation? = nil
  ) {
    self.confirm = confirm
    self.code = code
    self.message = message
    self.remedy = remedy
    self.path = path
  }

  /// The exit status of `cairn`; cairn(1) has the table.
  public var exitStatus: Int32 { code.exitStatus }
}

extension ControlError: CustomStringConvertible {
  /// Message and remedy in one line, safe for a terminal.
  public var description: String {
    let line = remedy.isEmpty ? message : message + " " + remedy
    return Control.Path.sentence(line) + " [" + code.rawValue + "]"
  }
}
