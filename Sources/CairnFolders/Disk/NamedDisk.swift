import Glibc

/// A disk whose file system lacks abilities that others have.
struct NamedDisk: Disk {
  let real: any Disk
  /// A Boolean value that indicates whether inode numbers aren't kept. Then it shows none, and no
  /// time of birth: everything is recognized by its name, kind, size, times and bytes.
  let hidesInodes: Bool
  /// A Boolean value that indicates whether the time of a symbolic link can be set. If not, the
  /// file system may set the time of the target instead, so that it is never asked.
  let setsLinkTimes: Bool
  /// A Boolean value that indicates whether a rename drops the fraction of a time. Then no time has
  /// one.
  let hidesFractions: Bool
  /// A Boolean value that indicates whether there are hard links. If not, the file system may
  /// refuse them with an error that means something else, as rclone's does.
  let hasLinks: Bool
  /// A Boolean value that indicates whether there are extended attributes, in the same way.
  let hasAttributes: Bool

  init(_ real: any Disk, _ traits: FileSystemTraits) {
    self.real = real
    (hidesInodes, setsLinkTimes) = (!traits.keepsInodes, traits.keepsLinkTimes)
    hidesFractions = !traits.keepsFractions
    (hasLinks, hasAttributes) = (traits.hasLinks, traits.hasAttributes)
  }

  private func limited(_ result: Int32, _ found: inout FileStat) -> Int32 {
    guard result >= 0 else { return result }
    if hidesInodes { (found.inode, found.birth) = (0, 0) }
    if hidesFractions { found.modified -= (found.modified % .second + .second) % .second }
    return result
  }

  func status(of file: Int32, _ found: inout FileStat) -> Int32 {
    limited(real.status(of: file, &found), &found)
  }
  func status(of name: [UInt8], in directory: Int32, _ found: inout FileStat) -> Int32 {
    limited(real.status(of: name, in: directory, &found), &found)
  }

  // MARK: As they are

  func openRoot(_ path: [UInt8]) -> Int32 { real.openRoot(path) }
  func open(_ path: [UInt8], beneath directory: Int32, flags: Int32, mode: UInt32) -> Int32 {
    real.open(path, beneath: directory, flags: flags, mode: mode)
  }
  func openNode(_ name: [UInt8], in directory: Int32) -> Int32 {
    real.openNode(name, in: directory)
  }
  func close(_ file: Int32) { real.close(file) }
  func list(_ directory: Int32, _ names: inout [[UInt8]]) -> Int32 {
    real.list(directory, &names)
  }
  func target(of name: [UInt8], in directory: Int32, _ target: inout [UInt8]) -> Int32 {
    real.target(of: name, in: directory, &target)
  }
  func path(of directory: Int32, _ path: inout [UInt8]) -> Int32 {
    real.path(of: directory, &path)
  }
  func mounting(of device: UInt64) -> String? { real.mounting(of: device) }
  func magic(of file: Int32) -> UInt64 { real.magic(of: file) }
  func freeBytes(_ file: Int32, _ count: inout UInt64) -> Int32 { real.freeBytes(file, &count) }
  func read(_ file: Int32, into buffer: UnsafeMutableRawBufferPointer) -> Int {
    real.read(file, into: buffer)
  }
  func read(_ file: Int32, at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) -> Int {
    real.read(file, at: offset, into: buffer)
  }
  func write(_ file: Int32, _ bytes: UnsafeRawBufferPointer) -> Int { real.write(file, bytes) }
  func skip(_ count: Int64, in file: Int32) -> Int32 { real.skip(count, in: file) }
  func setSize(of file: Int32, _ size: Int64) -> Int32 { real.setSize(of: file, size) }
  func beginWriteOut(_ file: Int32) { real.beginWriteOut(file) }
  func sync(_ file: Int32) -> Int32 { real.sync(file) }
  func syncFileSystem(_ file: Int32) -> Int32 { real.syncFileSystem(file) }
  func probeReadLease(_ file: Int32) -> Int32 { real.probeReadLease(file) }
  func makeDirectory(at path: [UInt8], mode: UInt32) -> Int32 {
    real.makeDirectory(at: path, mode: mode)
  }
  func makeDirectory(_ name: [UInt8], in directory: Int32, mode: UInt32) -> Int32 {
    real.makeDirectory(name, in: directory, mode: mode)
  }
  func makeSymlink(_ name: [UInt8], in directory: Int32, to target: [UInt8]) -> Int32 {
    real.makeSymlink(name, in: directory, to: target)
  }
  func link(
    _ name: [UInt8], in directory: Int32, as other: [UInt8], in otherDirectory: Int32
  ) -> Int32 {
    hasLinks ? real.link(name, in: directory, as: other, in: otherDirectory) : -EPERM
  }
  func rename(
    _ name: [UInt8], in directory: Int32, to other: [UInt8], in otherDirectory: Int32,
    _ kind: RenameKind
  ) -> Int32 {
    real.rename(name, in: directory, to: other, in: otherDirectory, kind)
  }
  func remove(_ name: [UInt8], in directory: Int32) -> Int32 { real.remove(name, in: directory) }
  func removeDirectory(_ name: [UInt8], in directory: Int32) -> Int32 {
    real.removeDirectory(name, in: directory)
  }
  func removeDirectory(at path: [UInt8]) -> Int32 { real.removeDirectory(at: path) }
  func setMode(of file: Int32, _ mode: UInt32) -> Int32 { real.setMode(of: file, mode) }
  func setGroup(of file: Int32, _ group: UInt32) -> Int32 { real.setGroup(of: file, group) }
  func attributeNames(of file: Int32, _ names: inout [[UInt8]]) -> Int32 {
    hasAttributes ? real.attributeNames(of: file, &names) : -EOPNOTSUPP
  }
  func attribute(_ name: [UInt8], of file: Int32, _ value: inout [UInt8]) -> Int32 {
    hasAttributes ? real.attribute(name, of: file, &value) : -EOPNOTSUPP
  }
  func setAttribute(_ name: [UInt8], of file: Int32, to value: [UInt8]?) -> Int32 {
    hasAttributes ? real.setAttribute(name, of: file, to: value) : -EOPNOTSUPP
  }
  func setTime(of file: Int32, _ modified: Int64) -> Int32 { real.setTime(of: file, modified) }
  func setTime(of name: [UInt8], in directory: Int32, _ modified: Int64) -> Int32 {
    if !setsLinkTimes {
      var found = FileStat()
      let result = real.status(of: name, in: directory, &found)
      guard result >= 0 else { return result }
      if found.kind == .symlink { return -EOPNOTSUPP }
    }
    return real.setTime(of: name, in: directory, modified)
  }
}
