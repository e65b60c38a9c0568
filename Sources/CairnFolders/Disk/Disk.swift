/// The system calls of this target on a file system, so that a simulation can replace them. One
/// POSIX call each, without policy: answers are interpreted above. A result is 0 or more, or a
/// negative errno, as in CairnSystem. Names are bytes without NUL. Where only Cairn creates names,
/// a name may also be a path beneath the open directory.
public protocol Disk: Sendable {
  /// Opens a directory by its absolute path, following symlinks above it.
  func openRoot(_ path: [UInt8]) -> Int32
  /// Opens a path beneath an open directory, following no symlink (openat2 with RESOLVE_BENEATH).
  func open(_ path: [UInt8], beneath directory: Int32, flags: Int32, mode: UInt32) -> Int32
  /// Opens a descriptor that only names an entry and needs no right on it (O_PATH | O_NOFOLLOW).
  func openNode(_ name: [UInt8], in directory: Int32) -> Int32
  /// Closes a descriptor.
  func close(_ file: Int32)

  /// Describes an open file.
  func status(of file: Int32, _ found: inout FileStat) -> Int32
  /// Describes a name in an open directory, without following a symlink.
  func status(of name: [UInt8], in directory: Int32, _ found: inout FileStat) -> Int32
  /// Appends the names in an open directory, without `.` and `..`. After an error some may be
  /// missing.
  func list(_ directory: Int32, _ names: inout [[UInt8]]) -> Int32
  /// Reads the target of a symlink.
  func target(of name: [UInt8], in directory: Int32, _ target: inout [UInt8]) -> Int32
  /// Reads the kernel's path of an open directory, with " (deleted)" at its end if it was deleted.
  func path(of directory: Int32, _ path: inout [UInt8]) -> Int32
  /// Identifies one mounting of a file system, named like in `FileStat`: a text that differs after
  /// it was mounted again; nil if the kernel does not provide it.
  func mounting(of device: UInt64) -> String?
  /// The magic number of the file system of an open file (statfs(2)); 0 if it is unknown.
  func magic(of file: Int32) -> UInt64
  /// Reads the free bytes for an unprivileged writer on the file system of an open file.
  func freeBytes(_ file: Int32, _ count: inout UInt64) -> Int32

  /// Reads from the end of the last read on; 0 at the end.
  func read(_ file: Int32, into buffer: UnsafeMutableRawBufferPointer) -> Int
  /// Reads from an offset on, without changing the end of the last read; 0 at the end. Several
  /// threads may do so at once.
  func read(_ file: Int32, at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) -> Int
  /// Writes from the end of the last write on; may accept fewer bytes.
  func write(_ file: Int32, _ bytes: UnsafeRawBufferPointer) -> Int
  /// Leaves a hole of this size at the end of the last write; the next one continues behind it.
  func skip(_ count: Int64, in file: Int32) -> Int32
  /// Sets the size of an open file; a gap at its end is a hole.
  func setSize(of file: Int32, _ size: Int64) -> Int32
  /// Starts writing an open file's data to the disk, without waiting. Makes nothing durable, and a
  /// failure has no consequence.
  func beginWriteOut(_ file: Int32)
  /// Makes an open file, or the names in an open directory, durable.
  func sync(_ file: Int32) -> Int32
  /// Makes the whole file system of an open file durable.
  func syncFileSystem(_ file: Int32) -> Int32
  /// Returns -EAGAIN if the file is open for writing; another negative value if it is unknown.
  func probeReadLease(_ file: Int32) -> Int32

  /// Creates a directory at an absolute path.
  func makeDirectory(at path: [UInt8], mode: UInt32) -> Int32
  /// Creates a directory in an open one.
  func makeDirectory(_ name: [UInt8], in directory: Int32, mode: UInt32) -> Int32
  /// Creates a symlink.
  func makeSymlink(_ name: [UInt8], in directory: Int32, to target: [UInt8]) -> Int32
  /// Gives an entry that is no directory a second name, which must be free.
  func link(
    _ name: [UInt8], in directory: Int32, as other: [UInt8], in otherDirectory: Int32
  ) -> Int32
  /// Renames an entry.
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
  /// Sets the permission bits of an open file, even one that is opened by name only.
  func setMode(of file: Int32, _ mode: UInt32) -> Int32
  /// Gives an open file to another group; the owner stays.
  func setGroup(of file: Int32, _ group: UInt32) -> Int32
  /// Appends the names of the extended attributes of an open file or directory.
  func attributeNames(of file: Int32, _ names: inout [[UInt8]]) -> Int32
  /// The value of an extended attribute; -ENODATA if there is none of that name.
  func attribute(_ name: [UInt8], of file: Int32, _ value: inout [UInt8]) -> Int32
  /// Gives an open file or directory an extended attribute; nil takes it away.
  func setAttribute(_ name: [UInt8], of file: Int32, to value: [UInt8]?) -> Int32
  /// Sets the modification time of an open file, in nanoseconds since 1970.
  func setTime(of file: Int32, _ modified: Int64) -> Int32
  /// Sets the modification time of a name, without following a symlink.
  func setTime(of name: [UInt8], in directory: Int32, _ modified: Int64) -> Int32
}

extension Disk {
  /// The number of ext4: a simulated disk keeps what ext4 keeps.
  public func magic(of file: Int32) -> UInt64 { 0xEF53 }
}

/// The handling of an entry with the new name in a rename.
public enum RenameKind: Sendable {
  /// It is replaced, as by rename(2).
  case replacing
  /// The call fails with EEXIST, or with EINVAL if the file system cannot guarantee that.
  case toFreeName
  /// The two swap their names; EINVAL if the file system cannot do that.
  case swapping
}
