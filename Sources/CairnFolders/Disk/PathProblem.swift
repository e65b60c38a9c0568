public import CairnIdentity

/// A problem with one path: it is reported, and stops nothing else.
public struct PathProblem: Hashable, Sendable {
  /// The path relative to the folder; bytes as on the disk.
  public var path: [UInt8]
  /// The kind of the problem; nil for information, such as an entry that is never mirrored.
  public var code: CloudError.Code?
  /// The failure.
  public var message: String
  /// The advice.
  public var remedy: String

  /// Creates a problem.
  public init(path: [UInt8], code: CloudError.Code?, message: String, remedy: String) {
    self.path = path
    self.code = code
    self.message = message
    self.remedy = remedy
  }
}
