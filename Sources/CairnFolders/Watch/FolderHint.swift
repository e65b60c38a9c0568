// SPDX-License-Identifier: Apache-2.0

/// A place with a possible change: the path at that time, and the directory. Directories may have
/// moved between the event and the scan; then only the inode identifies the directory.
public struct FolderHint: Hashable, Sendable {
  /// The bytes of the path on the disk, relative to a watched root or to a mirrored folder; the
  /// empty path is the root itself.
  public var path: [UInt8]
  /// The inode of the entry's directory, or, for a list of a whole directory, of that directory; 0
  /// if unknown.
  public var directory: UInt64

  /// Creates a hint.
  public init(_ path: [UInt8], directory: UInt64 = 0) {
    self.path = path
    self.directory = directory
  }
}
