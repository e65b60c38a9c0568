import CairnZone

/// A problem with one path: it is reported, and stops nothing else.
public struct Problem: Hashable, Sendable {
  /// The path relative to the folder; bytes as on the disk.
  public var path: [UInt8]
  /// CloudKit's name of the error, if it has one.
  public var code: String
  /// The failure.
  public var message: String
  /// The advice.
  public var remedy: String

  /// Creates a problem.
  public init(path: [UInt8], code: String, message: String, remedy: String) {
    self.path = path
    self.code = code
    self.message = message
    self.remedy = remedy
  }
}
