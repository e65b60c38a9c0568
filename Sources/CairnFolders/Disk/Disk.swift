/// The system calls through which this target touches a file system, so that a simulation can stand
/// in for it. One call of POSIX each, with no policy: what an answer means is decided above. A
/// result is 0 or more, or a negative errno, as in CairnSystem. Names are bytes without NUL.
public protocol Disk: Sendable {
  /// Opens a directory by its absolute path, following symlinks above it.
  func openRoot(_ path: [UInt8]) -> Int32
  /// Opens a path beneath an open directory, following no symlink (openat2 with RESOLVE_BENEATH).
  func open(_ path: [UInt8], beneath directory: Int32, flags: Int32, mode: UInt32) -> Int32
  /// A descriptor that only names an entry and needs no right on it (O_PATH | O_NOFOLLOW).
  func openNode(_ name: [UInt8], in directory: Int32) -> Int32
  /// Gives a descriptor back.
  func close(_ file: Int32)

  /// What the file system says of an open file.
  func status(of file: Int32, _ found: inout FileStat) -> Int32
  /// What the file system says of a name in an open directory; of a symlink itself.
  func status(of name: [UInt8], in directory: Int32, _ found: inout FileStat) -> Int32
  /// Appends the names in an open directory, without `.` and `..`. After an error some may be
  /// missing.
  func list(_ directory: Int32, _ names: inout [[UInt8]]) -> Int32
  /// The target of a symlink.
  func target(of name: [UInt8], in directory: Int32, _ target: inout [UInt8]) -> Int32
  /// The path by which the kernel knows an open directory; " (deleted)" at its end if it is gone.
  func path(of directory: Int32, _ path: inout [UInt8]) -> Int32
  /// Which mounting of a file system this is, named as `FileStat` has it: a text that is another
  /// one after it was mounted anew; nil where the kernel doesn't tell.
  func mounting(of device: UInt64) -> String?
  /// Bytes that an unprivileged writer may still store on the file system of an open file.
  func freeBytes(_ file: Int32, _ count: inout UInt64) -> Int32

  /// Reads on from where the last read ended; 0 at the end.
  func read(_ file: Int32, into buffer: UnsafeMutableRawBufferPointer) -> Int
  /// Writes on from where the last write ended; may take fewer bytes than it was given.
  func write(_ file: Int32, _ bytes: UnsafeRawBufferPointer) -> Int
  /// Leaves a hole of so many bytes where the last write ended; the next one goes on behind it.
  func skip(_ count: Int64, in file: Int32) -> Int32
  /// Gives an open file that size; what is behind its end by then is a hole.
  func setSize(of file: Int32, _ size: Int64) -> Int32
  /// Has the disk begin writing what was written to an open file, and doesn't wait for it. That
  /// makes nothing durable, and there is nothing to be done if it fails.
  func beginWriteOut(_ file: Int32)
  /// Makes an open file, or the names in an open directory, durable.
  func sync(_ file: Int32) -> Int32
  /// Makes the whole file system of an open file durable.
  func syncFileSystem(_ file: Int32) -> Int32
  /// -EAGAIN if somebody has the file open for writing; anything below 0 else: no answer here.
  func probeReadLease(_ file: Int32) -> Int32

  /// Makes a directory at an absolute path.
  func makeDirectory(at path: [UInt8], mode: UInt32) -> Int32
  /// Makes a directory in an open one.
  func makeDirectory(_ name: [UInt8], in directory: Int32, mode: UInt32) -> Int32
  /// Makes a symlink.
  func makeSymlink(_ name: [UInt8], in directory: Int32, to target: [UInt8]) -> Int32
  /// Gives an entry that isn't a directory a second name, which must be free.
  func link(
    _ name: [UInt8], in directory: Int32, as other: [UInt8], in otherDirectory: Int32
  ) -> Int32
  /// Gives an entry another name.
  func rename(
    _ name: [UInt8], in directory: Int32, to other: [UInt8], in otherDirectory: Int32,
    _ kind: RenameKind
  ) -> Int32
  /// Removes an entry that isn't a directory.
  func remove(_ name: [UInt8], in directory: Int32) -> Int32
  /// Removes an empty directory.
  func removeDirectory(_ name: [UInt8], in directory: Int32) -> Int32
  /// Removes an empty directory by its absolute path.
  func removeDirectory(at path: [UInt8]) -> Int32
  /// Sets the permission bits of an open file, also of one that is only named.
  func setMode(of file: Int32, _ mode: UInt32) -> Int32
  /// Gives an open file to another group; the owner stays.
  func setGroup(of file: Int32, _ group: UInt32) -> Int32
  /// Appends the names of the extended attributes of an open file or directory.
  func attributeNames(of file: Int32, _ names: inout [[UInt8]]) -> Int32
  /// The value of an extended attribute; -ENODATA if there is none of that name.
  func attribute(_ name: [UInt8], of file: Int32, _ value: inout [UInt8]) -> Int32
  /// Gives an open file or directory an extended attribute; nil takes it away.
  func setAttribute(_ name: [UInt8], of file: Int32, to value: [UInt8]?) -> Int32
  /// Sets the time of change of an open file, in nanoseconds since 1970.
  func setTime(of file: Int32, _ modified: Int64) -> Int32
  /// Sets the time of change of a name, following no symlink.
  func setTime(of name: [UInt8], in directory: Int32, _ modified: Int64) -> Int32
}

/// What a rename does about an entry that has the new name.
public enum RenameKind: Sendable {
  /// It is replaced, as rename(2) does.
  case replacing
  /// The call fails with EEXIST, or with EINVAL where the file system can't promise that.
  case toFreeName
  /// The two swap their names, or EINVAL where the file system can't do that.
  case swapping
}
