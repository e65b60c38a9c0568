/// The amount of data in a zone.
public struct ZoneSummary: Hashable, Sendable {
  /// Files and symlinks.
  public var files: Int
  /// Directories, without the root.
  public var directories: Int
  /// The total size of the files.
  public var bytes: Int64
}
