// SPDX-License-Identifier: Apache-2.0

/// Where something may have changed: the path that it had at the time, and the directory that was
/// meant. Directories may have moved between the event and the look; then only the inode tells
/// which one the path led to.
public struct FolderHint: Hashable, Sendable {
  /// Bytes as they are on the disk, relative to a watched root or to a mirrored folder; the empty
  /// path is that itself.
  public var path: [UInt8]
  /// The inode of the directory that the entry is in, or, if all in a directory is to be listed, of
  /// that directory; 0 if nobody knows.
  public var directory: UInt64

  /// Joins the two.
  public init(_ path: [UInt8], directory: UInt64 = 0) {
    self.path = path
    self.directory = directory
  }
}
