import Glibc

/// An open file or directory on a disk, closed with its last reference. This target makes all its
/// disk calls through one; it must not know their purpose.
final class Descriptor: Sendable {
  let disk: any Disk
  let number: Int32

  init(owning number: Int32, on disk: any Disk) {
    self.disk = disk
    self.number = number
  }

  deinit { disk.close(number) }

  /// Returns the largest length of the path of a mirrored directory below a folder, with a
  /// separator before each name. Programs name files by whole paths, and so does inotify. The
  /// system takes `PATH_MAX` bytes with the NUL, and the longest name of a file in the directory
  /// must fit, too.
  static func longestPath(below folder: [UInt8]) -> Int {
    max(0, Int(PATH_MAX) - 1 - (1 + Int(NAME_MAX)) - folder.count)
  }

  // MARK: Opening

  /// Opens a directory by its absolute path, following symlinks above it: the person named it.
  static func openRoot(_ path: [UInt8], on disk: any Disk) throws(FolderError) -> Descriptor {
    let number = disk.openRoot(path)
    guard number >= 0 else { throw FolderError(-number, path, "open the folder") }
    return Descriptor(owning: number, on: disk)
  }

  /// Opens an entry below this directory by names, without following symlinks, however deep it is.
  func open(
    _ names: [FileNameBytes], flags: Int32, mode: UInt32 = 0
  ) throws(FolderError) -> Descriptor {
    var current = self
    var index = 0
    repeat {
      var path: [UInt8] = []
      while index < names.count, path.count + names[index].count < 3_800 {
        if !path.isEmpty { path.append(UInt8(ascii: "/")) }
        path += names[index]
        index += 1
      }
      if path.isEmpty { path = [UInt8(ascii: ".")] }
      let isLast = index >= names.count
      let wanted = isLast ? flags : (O_RDONLY | O_DIRECTORY)
      let number = disk.open(
        path, beneath: current.number, flags: wanted, mode: isLast ? mode : 0)
      guard number >= 0 else { throw FolderError(-number, joined(names), "open") }
      current = Descriptor(owning: number, on: disk)
    } while index < names.count
    return current
  }

  /// Opens a directory below this one.
  func openDirectory(_ names: [FileNameBytes]) throws(FolderError) -> Descriptor {
    try open(names, flags: O_RDONLY | O_DIRECTORY)
  }

  /// Opens a file for reading; another kind of entry does not block.
  func openFile(_ names: [FileNameBytes]) throws(FolderError) -> Descriptor {
    try open(names, flags: O_RDONLY | O_NONBLOCK)
  }

  /// Opens an entry of this directory by name only, even an unreadable one; nil if there is none.
  func openNode(_ name: FileNameBytes) throws(FolderError) -> Descriptor? {
    let number = disk.openNode(name, in: self.number)
    if number == -ENOENT || number == -ENOTDIR { return nil }
    guard number >= 0 else { throw FolderError(-number, name, "open") }
    return Descriptor(owning: number, on: disk)
  }

  // MARK: Contents

  /// Reads the next bytes into the buffer; 0 at the end.
  func read(
    into buffer: UnsafeMutableRawBufferPointer
  ) throws(FolderError) -> Int {
    let count = disk.read(number, into: buffer)
    guard count >= 0 else { throw FolderError(Int32(-count), [], "read the file") }
    return count
  }

  /// Reads up to this many next bytes; none at the end.
  func read(upTo limit: Int, as act: String) throws(FolderError) -> [UInt8] {
    var count = 0
    let bytes = [UInt8](unsafeUninitializedCapacity: limit) { buffer, initialized in
      count = disk.read(number, into: UnsafeMutableRawBufferPointer(buffer))
      initialized = max(0, count)
    }
    guard count >= 0 else { throw FolderError(Int32(-count), [], act) }
    return bytes
  }

  /// Reads the rest, up to this many bytes: a file system may return less at once than it has.
  func readAll(upTo limit: Int, as act: String) throws(FolderError) -> [UInt8] {
    var all: [UInt8] = []
    while all.count < limit {
      let bytes = try read(upTo: limit - all.count, as: act)
      if bytes.isEmpty { break }
      all += bytes
    }
    return all
  }

  /// Reads that many bytes from an offset on; nil if there are fewer, or they are unreadable.
  func read(_ count: Int, at offset: UInt64) -> [UInt8]? {
    guard let start = Int64(exactly: offset) else { return nil }
    var done = 0
    let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
      while done < count {
        let rest = UnsafeMutableRawBufferPointer(
          rebasing: UnsafeMutableRawBufferPointer(buffer)[done...])
        let found = disk.read(number, at: start + Int64(done), into: rest)
        guard found > 0 else { break }
        done += found
      }
      initialized = done
    }
    return done == count ? bytes : nil
  }

  /// Writes all of the bytes.
  func write(_ bytes: [UInt8], as act: String = "write") throws(FolderError) {
    let result = bytes.withUnsafeBytes { buffer -> Result<Void, FolderError> in
      do throws(FolderError) { return .success(try write(buffer, as: act)) } catch {
        return .failure(error)
      }
    }
    try result.get()
  }

  /// Writes all of the bytes.
  func write(_ bytes: UnsafeRawBufferPointer, as act: String = "write") throws(FolderError) {
    var offset = 0
    while offset < bytes.count {
      let written = disk.write(number, UnsafeRawBufferPointer(rebasing: bytes[offset...]))
      guard written >= 0 else { throw FolderError(Int32(-written), [], act) }
      offset += written
    }
  }

  /// Writes bytes, or leaves a hole.
  func put(_ act: ZeroRuns.Act) throws {
    switch act {
    case .write(let bytes): try write(bytes)
    case .skip(let count): try check(disk.skip(Int64(count), in: number), [], "write")
    }
  }

  /// Sets the size; a gap after the written bytes is a hole.
  func setSize(_ size: Int) throws(FolderError) {
    try check(disk.setSize(of: number, Int64(size)), [], "write")
  }

  /// Starts writing this file's data to the disk; nobody waits for it.
  func beginWriteOut() { disk.beginWriteOut(number) }

  /// Makes the bytes of this file, or the names in this directory, durable.
  func sync() throws(FolderError) { try check(disk.sync(number), [], "make durable") }

  /// Makes everything on this file system durable.
  func syncFileSystem() throws(FolderError) {
    try check(disk.syncFileSystem(number), [], "make files durable")
  }

  /// The writers of a file, as far as the system knows.
  enum Writers { case none, some, unknown }

  /// The writers of this file, by a read lease: it is refused while there is a descriptor for
  /// writing or a shared mapping (overlayfs forgets mappings). The descriptor must be for reading
  /// only.
  var writers: Writers {
    let answer = disk.probeReadLease(number)
    return answer == -EAGAIN ? .some : answer < 0 ? .unknown : .none
  }

  /// A Boolean value that indicates whether the file is open for writing; false if that is unknown.
  var isOpenForWriting: Bool { writers == .some }

  /// Sets the permission bits.
  func setMode(_ mode: UInt32, _ name: FileNameBytes) throws(FolderError) {
    try check(disk.setMode(of: number, mode), name, "change the mode")
  }

  /// Gives the file to another group.
  func setGroup(_ group: UInt32) throws(FolderError) {
    try check(disk.setGroup(of: number, group), [], "change the group")
  }

  /// The names of the extended attributes; none where the file system has no such attributes.
  func attributeNames() throws(FolderError) -> [[UInt8]] {
    var names: [[UInt8]] = []
    let result = disk.attributeNames(of: number, &names)
    if result == -ENOTSUP || result == -ENOSYS { return [] }
    try check(result, [], "list the attributes")
    return names
  }

  /// The value of an extended attribute; nil if there is none.
  func attribute(_ name: [UInt8]) throws(FolderError) -> [UInt8]? {
    var value: [UInt8] = []
    let result = disk.attribute(name, of: number, &value)
    if result == -ENODATA || result == -ENOTSUP || result == -ENOSYS { return nil }
    try check(result, [], "read an attribute")
    return value
  }

  /// Gives the file or directory an extended attribute.
  func setAttribute(_ name: [UInt8], to value: [UInt8]) throws(FolderError) {
    try check(disk.setAttribute(name, of: number, to: value), [], "set an attribute")
  }

  /// Sets the modification time; `path` is for the message.
  func setTime(_ modified: Int64, path: [UInt8] = []) throws(FolderError) {
    try check(disk.setTime(of: number, modified), path, "set the time")
  }

  // MARK: Names in this directory

  /// Sets the modification time of an entry.
  func setTime(of name: FileNameBytes, _ modified: Int64) throws(FolderError) {
    try check(disk.setTime(of: name, in: number, modified), name, "set the time")
  }

  /// Creates a new file for writing.
  func makeFile(_ name: FileNameBytes, mode: UInt32) throws(FolderError) -> Descriptor {
    let made = disk.open(
      name, beneath: number, flags: O_WRONLY | O_CREAT | O_EXCL, mode: mode)
    guard made >= 0 else { throw FolderError(-made, name, "make a file") }
    return Descriptor(owning: made, on: disk)
  }

  /// Creates a directory; `.exists` if the name is taken.
  func makeDirectory(_ name: FileNameBytes, mode: UInt32) throws(FolderError) {
    try check(disk.makeDirectory(name, in: number, mode: mode), name, "make a folder")
  }

  /// Creates a symlink.
  func makeSymlink(_ name: FileNameBytes, to target: [UInt8]) throws(FolderError) {
    try check(disk.makeSymlink(name, in: number, to: target), name, "make a symlink")
  }

  /// Removes an entry that isn't a directory.
  func remove(_ name: FileNameBytes) throws(FolderError) {
    try check(disk.remove(name, in: number), name, "remove")
  }

  /// Removes an empty directory; `.notEmpty` if it has contents.
  func removeDirectory(_ name: FileNameBytes) throws(FolderError) {
    let result = disk.removeDirectory(name, in: number)
    // POSIX allows either errno.
    if result == -EEXIST { throw FolderError(ENOTEMPTY, name, "remove the directory") }
    try check(result, name, "remove the directory")
  }

  private func check(
    _ result: Int32, _ name: FileNameBytes, _ act: String
  ) throws(FolderError) {
    guard result >= 0 else { throw FolderError(-result, name, act) }
  }
}
