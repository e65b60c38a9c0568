import CairnSystem
import Glibc

/// The file systems of this machine. It owns nothing; each call is the kernel's.
public struct SystemDisk: Disk {
  /// Creates the only instance that is needed.
  public init() {}

  // MARK: Opening

  /// See `Disk`.
  public func openRoot(_ path: [UInt8]) -> Int32 {
    checked(path.withCString { Glibc.open($0, O_RDONLY | O_DIRECTORY | O_CLOEXEC) })
  }

  /// See `Disk`.
  public func open(
    _ path: [UInt8], beneath directory: Int32, flags: Int32, mode: UInt32
  ) -> Int32 {
    path.withCString { cairn_open_beneath(directory, $0, flags, Int32(mode)) }
  }

  /// See `Disk`.
  public func openNode(_ name: [UInt8], in directory: Int32) -> Int32 {
    name.withCString { cairn_open_path(directory, $0) }
  }

  /// See `Disk`.
  public func close(_ file: Int32) { _ = Glibc.close(file) }

  // MARK: Looking

  /// See `Disk`. The kernel creates folders for a disk and its file system below /sys when they
  /// appear, with new inode numbers. ext4, XFS and f2fs have one. For other file systems only the
  /// disk counts, which is a new one after it was unplugged.
  public func mounting(of device: UInt64) -> String? {
    let disk = "/sys/dev/block/\(device >> 32):\(device & 0xFFFF_FFFF)"
    guard let number = Self.inode(at: disk), let name = Self.lastName(ofLink: disk) else {
      return nil
    }
    let folders = ["ext4", "xfs", "f2fs"].compactMap { Self.inode(at: "/sys/fs/\($0)/\(name)") }
    return ([number] + folders).map(String.init).joined(separator: ".")
  }

  /// The same for the file system of a directory.
  public func mounting(at path: String) -> String? {
    let file = openRoot(Array(path.utf8))
    guard file >= 0 else { return nil }
    defer { close(file) }
    var status = FileStat()
    return self.status(of: file, &status) >= 0 ? mounting(of: status.device) : nil
  }

  /// See `Disk`.
  public func magic(of file: Int32) -> UInt64 {
    var magic: UInt64 = 0
    return cairn_statfs_type(file, &magic) >= 0 ? magic : 0
  }

  private static func inode(at path: String) -> UInt64? {
    var raw = stat()
    return stat(path, &raw) == 0 ? UInt64(raw.st_ino) : nil
  }

  private static func lastName(ofLink path: String) -> Substring? {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(PATH_MAX)) { buffer in
      guard let start = buffer.baseAddress else { return nil }
      let count = readlink(path, start, buffer.count)
      guard count > 0 else { return nil }
      return String(decoding: bytes(start, count), as: UTF8.self).split(separator: "/").last
    }
  }

  /// See `Disk`.
  public func status(of file: Int32, _ found: inout FileStat) -> Int32 {
    var raw = cairn_stat()
    let result = cairn_stat_fd(file, &raw)
    if result >= 0 { found = FileStat(raw) }
    return result
  }

  /// See `Disk`.
  public func status(of name: [UInt8], in directory: Int32, _ found: inout FileStat) -> Int32 {
    var raw = cairn_stat()
    let result = name.withCString { cairn_stat_at(directory, $0, &raw) }
    if result >= 0 { found = FileStat(raw) }
    return result
  }

  /// See `Disk`.
  public func list(_ directory: Int32, _ names: inout [[UInt8]]) -> Int32 {
    let capacity = 64 * 1024
    let buffer = UnsafeMutableRawPointer.allocate(byteCount: capacity, alignment: 8)
    defer { buffer.deallocate() }
    guard lseek(directory, 0, SEEK_SET) >= 0 else { return -errno }
    while true {
      let filled = cairn_read_dir(directory, buffer, capacity)
      guard filled > 0 else { return Int32(filled) }
      var offset = 0
      var inode: UInt64 = 0
      var type: UInt8 = 0
      var name: UnsafePointer<CChar>?
      while cairn_dirent_next(buffer, filled, &offset, &inode, &type, &name) == 1 {
        guard let name else { break }
        names.append(Self.bytes(name, strlen(name)))
      }
    }
  }

  /// See `Disk`.
  public func target(
    of name: [UInt8], in directory: Int32, _ target: inout [UInt8]
  ) -> Int32 {
    let capacity = 4_096
    let buffer = UnsafeMutablePointer<CChar>.allocate(capacity: capacity)
    defer { buffer.deallocate() }
    let length = name.withCString { cairn_readlink_at(directory, $0, buffer, capacity) }
    guard length >= 0 else { return Int32(length) }
    target = Self.bytes(buffer, length)
    return 0
  }

  /// See `Disk`.
  public func path(of directory: Int32, _ path: inout [UInt8]) -> Int32 {
    let capacity = 8_192
    let buffer = UnsafeMutablePointer<CChar>.allocate(capacity: capacity)
    defer { buffer.deallocate() }
    let length = readlink("/proc/self/fd/\(directory)", buffer, capacity)
    guard length >= 0 else { return -errno }
    path = Self.bytes(buffer, length)
    return 0
  }

  /// See `Disk`.
  public func freeBytes(_ file: Int32, _ count: inout UInt64) -> Int32 {
    cairn_free_bytes(file, &count)
  }

  // MARK: Contents

  /// See `Disk`.
  public func read(_ file: Int32, into buffer: UnsafeMutableRawBufferPointer) -> Int {
    while true {
      let count = Glibc.read(file, buffer.baseAddress, buffer.count)
      if count >= 0 { return count }
      if errno != EINTR { return -Int(errno) }
    }
  }

  /// See `Disk`.
  public func read(
    _ file: Int32, at offset: Int64, into buffer: UnsafeMutableRawBufferPointer
  ) -> Int {
    while true {
      let count = pread(file, buffer.baseAddress, buffer.count, off_t(offset))
      if count >= 0 { return count }
      if errno != EINTR { return -Int(errno) }
    }
  }

  /// See `Disk`.
  public func write(_ file: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
    while true {
      let count = Glibc.write(file, bytes.baseAddress, bytes.count)
      if count >= 0 { return count }
      if errno != EINTR { return -Int(errno) }
    }
  }

  /// See `Disk`.
  public func skip(_ count: Int64, in file: Int32) -> Int32 {
    lseek(file, off_t(count), SEEK_CUR) >= 0 ? 0 : -errno
  }

  /// See `Disk`.
  public func setSize(of file: Int32, _ size: Int64) -> Int32 {
    checked(ftruncate(file, off_t(size)))
  }

  /// See `Disk`.
  public func beginWriteOut(_ file: Int32) { _ = cairn_begin_write_out(file) }

  /// See `Disk`.
  public func sync(_ file: Int32) -> Int32 { checked(fsync(file)) }

  /// See `Disk`.
  public func syncFileSystem(_ file: Int32) -> Int32 { cairn_sync_fs(file) }

  /// See `Disk`.
  public func probeReadLease(_ file: Int32) -> Int32 { cairn_read_lease_probe(file) }

  // MARK: Names

  /// See `Disk`.
  public func makeDirectory(at path: [UInt8], mode: UInt32) -> Int32 {
    checked(path.withCString { mkdir($0, mode_t(mode)) })
  }

  /// See `Disk`.
  public func makeDirectory(_ name: [UInt8], in directory: Int32, mode: UInt32) -> Int32 {
    checked(name.withCString { mkdirat(directory, $0, mode_t(mode)) })
  }

  /// See `Disk`.
  public func makeSymlink(_ name: [UInt8], in directory: Int32, to target: [UInt8]) -> Int32 {
    checked(target.withCString { target in name.withCString { symlinkat(target, directory, $0) } })
  }

  /// See `Disk`.
  public func link(
    _ name: [UInt8], in directory: Int32, as other: [UInt8], in otherDirectory: Int32
  ) -> Int32 {
    checked(
      name.withCString { old in
        other.withCString { linkat(directory, old, otherDirectory, $0, 0) }
      })
  }

  /// See `Disk`.
  public func rename(
    _ name: [UInt8], in directory: Int32, to other: [UInt8], in otherDirectory: Int32,
    _ kind: RenameKind
  ) -> Int32 {
    name.withCString { old in
      other.withCString { new in
        switch kind {
        case .replacing: cairn_rename(directory, old, otherDirectory, new)
        case .toFreeName: cairn_rename_noreplace(directory, old, otherDirectory, new)
        case .swapping: cairn_rename_exchange(directory, old, otherDirectory, new)
        }
      }
    }
  }

  /// See `Disk`.
  public func remove(_ name: [UInt8], in directory: Int32) -> Int32 {
    checked(name.withCString { unlinkat(directory, $0, 0) })
  }

  /// See `Disk`.
  public func removeDirectory(_ name: [UInt8], in directory: Int32) -> Int32 {
    checked(name.withCString { unlinkat(directory, $0, AT_REMOVEDIR) })
  }

  /// See `Disk`.
  public func removeDirectory(at path: [UInt8]) -> Int32 { checked(path.withCString { rmdir($0) }) }

  /// See `Disk`.
  public func setMode(of file: Int32, _ mode: UInt32) -> Int32 {
    if fchmod(file, mode_t(mode)) == 0 { return 0 }
    guard errno == EBADF else { return -errno }
    // fchmod(2) does not accept a descriptor that was opened by name only.
    return checked(chmod("/proc/self/fd/\(file)", mode_t(mode)))
  }

  /// See `Disk`.
  public func setGroup(of file: Int32, _ group: UInt32) -> Int32 {
    checked(fchown(file, uid_t.max, group))
  }

  /// See `Disk`.
  public func attributeNames(of file: Int32, _ names: inout [[UInt8]]) -> Int32 {
    // The kernel's own limit, XATTR_LIST_MAX; most lists are empty.
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: 1 << 16) { buffer in
      guard let start = buffer.baseAddress else { return -ENOMEM }
      let count = cairn_attribute_names(file, start, buffer.count)
      guard count >= 0 else { return Int32(count) }
      names += Self.bytes(start, count).split(separator: 0).map { Array($0) }
      return 0
    }
  }

  /// See `Disk`.
  public func attribute(_ name: [UInt8], of file: Int32, _ value: inout [UInt8]) -> Int32 {
    // The kernel's own limit, XATTR_SIZE_MAX.
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 1 << 16) { buffer in
      guard let start = buffer.baseAddress else { return -ENOMEM }
      let count = name.withCString { cairn_attribute(file, $0, start, buffer.count) }
      guard count >= 0 else { return Int32(count) }
      value = Array(buffer.prefix(count))
      return 0
    }
  }

  /// See `Disk`.
  public func setAttribute(_ name: [UInt8], of file: Int32, to value: [UInt8]?) -> Int32 {
    name.withCString { name in
      guard let value else { return cairn_remove_attribute(file, name) }
      return value.withUnsafeBytes { cairn_set_attribute(file, name, $0.baseAddress, $0.count) }
    }
  }

  /// See `Disk`.
  public func setTime(of file: Int32, _ modified: Int64) -> Int32 {
    cairn_set_times_fd(file, modified)
  }

  /// See `Disk`.
  public func setTime(of name: [UInt8], in directory: Int32, _ modified: Int64) -> Int32 {
    name.withCString { cairn_set_times(directory, $0, modified) }
  }

  private func checked(_ result: Int32) -> Int32 { result >= 0 ? result : -errno }

  private static func bytes(_ start: UnsafePointer<CChar>, _ count: Int) -> [UInt8] {
    start.withMemoryRebound(to: UInt8.self, capacity: count) {
      Array(UnsafeBufferPointer(start: $0, count: count))
    }
  }
}

extension [UInt8] {
  /// Calls `body` with the bytes as a C string. The bytes must not contain a NUL; names from
  /// `FileName` do not.
  func withCString<Result>(_ body: (UnsafePointer<CChar>) -> Result) -> Result {
    // On the stack: this happens before each system call with a name.
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: count + 1) { text in
      withUnsafeBytes { UnsafeMutableRawBufferPointer(text).copyMemory(from: $0) }
      text[count] = 0
      guard let start = text.baseAddress else { return body(map { CChar(bitPattern: $0) } + [0]) }
      return body(start)
    }
  }
}
