import CairnSystem
import Glibc

/// What the file system says of a name, never following a symlink.
public struct FileStat: Hashable, Sendable {
  /// What kind of entry it is.
  public enum Kind: Hashable, Sendable {
    /// A regular file.
    case file
    /// A directory.
    case directory
    /// A symbolic link, never followed.
    case symlink
    /// A socket, FIFO or device: never mirrored.
    case other
  }

  /// What kind of entry it is.
  public var kind: Kind
  /// The file system that it is on: its major number, and its minor one in the lower half.
  public var device: UInt64
  /// Its number there; the next file may get it when this one is gone.
  public var inode: UInt64
  /// When it was made, in nanoseconds since 1970; 0 where the file system keeps no such time.
  public var birth: Int64
  /// Bytes.
  public var size: UInt64
  /// When its bytes last changed, in nanoseconds since 1970; anybody may set it.
  public var modified: Int64
  /// When anything about it last changed, in nanoseconds since 1970.
  public var changed: Int64
  /// Whether anybody may run it; false for anything but a file.
  public var isExecutable: Bool
  /// Permission bits.
  public var mode: UInt32
  /// The group that it belongs to.
  public var group: UInt32
  /// How many names it has.
  public var links: UInt32
  /// Which mount of the file system it is seen through; 0 where the kernel doesn't tell.
  public var mountPoint: UInt64

  /// An entry about which nothing is known yet.
  public init(kind: Kind = .other) {
    self.kind = kind
    (device, inode, birth, size, modified, changed) = (0, 0, 0, 0, 0, 0)
    (isExecutable, mode, group, links, mountPoint) = (false, 0, 0, 0, 0)
  }

  init(_ raw: cairn_stat) {
    switch raw.mode & UInt32(S_IFMT) {
    case UInt32(S_IFREG): kind = .file
    case UInt32(S_IFDIR): kind = .directory
    case UInt32(S_IFLNK): kind = .symlink
    default: kind = .other
    }
    device = raw.dev
    inode = raw.ino
    birth = raw.btime_ns
    size = raw.size
    modified = raw.mtime_ns
    changed = raw.ctime_ns
    isExecutable = kind == .file && raw.mode & 0o111 != 0
    mode = raw.mode & 0o7777
    group = raw.gid
    links = raw.nlink
    mountPoint = raw.mnt_id
  }

  /// Whether this is a file without bytes.
  var isEmptyFile: Bool { kind == .file && size == 0 }

  /// Whether this is on the same file system as the other, and seen through the same mount of it.
  func isBeside(_ other: FileStat) -> Bool {
    device == other.device
      && (mountPoint == other.mountPoint || mountPoint == 0 || other.mountPoint == 0)
  }

  /// The entry with that name in the open directory; nil if there is none.
  static func at(_ directory: Descriptor, _ name: FileNameBytes) throws(FolderError) -> FileStat? {
    var found = FileStat()
    let result = directory.disk.status(of: name, in: directory.number, &found)
    if result == -ENOENT || result == -ENOTDIR { return nil }
    guard result >= 0 else { throw FolderError(-result, name, "look at") }
    return found
  }

  /// An open file.
  static func of(_ file: Descriptor) throws(FolderError) -> FileStat {
    var found = FileStat()
    let result = file.disk.status(of: file.number, &found)
    guard result >= 0 else { throw FolderError(-result, [], "look at an open file") }
    return found
  }

  /// Whether this can be the same inode as one seen before: a file system gives the number of a
  /// removed file to the next one, but not its time of birth.
  func isSameInode(as other: FileStat) -> Bool {
    guard inode == other.inode, device == other.device, kind == other.kind else { return false }
    if birth != 0 || other.birth != 0 { return birth == other.birth }
    return kind == .directory || (size == other.size && modified == other.modified)
  }
}
