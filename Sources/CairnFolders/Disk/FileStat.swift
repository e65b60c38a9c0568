import CairnSystem
import CairnZone
import Glibc

/// The file system's description of a name, never following a symlink.
public struct FileStat: Hashable, Sendable {
  /// The kind of an entry.
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

  /// The kind of the entry.
  public var kind: Kind
  /// The number of its file system: the major number, and the minor one in the lower half.
  public var device: UInt64
  /// The inode number, which a later file may get after this one is deleted. It is 0 where the file
  /// system doesn't keep it: then nothing is recognized by it.
  public var inode: UInt64
  /// The birth time, in nanoseconds since 1970; 0 if the file system stores none.
  public var birth: Int64
  /// The size in bytes.
  public var size: UInt64
  /// The modification time, in nanoseconds since 1970; anybody may set it.
  public var modified: Int64
  /// The time of the last change of any kind (ctime), in nanoseconds since 1970.
  public var changed: Int64
  /// A Boolean value that indicates whether anybody may execute it; false for anything but a file.
  public var isExecutable: Bool
  /// Permission bits.
  public var mode: UInt32
  /// The group that it belongs to.
  public var group: UInt32
  /// The extended attributes that a zone may carry; nil if nobody read them.
  var extended: Attributes.Extended?
  /// The number of names.
  public var links: UInt32
  /// The mount point through which it is seen; 0 if the kernel does not provide it.
  public let mountPoint: UInt64

  /// Creates an empty description.
  public init(kind: Kind = .other) {
    self.kind = kind
    (device, inode, birth, size, modified, changed) = (0, 0, 0, 0, 0, 0)
    (isExecutable, mode, group, links) = (false, 0, 0, 0)
    mountPoint = 0
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

  /// The mode for the zone: the bits for owner, group and others. A file's bit for its owner to
  /// execute it agrees with the executable bit, as the zone demands.
  func carriedMode(isExecutable: Bool) -> UInt16 {
    let bits = UInt16(mode & 0o777)
    return kind == .file ? Attributes.mode(bits, isExecutable: isExecutable) : bits
  }

  /// A Boolean value that indicates whether this is a file without bytes.
  var isEmptyFile: Bool { kind == .file && size == 0 }

  /// Returns whether this is on the same file system as the other, through the same mount.
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

  /// Returns whether this can be the same inode as an earlier one: a file system reuses the number
  /// of a removed file, but not its birth time.
  func isSameInode(as other: FileStat) -> Bool {
    guard inode == other.inode, device == other.device, kind == other.kind else { return false }
    if birth != 0 || other.birth != 0 { return birth == other.birth }
    return kind == .directory || (size == other.size && modified == other.modified)
  }
}
