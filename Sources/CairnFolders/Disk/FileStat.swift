import CairnSystem
import Glibc

/// What the file system says of a name, never following a symlink.
struct FileStat: Hashable, Sendable {
  enum Kind: Hashable, Sendable {
    case file, directory, symlink
    /// A socket, FIFO or device: never mirrored.
    case other
  }

  var kind: Kind
  var device: UInt64
  var inode: UInt64
  var birth: Int64
  var size: UInt64
  var modified: Int64
  var changed: Int64
  var isExecutable: Bool
  /// Permission bits.
  var mode: UInt32
  var links: UInt32

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
    links = raw.nlink
  }

  /// The entry with that name in the open directory; nil if there is none.
  static func at(_ directory: Descriptor, _ name: FileNameBytes) throws(FolderError) -> FileStat? {
    var raw = cairn_stat()
    let result = name.withCString { cairn_stat_at(directory.number, $0, &raw) }
    if result == -ENOENT || result == -ENOTDIR { return nil }
    guard result >= 0 else { throw FolderError(-result, name, "look at") }
    return FileStat(raw)
  }

  /// An open file.
  static func of(_ file: Descriptor) throws(FolderError) -> FileStat {
    var raw = cairn_stat()
    let result = cairn_stat_fd(file.number, &raw)
    guard result >= 0 else { throw FolderError(-result, [], "look at an open file") }
    return FileStat(raw)
  }

  /// Whether this can be the same inode as one seen before: a file system gives the number of a
  /// removed file to the next one, but not its time of birth (LESSONS.md §2(c)).
  func isSameInode(as other: FileStat) -> Bool {
    guard inode == other.inode, device == other.device, kind == other.kind else { return false }
    if birth != 0 || other.birth != 0 { return birth == other.birth }
    return kind == .directory || (size == other.size && modified == other.modified)
  }
}
